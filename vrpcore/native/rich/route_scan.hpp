// The cheapest position for a customer or a shipment in one route.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "trip_scan.hpp"

namespace vrp {

class RouteScan : public TripScan {
 public:
  static RouteScan lay_out(Arena& arena, FleetPlan* plan) {
    RouteScan made(plan);
    const auto visits = static_cast<std::size_t>(plan->problem().max_visits() + 1);
    made.stops_ = arena.take<std::int32_t>(visits);
    made.bounds_ = arena.take<PairBound>(visits);
    return made;
  }

  explicit RouteScan(FleetPlan* plan) : TripScan(plan) {}

  // Whether nothing that holds for the whole route keeps a unit out.
  bool may_join(int route, int unit) const {
    const RichInput& in = problem().in;
    const PlanRoute& used = plan_->routes[route];
    const int partner = in.partner[unit];
    const int stops = used.count - used.reloads;
    if (stops + (partner >= 0 ? 2 : 1) > in.max_stops[used.type]) return false;
    if (!problem().is_allowed(used.type, unit)) return false;
    if (partner >= 0) return problem().is_allowed(used.type, partner);
    if (!in.pickup_only && (used.kinds | problem().kind[unit]) == 2) return false;
    if (problem().boards) return true;
    const double* capacity = problem().amounts(in.capacity, used.type);
    const double* first = cells(plan_->load, used.row);
    const double* delivery = problem().amounts(in.delivery, unit);
    for (int each = 0; each < in.dimensions; ++each) {
      if (first[each] + delivery[each] > capacity[each]) return false;
    }
    if (!problem().collects) return true;
    const double* last = cells(plan_->load, used.row + used.count);
    const double* pickup = problem().amounts(in.pickup, unit);
    for (int each = 0; each < in.dimensions; ++each) {
      if (last[each] + pickup[each] > capacity[each]) return false;
    }
    return true;
  }

  // Looks at the positions of a route behind `low` to `high` stops, one that is cheaper than the
  // best so far.
  void scan(int route, int unit, int low, int high) {
    const PlanRoute& used = plan_->routes[route];
    const TypeTerms& terms = problem().terms[used.type];
    extra_ = problem().vehicle_cost(used.type, unit);
    if (terms.exact) {
      scan_exactly(route, unit, low, high);
    } else {
      scan_times(route, unit, low, high);
    }
    if (terms.trips) scan_reloads(route, unit, low, high);
  }

  // The same for all positions but one: `best` itself, which is forgotten unless it is `other`.
  void scan_others(int unit, const InsertionPosition& one, const InsertionPosition& other) {
    best = other;
    excluded_at_ = one.at;
    excluded_to_ = one.to;
    scan(one.route, unit, 0, plan_->routes[one.route].count);
    excluded_at_ = -1;
  }

 private:
  // Positions that are judged by the times before and behind them.
  void scan_times(int route, int unit, int low, int high) {
    if (problem().in.partner[unit] >= 0) {
      scan_pair(route, unit, low, high);
    } else {
      scan_one(route, unit, low, high);
    }
  }

  void scan_one(int route, int unit, int low, int high) {
    const RichInput& in = problem().in;
    const PlanRoute& used = plan_->routes[route];
    const TypeTerms& terms = problem().terms[used.type];
    const int node = problem().node_of(unit);
    if (in.backhauls_last) {
      const int kind = problem().kind[unit];
      if (kind & 2) low = std::max(low, used.past_delivery);
      if (kind & 1) high = std::min(high, used.first_pickup);
    }
    if (terms.by_walk) return walk_one(used, route, unit, low, high);
    const Arc* arcs = plan_->arcs + used.row;
    const Segment visit = problem().visit[unit];
    const double late = visit.late + in.slack, soonest = visit.early + visit.duration;
    const double *into = terms.distances_to + node * terms.nodes,
                 *out = terms.distances + node * terms.nodes;
    const double *into_leg = terms.durations_to + node * terms.nodes,
                 *out_leg = terms.durations + node * terms.nodes;
    const double per_distance = terms.per_distance, per_travel = terms.per_travel;
    // A cost of durations may be saved by who comes later.
    const bool all = terms.per_duration != 0.0;
    double least = all ? kNever : best.cost;
    for (int at = low; at <= high; ++at) {
      const Arc& arc = arcs[at];
      if (arc.ready > late) break;
      if (soonest > arc.due) continue;
      const int from = arc.node, to = arc.next;
      const double distance = into[from] + out[to] - arc.length;
      double cost = per_distance * distance;
      if (per_travel != 0.0) {
        cost += per_travel * (into_leg[from] + out_leg[to] - plan_->positions[used.row + at].leg);
      }
      if (cost >= least) continue;
      const double arrival = arc.ready + into_leg[from];
      if (arrival > late) continue;
      if (std::max(arrival, visit.early) + visit.duration + out_leg[to] > arc.due) continue;
      try_position(used, terms, {cost, route, used.type, at, at}, unit, distance);
      if (!all) least = best.cost;
    }
  }

  // Keeps a position that is in time if it is the cheapest so far that breaks no limit.
  void try_position(const PlanRoute& used, const TypeTerms& terms, InsertionPosition insertion,
                    int unit, double distance) {
    const RichInput& in = problem().in;
    const int cell = used.row + insertion.at;
    if (used.totals.distance + distance > terms.max_distance || skips()) return;
    if (problem().collects && !fits_after(cell, used.type, unit)) return;
    if (terms.lifo && !is_free(cell, unit)) return;
    if (used.reloads > 0 && is_behind(used, insertion.at, unit)) return;
    if (terms.in_segments || terms.max_travel < kNever) {
      const int node = problem().node_of(unit);
      const double into = terms.leg_to(node, plan_->arcs[cell].node);
      const double out = terms.leg(node, plan_->arcs[cell].next);
      const Position& from = plan_->positions[cell];
      if (used.totals.travel + into + out - from.leg > terms.max_travel) return;
      if (terms.in_segments) {
        Segment whole;
        if (!get_before(used, insertion.at, unit, whole)) return;
        if (!join(whole, into, problem().visit[unit], in.slack, whole)) return;
        if (!join(whole, out, plan_->positions[cell + 1].after, in.slack, whole)) return;
        if (earliest_with(used, insertion.at, unit) > whole.late + in.slack) return;
        if (terms.is_timed && !charge(used, terms, whole.duration, insertion.cost)) return;
      }
    }
    keep(used, insertion, unit);
  }

  void scan_pair(int route, int pickup, int low, int high) {
    const PlanRoute& used = plan_->routes[route];
    if (problem().terms[used.type].by_walk) {
      walk_pair(used, route, pickup, low, high);
    } else if (problem().terms[used.type].in_segments) {
      scan_pickup<Segment>(used, route, pickup, low, high);
    } else {
      scan_pickup<double>(used, route, pickup, low, high);
    }
  }

  // The times of a route up to a position: as a part, or only when it can be left.
  bool get_before(const PlanRoute& used, int at, int unit, Segment& before) const {
    return before_in_trip(used, at, trip_earliest_with(used, at, unit), before);
  }
  bool get_before(const PlanRoute& used, int at, int, double& before) const {
    before = plan_->arcs[used.row + at].ready;
    return true;
  }
  static double leave_of(const Segment& part) { return part.early + part.duration; }
  static double leave_of(double ready) { return ready; }
  static bool visit_next(Segment& part, double leg, const Segment& visit, double slack) {
    return join(part, leg, visit, slack, part);
  }
  static bool visit_next(double& ready, double leg, const Segment& visit, double slack) {
    ready += leg;
    if (ready > visit.late + slack) return false;
    ready = std::max(ready, visit.early) + visit.duration;
    return true;
  }

  template <class Times>
  void scan_pickup(const PlanRoute& used, int route, int pickup, int low, int high) {
    const RichInput& in = problem().in;
    const TypeTerms& terms = problem().terms[used.type];
    const Segment visit = problem().visit[pickup];
    const auto in_time = [&](int stop, int at) { return is_in_time(used, terms, stop, at); };
    room_ = terms.max_travel - used.totals.travel;
    // Where the pickup is late, or makes others late, nothing has to be bounded.
    const Arc* arcs = plan_->arcs + used.row;
    while (low <= high && visit.early + visit.duration > arcs[low].due) ++low;
    while (low <= high && arcs[high].ready > visit.late + in.slack) --high;
    if (low > high) return;
    int best_at = high + 1;
    if (begin_pairs(used, terms.may_save)) {
      best_at = measure_pairs(used, pickup, low, high).at;
      if (best_at < 0) return;
      bound_pairs(used, pickup, low, in_time);
    }
    for (int turn = bounded_ ? low - 1 : low; turn <= high; ++turn) {
      const int at = turn < low ? best_at : turn;  // first: it rules out others
      const Arc& arc = arcs[at];
      if (turn == best_at || !may_begin(at)) continue;
      if (arc.ready > visit.late + in.slack || visit.early + visit.duration > arc.due) continue;
      if (delays_ && !in_time(pickup, at)) continue;
      if (skips() || !carries_after(used.row + at, used.type, pickup)) continue;
      Times carried;
      if (!get_before(used, at, pickup, carried)) continue;
      const double leg = terms.leg_to(problem().node_of(pickup), arc.node);
      if (!visit_next(carried, leg, visit, in.slack)) continue;
      scan_delivery(used, {0.0, route, used.type, at, at}, pickup, carried);
    }
  }

  // Whether a stop by itself can be served between two positions of a route.
  bool is_in_time(const PlanRoute& used, const TypeTerms& terms, int stop, int at) const {
    const Arc& arc = plan_->arcs[used.row + at];
    const Segment visit = problem().visit[stop];
    const int node = problem().node_of(stop);
    const double arrival = arc.ready + terms.leg_to(node, arc.node);
    if (arrival > visit.late + problem().in.slack) return false;
    const double leave = std::max(arrival, visit.early) + visit.duration;
    return leave + terms.leg(node, arc.next) <= arc.due;
  }

  // Scans on from a pickup's position for that of its delivery.
  template <class Times>
  void scan_delivery(const PlanRoute& used, InsertionPosition insertion, int pickup,
                     Times carried) {
    const RichInput& in = problem().in;
    const TypeTerms& terms = problem().terms[used.type];
    const int delivery = in.partner[pickup];
    const int first = problem().node_of(pickup), second = problem().node_of(delivery);
    const Arc* arcs = plan_->arcs + used.row;
    const Position* positions = plan_->positions + used.row;
    const double late = problem().visit[delivery].late + in.slack;
    double distance = terms.length_to(first, arcs[insertion.at].node);
    double travel = terms.leg_to(first, arcs[insertion.at].node);
    int here = first;  // the node before the delivery
    double ride = 0.0;  // up to its end, without waiting
    const double longest = problem().rides ? in.stop_max_ride[delivery] + in.slack : kNever;
    for (;; ++insertion.to) {
      const Arc& arc = arcs[insertion.to];
      const int there = arc.next;
      const double more = distance + terms.length_to(second, here) +
                          terms.length(second, there) - arc.length;
      const double longer = travel + terms.leg_to(second, here) + terms.leg(second, there) -
                            positions[insertion.to].leg;
      const Detour detour{more, longer};
      const bool fits = !terms.lifo || nests(used.row + insertion.at, used.row + insertion.to);
      if (fits && may_pay(used, terms, detour) && ride + terms.leg(here, second) <= longest) {
        insertion.cost = detour.cost(terms);
        try_delivery(used, insertion, pickup, here, carried);
      }
      const int next = insertion.to + 1;
      if (next > used.count || !may_end(insertion.at, next)) return;
      if (terms.lifo && !may_nest(used.row + insertion.at, used.row + next)) return;
      if constexpr (!std::is_same_v<Times, double>) {
        if (problem().is_depot(arcs[next].node)) return;  // the end of a trip
      }
      if (!carries_after(used.row + next, used.type, pickup)) return;
      const double leg = here == first ? terms.leg(first, there) : positions[insertion.to].leg;
      ride += leg + problem().visit[there - in.num_depots].duration;
      if (ride > longest) return;
      if (!visit_next(carried, leg, problem().visit[there - in.num_depots], in.slack)) return;
      if (leave_of(carried) > late) return;
      if (here == first) {
        distance += terms.length(first, there) - arc.length;
        travel += terms.leg(first, there) - positions[insertion.to].leg;
      }
      here = there;
    }
  }

  template <class Times>
  void try_delivery(const PlanRoute& used, InsertionPosition insertion, int pickup, int here,
                    Times carried) {
    const RichInput& in = problem().in;
    const TypeTerms& terms = problem().terms[used.type];
    const int delivery = in.partner[pickup], node = problem().node_of(delivery);
    const int cell = used.row + insertion.to;
    const Arc& arc = plan_->arcs[cell];
    if (!visit_next(carried, terms.leg_to(node, here), problem().visit[delivery], in.slack)) return;
    if constexpr (std::is_same_v<Times, double>) {
      if (carried + terms.leg(node, arc.next) > arc.due) return;
    } else {
      const Segment& after = plan_->positions[cell + 1].after;
      if (!visit_next(carried, terms.leg(node, arc.next), after, in.slack)) return;
      if (earliest_with(used, insertion.at, pickup) > carried.late + in.slack) return;
      if (terms.is_timed && !charge(used, terms, carried.duration, insertion.cost)) return;
    }
    keep(used, insertion, pickup);
  }

};

}  // namespace vrp
