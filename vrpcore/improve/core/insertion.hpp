// The cheapest place for a customer or a shipment in a plan, and putting it there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"
#include "random.hpp"

namespace vrp {

// Where a unit goes: before the stop at position `at`; a shipment's delivery before the stop
// that is at position `to` without the pickup.
struct Spot {
  double cost;
  std::int32_t route, type, at, to;
};

// A place is skipped once in a hundred times: Christiaens and Vanden Berghe 2020. Where there
// are few stops, an order gives few plans, and more is left to chance.
constexpr std::uint64_t kSkipPlace = (std::uint64_t{1} << 32) / 100;
constexpr std::uint64_t kSkipOften = (std::uint64_t{1} << 32) / 8;
constexpr int kFewStops = 20;
// With more stops, only the places beside so many of the nearest are tried first.
constexpr int kFewStopsNear = 200;
constexpr int kNearGaps = 30;

class Insertion {
 public:
  static Insertion lay_out(Arena& arena, FleetPlan* plan) {
    Insertion made(plan);
    made.stops_ = arena.take<std::int32_t>(static_cast<std::size_t>(plan->rules().in.num_stops));
    made.seen_ = arena.take<std::int64_t>(static_cast<std::size_t>(plan->rules().max_routes));
    return made;
  }

  explicit Insertion(FleetPlan* plan) : plan_(plan) {}

  // Before the first insertion.
  void begin() { std::fill(seen_, seen_ + rules().max_routes, std::int64_t{0}); }

  // Inserts a customer, or a shipment by its pickup, where it is cheapest and costs less than
  // `most`. Without random numbers no place is skipped. Returns whether there was such a place.
  bool insert(int unit, double most, Random* random) {
    best_ = {most, -1, -1, 0, 0};
    random_ = random;
    const bool many = rules().in.num_stops > kFewStopsNear;
    if (many) {
      scan_near(unit);
      scan_types(unit);
    }
    if (best_.route < 0) {
      for (int index = 0; index < plan_->num_in_use; ++index) {
        const int route = plan_->in_use[index];
        if (may_join(route, unit)) scan(route, unit, 0, plan_->routes[route].count);
      }
    }
    if (!many) scan_types(unit);
    if (best_.route < 0) return false;
    put(unit);
    return true;
  }

 private:
  // Looks at the places beside a unit's nearest stops.
  void scan_near(int unit) {
    ++now_;
    const std::int32_t* near = rules().near + static_cast<std::int64_t>(unit) * rules().num_near;
    const int most = std::min(kNearGaps, rules().num_near);
    for (int rank = 0; rank < most; ++rank) {
      const int stop = near[rank], route = plan_->route_of[stop];
      if (route < 0) continue;
      if (seen_[route] / 2 != now_) seen_[route] = 2 * now_ + (may_join(route, unit) ? 1 : 0);
      if (seen_[route] % 2 == 0) continue;
      const int at = plan_->position_of[stop];
      scan(route, unit, at, at + 1);
    }
  }

  // Looks at the places of a route behind `low` to `high` stops.
  void scan(int route, int unit, int low, int high) {
    if (rules().in.partner[unit] >= 0) {
      scan_pair(route, unit, low, high);
    } else {
      scan_one(route, unit, low, high);
    }
  }

  // What a route's type charges and allows, and its matrices.
  struct Terms {
    const double *distances, *durations, *distances_to, *durations_to;
    std::int64_t nodes;
    double per_distance, per_travel, per_duration, room_distance, room_travel, max_duration;
    bool is_timed;

    double length(int from, int to) const { return distances[from * nodes + to]; }
    double leg(int from, int to) const { return durations[from * nodes + to]; }
    // The same by rows of the node that is reached: those of a unit stay in the cache.
    double length_to(int to, int from) const { return distances_to[to * nodes + from]; }
    double leg_to(int to, int from) const { return durations_to[to * nodes + from]; }
  };

  const RuleSet& rules() const { return plan_->rules(); }

  Terms terms_of(int route) const {
    const RulesInput& in = rules().in;
    const PlanRoute& used = plan_->routes[route];
    const int type = used.type, profile = in.profile[type];
    return {rules().distances(profile),
            rules().durations(profile),
            rules().distances_to(profile),
            rules().durations_to(profile),
            rules().num_nodes(),
            in.distance_cost[type],
            in.travel_cost[type],
            in.duration_cost[type],
            in.max_distance[type] - used.totals.distance,
            in.max_travel[type] - used.totals.travel,
            in.max_duration[type],
            rules().is_timed(type)};
  }

  const double* cells(const double* array, int cell) const {
    return array + static_cast<std::int64_t>(cell) * rules().in.dimensions;
  }

  // Whether nothing that holds for the whole route keeps a unit out.
  bool may_join(int route, int unit) const {
    const RulesInput& in = rules().in;
    const PlanRoute& used = plan_->routes[route];
    const bool pair = in.partner[unit] >= 0;
    if (used.count + (pair ? 2 : 1) > in.max_stops[used.type]) return false;
    if (!rules().is_allowed(used.type, unit)) return false;
    if (pair) return rules().is_allowed(used.type, in.partner[unit]);
    if (!in.pickup_only && (used.kinds | rules().kind[unit]) == 2) return false;
    const double* capacity = rules().amounts(in.capacity, used.type);
    const double* first = cells(plan_->load, used.row);
    const double* last = cells(plan_->load, used.row + used.count);
    for (int each = 0; each < in.dimensions; ++each) {
      if (first[each] + rules().amounts(in.delivery, unit)[each] > capacity[each]) return false;
      if (last[each] + rules().amounts(in.pickup, unit)[each] > capacity[each]) return false;
    }
    return true;
  }

  bool skips() {
    const bool few = rules().in.num_stops <= kFewStops;
    return random_ && random_->chance(few ? kSkipOften : kSkipPlace);
  }

  // Whether what a customer receives and gives fits behind a cell.
  bool fits_after(int cell, int type, int unit) const {
    const RulesInput& in = rules().in;
    const double* capacity = rules().amounts(in.capacity, type);
    for (int each = 0; each < in.dimensions; ++each) {
      const double delivery = rules().amounts(in.delivery, unit)[each];
      const double pickup = rules().amounts(in.pickup, unit)[each];
      if (cells(plan_->peak_before, cell)[each] + delivery > capacity[each]) return false;
      if (cells(plan_->peak_after, cell)[each] + pickup > capacity[each]) return false;
    }
    return true;
  }

  // Whether a shipment fits on the leg behind a cell.
  bool carries_after(int cell, int type, int pickup) const {
    const RulesInput& in = rules().in;
    const double* capacity = rules().amounts(in.capacity, type);
    for (int each = 0; each < in.dimensions; ++each) {
      const double amount = rules().amounts(in.shipment, pickup)[each];
      if (cells(plan_->load, cell)[each] + amount > capacity[each]) return false;
    }
    return true;
  }

  void scan_one(int route, int unit, int low, int high) {
    const RulesInput& in = rules().in;
    const PlanRoute& used = plan_->routes[route];
    const Terms terms = terms_of(route);
    const int node = rules().node_of(unit), kind = rules().kind[unit];
    const bool several = used.several || rules().num_windows[unit] > 1;
    const int first = in.backhauls_last && (kind & 2) ? std::max(low, used.past_delivery) : low;
    const int last = in.backhauls_last && (kind & 1) ? std::min(high, used.first_pickup) : high;
    const Gap* gaps = plan_->gaps + used.row;
    const Segment visit = rules().visit[unit];
    const double late = visit.late + in.slack, soonest = visit.early + visit.duration;
    const double *into = terms.distances_to + node * terms.nodes,
                 *out = terms.distances + node * terms.nodes;
    const double *into_leg = terms.durations_to + node * terms.nodes,
                 *out_leg = terms.durations + node * terms.nodes;
    const double per_distance = terms.per_distance, per_travel = terms.per_travel;
    // A cost of durations may be saved by who comes later.
    const bool all = terms.per_duration != 0.0;
    double least = all ? kNever : best_.cost;
    for (int at = first; at <= last; ++at) {
      const Gap& gap = gaps[at];
      if (gap.ready > late) break;
      if (soonest > gap.due) continue;
      const int from = gap.node, to = gap.next;
      const double distance = into[from] + out[to] - gap.length;
      double cost = per_distance * distance;
      if (per_travel != 0.0) {
        cost += per_travel * (into_leg[from] + out_leg[to] - plan_->places[used.row + at].leg);
      }
      if (cost >= least) continue;
      const double arrival = gap.ready + into_leg[from];
      if (arrival > late) continue;
      if (std::max(arrival, visit.early) + visit.duration + out_leg[to] > gap.due) continue;
      try_place(route, terms, unit, at, distance, cost, several);
      if (!all) least = best_.cost;
    }
  }

  // Keeps the place behind `at` stops, which is in time where stops have one window each, if it
  // is the cheapest so far that breaks no limit.
  void try_place(int route, const Terms& terms, int unit, int at, double distance, double cost,
                 bool several) {
    const RulesInput& in = rules().in;
    const PlanRoute& used = plan_->routes[route];
    const int cell = used.row + at;
    const Place& from = plan_->places[cell];
    if (distance > terms.room_distance || skips()) return;
    const int node = rules().node_of(unit);
    const double into = terms.leg_to(node, plan_->gaps[cell].node);
    const double out = terms.leg(node, plan_->gaps[cell].next);
    if (into + out - from.leg > terms.room_travel) return;
    if (!fits_after(cell, used.type, unit)) return;
    if (several) {
      judge_spot(route, unit, at, at);
      return;
    }
    if (terms.is_timed || rules().released) {
      Segment whole;
      if (!join(from.before, into, rules().visit[unit], in.slack, whole)) return;
      if (!join(whole, out, plan_->places[cell + 1].after, in.slack, whole)) return;
      if (std::max(used.release, in.release[unit]) > whole.late + in.slack) return;
      if (terms.is_timed && !charge(used, terms, whole, cost)) return;
    }
    if (cost < best_.cost) best_ = {cost, route, used.type, at, at};
  }

  // Adds the cost of the duration; false if the route takes too long.
  static bool charge(const PlanRoute& used, const Terms& terms, const Segment& whole,
                     double& cost) {
    if (whole.duration > terms.max_duration) return false;
    if (terms.per_duration != 0.0) {
      cost += terms.per_duration * (whole.duration - used.totals.duration);
    }
    return true;
  }

  void scan_pair(int route, int pickup, int low, int high) {
    const RulesInput& in = rules().in;
    const PlanRoute& used = plan_->routes[route];
    const Terms terms = terms_of(route);
    const bool several = used.several || rules().num_windows[pickup] > 1 ||
                         rules().num_windows[in.partner[pickup]] > 1;
    for (int at = low; at <= high; ++at) {
      const int cell = used.row + at;
      const Place& from = plan_->places[cell];
      const Segment visit = rules().visit[pickup];
      if (!several && from.before.early + from.before.duration > visit.late + in.slack) break;
      const double soon = plan_->places[cell + 1].after.late + in.slack;
      if (!several && visit.early + visit.duration > soon) continue;
      if (skips() || !carries_after(cell, used.type, pickup)) continue;
      Segment carried{};
      const double into = terms.leg_to(rules().node_of(pickup), plan_->gaps[cell].node);
      if (!several && !join(from.before, into, visit, in.slack, carried)) continue;
      scan_delivery(route, pickup, at, several, terms, carried);
    }
  }

  // Scans on from a pickup's place for that of its delivery.
  void scan_delivery(int route, int pickup, int at, bool several, const Terms& terms,
                     Segment carried) {
    const RulesInput& in = rules().in;
    const PlanRoute& used = plan_->routes[route];
    const int delivery = in.partner[pickup];
    const int first = rules().node_of(pickup), second = rules().node_of(delivery);
    const Gap* gaps = plan_->gaps + used.row;
    const Place* places = plan_->places + used.row;
    double distance = terms.length_to(first, gaps[at].node);
    double travel = terms.leg_to(first, gaps[at].node);
    const double late = rules().visit[delivery].late + in.slack;
    int here = first;  // the node before the delivery
    for (int next = at + 1;; ++next) {
      const int there = gaps[next].node;
      const double more = distance + terms.length_to(second, here) + terms.length(second, there) -
                          gaps[next - 1].length;
      const double longer =
          travel + terms.leg_to(second, here) + terms.leg(second, there) - places[next - 1].leg;
      if (several) {
        if (may_pay(terms, more, longer)) judge_spot(route, pickup, at, next - 1);
      } else {
        try_delivery(route, {0.0, route, used.type, at, next - 1}, terms, more, longer, carried,
                     here, there, delivery, places[next],
                     std::max(used.release, in.release[pickup]));
      }
      if (next > used.count || !carries_after(used.row + next, used.type, pickup)) return;
      if (!several) {
        const double leg = here == first ? terms.leg(first, there) : places[next - 1].leg;
        const Segment& visit = rules().visit[there - in.num_depots];
        if (!join(carried, leg, visit, in.slack, carried)) return;
        if (carried.early + carried.duration > late) return;
      }
      if (here == first) {
        distance += terms.length(first, there) - gaps[at].length;
        travel += terms.leg(first, there) - places[at].leg;
      }
      here = there;
    }
  }

  bool may_pay(const Terms& terms, double distance, double travel) const {
    if (distance > terms.room_distance || travel > terms.room_travel) return false;
    return terms.per_duration != 0.0 ||
           terms.per_distance * distance + terms.per_travel * travel < best_.cost;
  }

  void try_delivery(int route, Spot spot, const Terms& terms, double distance, double travel,
                    const Segment& carried, int here, int there, int delivery,
                    const Place& to, double release) {
    const RulesInput& in = rules().in;
    const Segment& visit = rules().visit[delivery];
    if (visit.early + visit.duration > to.after.late + in.slack) return;
    if (!may_pay(terms, distance, travel)) return;
    const int node = rules().node_of(delivery);
    Segment whole;
    if (!join(carried, terms.leg_to(node, here), visit, in.slack, whole)) return;
    if (!join(whole, terms.leg(node, there), to.after, in.slack, whole)) return;
    if (std::max(release, in.release[delivery]) > whole.late + in.slack) return;
    spot.cost = terms.per_distance * distance + terms.per_travel * travel;
    if (terms.is_timed && !charge(plan_->routes[route], terms, whole, spot.cost)) return;
    if (spot.cost < best_.cost) best_ = spot;
  }

  // The stops of a route with a unit in it; returns their number.
  int fill(int route, int unit, int at, int to) {
    const int delivery = rules().in.partner[unit];
    const int old = plan_->routes[route].count;
    const Gap* row = plan_->gaps + (old > 0 ? plan_->routes[route].row + 1 : 0);
    int count = 0;
    for (int index = 0; index <= old; ++index) {
      if (index == at) stops_[count++] = unit;
      if (index == to && delivery >= 0) stops_[count++] = delivery;
      if (index < old) stops_[count++] = row[index].node - rules().in.num_depots;
    }
    return count;
  }

  // Looks at a place by walking the whole route.
  void judge_spot(int route, int unit, int at, int to) {
    const PlanRoute& used = plan_->routes[route];
    const int count = fill(route, unit, at, to);
    RouteTotals totals;
    if (!plan_->judge().judge(used.type, stops_, count, totals)) return;
    const double cost = totals.cost - used.totals.cost;
    if (cost < best_.cost) best_ = {cost, route, used.type, at, to};
  }

  // An empty vehicle of each type is one more place.
  void scan_types(int unit) {
    const RulesInput& in = rules().in;
    const int route = plan_->free_route();
    if (route < 0) return;
    std::int32_t stops[2] = {unit, in.partner[unit]};
    const int count = in.partner[unit] >= 0 ? 2 : 1;
    for (int type = 0; type < in.num_types; ++type) {
      if (plan_->left[type] == 0 || in.fixed[type] >= best_.cost || skips()) continue;
      RouteTotals totals;
      if (!plan_->judge().judge(type, stops, count, totals)) continue;
      if (totals.cost < best_.cost) best_ = {totals.cost, route, type, 0, 0};
    }
  }

  void put(int unit) {
    const int count = fill(best_.route, unit, best_.at, best_.to);
    plan_->touch(best_.route);
    plan_->put(best_.route, best_.type, stops_, count);
    plan_->take_in(unit);
  }

  FleetPlan* plan_;
  std::int32_t* stops_ = nullptr;  // [N]
  std::int64_t* seen_ = nullptr;   // [R] when a route was looked at last; odd: it may be joined
  std::int64_t now_ = 0;
  Spot best_{};
  Random* random_ = nullptr;
};

}  // namespace vrp
