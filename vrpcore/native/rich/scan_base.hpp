// What any look for a position in a route needs: loads, limits, and the best position so far.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"
#include "../shared/random.hpp"

namespace vrp {

// Where a unit goes: before the stop at position `at`; a shipment's delivery before the stop
// that is at position `to` without the pickup. With a new reload, see `with_reload`.
struct InsertionPosition {
  double cost;
  std::int32_t route, type, at, to;
};

// In place of `to`: a reload at a depot comes before the unit, or behind it. Both ends of a
// shipment then stand together.
constexpr std::int32_t with_reload(int depot, bool behind) { return -2 - 2 * depot - behind; }

// A position is skipped once in a hundred times: Christiaens and Vanden Berghe 2020. Where there
// are few stops, an order gives few plans, and more is left to chance.
constexpr std::uint64_t kSkipPosition = (std::uint64_t{1} << 32) / 100;
constexpr std::uint64_t kSkipOften = (std::uint64_t{1} << 32) / 8;
constexpr int kFewStops = 20;
// Stops, from which on bounds of pairs of positions pay; the same where a position is judged by
// walking.
constexpr int kLongRoute = 20, kLongWalk = 5;

class ScanBase {
 public:
  explicit ScanBase(FleetPlan* plan) : plan_(plan) {}

  // Whether chance passes over a position.
  bool skips() {
    const bool few = problem().in.num_stops <= kFewStops;
    return random && random->chance(few ? kSkipOften : kSkipPosition);
  }

  // The stops of a route with a unit in it, and their number.
  int fill(int route, int unit, int at, int to) {
    const int delivery = problem().in.partner[unit];
    const int old = plan_->routes[route].count;
    const Arc* row = plan_->arcs + (old > 0 ? plan_->routes[route].row + 1 : 0);
    const int more = to < 0 ? -2 - to : 0;  // see `with_reload`
    const int reload = kWorkingDay && to < 0 ? problem().in.num_stops + more / 2 : -1;
    if (to < 0) to = at;
    int count = 0;
    for (int index = 0; index <= old; ++index) {
      if (index == at && reload >= 0 && more % 2 == 0) stops_[count++] = reload;
      if (index == at) stops_[count++] = unit;
      if (index == to && delivery >= 0) stops_[count++] = delivery;
      if (index == at && reload >= 0 && more % 2 == 1) stops_[count++] = reload;
      if (index < old) stops_[count++] = problem().visit_of(row[index].node);
    }
    return count;
  }

  // The stops of a new route of a unit, and their number.
  int fill_alone(int unit) {
    const int delivery = problem().in.partner[unit];
    stops_[0] = unit;
    if (delivery >= 0) stops_[1] = delivery;
    return delivery >= 0 ? 2 : 1;
  }

  const std::int32_t* filled() const { return stops_; }

  // What a new route of the stops that were filled in adds to the price of uneven work.
  double unevenness_alone(int type, int count) const {
    RouteTotals totals;
    if (!plan_->judge().judge(type, stops_, count, totals)) return kNever;
    return unevenness(type, totals, count);
  }

  InsertionPosition best{};
  Random* random = nullptr;  // without, no position is skipped
  RouteWork most;            // of all routes, where uneven work has a price

 protected:
  const RichProblem& problem() const { return plan_->problem(); }

  void offer(const InsertionPosition& insertion) {
    if (insertion.at == excluded_at_ && insertion.to == excluded_to_) return;
    if (insertion.cost < best.cost) best = insertion;
  }

  // Keeps a position that is in time. Relations, and limits on rides and waits, look at the whole
  // route with it.
  void keep(const PlanRoute& used, InsertionPosition insertion, int unit) {
    const bool timed = problem().rides && problem().terms[used.type].is_timed;
    insertion.cost += extra_;
    // No limit makes a route cheaper, only evener work may.
    if (insertion.cost >= best.cost && !problem().balanced) return;
    if (timed || is_related(used, unit)) return try_whole(used, insertion, unit);
    if (problem().rides) {
      const int count = fill(insertion.route, unit, insertion.at, insertion.to);
      if (!plan_->judge().keeps_rides(used.type, stops_, count)) return;
    }
    offer(insertion);
  }

  // Whether relations have a say in a route with a unit.
  bool is_related(const PlanRoute& used, int unit) const {
    if (problem().in.num_relations == 0) return false;
    const int partner = problem().in.partner[unit];
    return used.related || problem().has_relation(unit) ||
           (partner >= 0 && problem().has_relation(partner));
  }

  // Keeps a position if the whole route with it keeps all limits and is the cheapest so far.
  void try_whole(const PlanRoute& used, InsertionPosition insertion, int unit) {
    RouteTotals totals;
    const int count = fill(insertion.route, unit, insertion.at, insertion.to);
    const double dearest = best.cost + used.totals.cost;
    if (!plan_->judge().judge(used.type, stops_, count, totals, dearest)) return;
    insertion.cost = totals.cost - used.totals.cost;
    if (problem().balanced) insertion.cost += unevenness(used.type, totals, count);
    offer(insertion);
  }

  const double* cells(const double* array, int cell) const {
    return array + static_cast<std::int64_t>(cell) * problem().in.dimensions;
  }

  // Whether what a customer receives and gives fits behind a cell.
  bool fits_after(int cell, int type, int unit) const {
    const RichInput& in = problem().in;
    const double* capacity = problem().amounts(in.capacity, type);
    const double* delivery = problem().amounts(in.delivery, unit);
    const double* pickup = problem().amounts(in.pickup, unit);
    const double* before = cells(plan_->peak_before, cell);
    const double* after = cells(plan_->peak_after, cell);
    for (int each = 0; each < in.dimensions; ++each) {
      if (before[each] + delivery[each] > capacity[each]) return false;
      if (after[each] + pickup[each] > capacity[each]) return false;
    }
    return true;
  }

  // Of routes that are unloaded from behind: whether a customer behind a cell takes nothing from
  // under shipments, and puts nothing on them; whether a shipment nests that is picked up and
  // delivered behind two cells; whether it may with a later delivery.
  bool is_free(int cell, int unit) const {
    return plan_->open[cell] < 0 || !has_own_goods(problem(), unit);
  }
  bool nests(int cell, int to) const { return plan_->open[cell] == plan_->open[to]; }
  bool may_nest(int cell, int to) const { return plan_->open[cell] <= plan_->open[to]; }

  // Whether a shipment fits on the leg behind a cell.
  [[gnu::always_inline]] bool carries_after(int cell, int type, int pickup) const {
    const RichInput& in = problem().in;
    const double* capacity = problem().amounts(in.capacity, type);
    const double* amount = problem().amounts(in.shipment, pickup);
    const double* load = cells(plan_->load, cell);
    for (int each = 0; each < in.dimensions; ++each) {
      if (load[each] + amount[each] > capacity[each]) return false;
    }
    return true;
  }

  // How much longer a route becomes.
  struct Detour {
    double distance, travel;
    Detour operator+(const Detour& other) const {
      return {distance + other.distance, travel + other.travel};
    }
    Detour operator-(const Detour& other) const {
      return {distance - other.distance, travel - other.travel};
    }
    double cost(const TypeTerms& terms) const {
      return terms.per_distance * distance + terms.per_travel * travel;
    }
  };

  bool is_short(const PlanRoute& used, const TypeTerms& terms, const Detour& detour) const {
    return used.totals.distance + detour.distance <= terms.max_distance &&
           used.totals.travel + detour.travel <= terms.max_travel;
  }
  bool may_pay(const PlanRoute& used, const TypeTerms& terms, const Detour& detour) const {
    return is_short(used, terms, detour) && (terms.may_save || detour.cost(terms) < best.cost);
  }

  // From a position to a node; from a node to the next position; between the two positions.
  Detour into(const PlanRoute& used, const TypeTerms& terms, int node, int at) const {
    const int from = plan_->arcs[used.row + at].node;
    return {terms.length_to(node, from), terms.leg_to(node, from)};
  }
  Detour onward(const PlanRoute& used, const TypeTerms& terms, int node, int at) const {
    const int to = plan_->arcs[used.row + at].next;
    return {terms.length(node, to), terms.leg(node, to)};
  }
  Detour straight(const PlanRoute& used, int at) const {
    return {plan_->arcs[used.row + at].length, plan_->positions[used.row + at].leg};
  }
  // By a way from one node to another, without its own length; by a single node.
  Detour detour_by(const PlanRoute& used, const TypeTerms& terms, int first, int last,
                   int at) const {
    return into(used, terms, first, at) + onward(used, terms, last, at) - straight(used, at);
  }
  Detour detour_by(const PlanRoute& used, const TypeTerms& terms, int node, int at) const {
    return detour_by(used, terms, node, node, at);
  }
  // By both ends of a shipment.
  Detour detour_of(const PlanRoute& used, const TypeTerms& terms, int pickup, int at,
                   int to) const {
    const int first = problem().node_of(pickup);
    const int second = problem().node_of(problem().in.partner[pickup]);
    if (at < to) return detour_by(used, terms, first, at) + detour_by(used, terms, second, to);
    const Detour between{terms.length(first, second), terms.leg(first, second)};
    return into(used, terms, first, at) + between + onward(used, terms, second, at) -
           straight(used, at);
  }

  // Bounds of a detour: what it costs, and how much longer it takes on the road, each at least.
  struct Bound {
    double cost = kNever, travel = kNever;
    Bound operator+(const Bound& other) const {
      return {cost + other.cost, travel + other.travel};
    }
    void lower(const Bound& other) {
      cost = std::min(cost, other.cost);
      travel = std::min(travel, other.travel);
    }
  };

  // Of a shipment at a position.
  struct PairBound {
    Bound pickup, delivery;  // of one end, where the other is elsewhere; infinite: it is of no use
    Bound later;             // of a delivery here or later
    Bound least;  // of both ends with the pickup here; infinite: it cannot be on board here
  };

  bool is_of_use(const Bound& bound) const {
    return bound.cost < best.cost && bound.travel <= room_;
  }

  // Whether bounds are of use in a route. `saves`: a position may save more than its legs cost.
  bool begin_pairs(const PlanRoute& used, bool saves) {
    const bool by_walk = problem().terms[used.type].by_walk;
    bounded_ = !saves && used.count >= (by_walk ? kLongWalk : kLongRoute);
    delays_ = false;
    return bounded_;
  }

  // Fills what the ends of a shipment take at the positions from `low` on. Returns the pair of
  // positions that costs least, with its pickup up to `high`; at -1: none is of use.
  InsertionPosition measure_pairs(const PlanRoute& used, int pickup, int low, int high) {
    delays_ = problem().in.setup_rows == 0;
    Bound before;  // of a pickup at a position up to here
    int cheapest = low;
    InsertionPosition found{best.cost, -1, used.type, -1, -1};
    for (int at = low; at <= used.count; ++at) {
      PairBound& bound = bounds_[at] = PairBound();
      if (!carries_after(used.row + at, used.type, pickup)) {
        before = Bound();
        continue;
      }
      const Bound delivery = measure_pair(used, pickup, at, bound);
      const Bound pair = before + delivery;
      if (is_of_use(pair)) {
        bound.delivery = delivery;
        if (pair.cost < found.cost) found = {pair.cost, -1, used.type, cheapest, at};
      }
      if (at > high) continue;
      if (bound.least.cost < found.cost && is_of_use(bound.least)) {
        found = {bound.least.cost, -1, used.type, at, at};
      }
      if (bound.pickup.cost < before.cost) cheapest = at;
      before.lower(bound.pickup);
    }
    return found;
  }

  // After `measure_pairs`: fills the bounds of what may come after each position. Where a stop more
  // delays others, leaves out deliveries that are late by themselves: `in_time(stop, at)` tells.
  template <class InTime>
  void bound_pairs(const PlanRoute& used, int pickup, int low, InTime in_time) {
    const int delivery = problem().in.partner[pickup];
    Bound later;
    for (int at = used.count; at >= low; --at) {
      PairBound& bound = bounds_[at];
      if (bound.least.cost == kNever) later = Bound();
      bound.least.lower(bound.pickup + later);
      const Bound& own = bound.delivery;
      const bool lowers = own.cost < later.cost || own.travel < later.travel;
      if (lowers && (!delays_ || in_time(delivery, at))) later.lower(own);
      bound.later = later;
    }
  }

  // Whether a pickup at a position may pay, if its delivery is there or later.
  bool may_begin(int at) const { return !bounded_ || is_of_use(bounds_[at].least); }
  bool may_end(int at, int to) const {
    return !bounded_ || is_of_use(bounds_[at].pickup + bounds_[to].later);
  }
  // The same of one position for the delivery.
  bool may_pair(int at, int to) const {
    return !bounded_ || at == to || is_of_use(bounds_[at].pickup + bounds_[to].delivery);
  }

  // Adds the cost of a duration; false if the route takes too long.
  static bool charge(const PlanRoute& used, const TypeTerms& terms, double duration,
                     double& cost) {
    if (duration > terms.max_duration) return false;
    if (terms.per_duration != 0.0) {
      cost += terms.per_duration * (duration - used.totals.duration);
    }
    return true;
  }

  FleetPlan* plan_;
  double room_ = kNever;           // how much longer a route may be on the road
  std::int32_t* stops_ = nullptr;  // [P + 1]
  PairBound* bounds_ = nullptr;    // [P + 1] of the route that is looked at
  bool bounded_ = false;           // they are known
  // Who serves a pickup first is not sooner at later stops: no detour is shorter than the way.
  bool delays_ = false;
  double extra_ = 0.0;  // what the unit costs more with the type that is looked at
  std::int32_t excluded_at_ = -1, excluded_to_ = -1;

 private:
  // What a changed route adds to the price of uneven work.
  double unevenness(int type, const RouteTotals& totals, int count) const {
    RouteWork work = most;
    const auto visit_at = [this](int at) { return stops_[at]; };
    work.raise(work_of(problem(), plan_->judge(), type, totals, count, visit_at));
    return work.cost(problem()) - most.cost(problem());
  }

  // Fills what a pickup takes at a position, and both ends together. Returns what a delivery does.
  [[gnu::always_inline]] Bound measure_pair(const PlanRoute& used, int pickup, int at,
                                            PairBound& bound) {
    const TypeTerms& terms = problem().terms[used.type];
    const int first = problem().node_of(pickup);
    const int second = problem().node_of(problem().in.partner[pickup]);
    const Detour between{terms.length(first, second), terms.leg(first, second)};
    const Detour old = straight(used, at);
    const Detour there = into(used, terms, first, at), on = onward(used, terms, second, at);
    const Detour skipped = onward(used, terms, first, at);
    const Detour own = there + skipped - old;
    const Detour other = into(used, terms, second, at) + on - old;
    const Detour both = there + between + on - old;
    delays_ = delays_ && own.travel >= 0.0 && other.travel >= 0.0 &&
              between.travel + on.travel >= skipped.travel;
    bound.pickup = {own.cost(terms), own.travel};
    bound.least = {both.cost(terms), both.travel};
    return {other.cost(terms), other.travel};
  }
};

}  // namespace vrp
