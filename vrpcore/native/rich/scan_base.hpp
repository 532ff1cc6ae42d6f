// What any look for a position in a route needs: loads, limits, and the best position so far.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"
#include "../shared/random.hpp"

namespace vrp {

// Where a unit goes: before the stop at position `at`; a shipment's delivery before the stop
// that is at position `to` without the pickup. With a new reload, see `with_reload`.
struct Spot {
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
constexpr int kLongRoute = 20;  // stops, from which on bounds of pairs of positions pay

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
    const Gap* row = plan_->gaps + (old > 0 ? plan_->routes[route].row + 1 : 0);
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

  Spot best{};
  Random* random = nullptr;  // without, no position is skipped

 protected:
  const RichProblem& problem() const { return plan_->problem(); }

  void offer(const Spot& spot) {
    if (spot.at == excluded_at_ && spot.to == excluded_to_) return;
    if (spot.cost < best.cost) best = spot;
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

  // Whether a shipment fits on the leg behind a cell.
  bool carries_after(int cell, int type, int pickup) const {
    const RichInput& in = problem().in;
    const double* capacity = problem().amounts(in.capacity, type);
    const double* amount = problem().amounts(in.shipment, pickup);
    const double* load = cells(plan_->load, cell);
    for (int each = 0; each < in.dimensions; ++each) {
      if (load[each] + amount[each] > capacity[each]) return false;
    }
    return true;
  }

  bool may_pay(const PlanRoute& used, const TypeTerms& terms, double distance,
               double travel) const {
    if (used.totals.distance + distance > terms.max_distance) return false;
    if (used.totals.travel + travel > terms.max_travel) return false;
    return terms.may_save ||
           terms.per_distance * distance + terms.per_travel * travel < best.cost;
  }

  // What the legs of a shipment cost at least with its pickup at a position.
  struct PairBound {
    double pickup;  // its own legs, where the delivery is not next to it
    double later;   // those of a delivery here or later that may pay
    double least;   // of both, wherever the delivery is
  };

  // Fills the bounds of the positions of a long route from `low` on, and returns the one up to
  // `high` that is least. Leaves out deliveries that cannot be in time by themselves.
  // `saves`: a position may save more than its legs cost. `in_time(stop, at)`: whether a stop by
  // itself is in time at a position.
  template <class InTime>
  int bound_pairs(const PlanRoute& used, const TypeTerms& terms, int pickup, int low, int high,
                  bool saves, InTime in_time) {
    bounded_ = !saves && used.count >= kLongRoute;
    delays_ = false;
    if (!bounded_) return high + 1;
    const int delivery = problem().in.partner[pickup];
    const int first = problem().node_of(pickup), second = problem().node_of(delivery);
    const Detour between{terms.length(first, second), terms.leg(first, second)};
    delays_ = problem().in.setup_rows == 0;
    double cheapest = kNever;  // pickup so far
    for (int at = low; at <= used.count; ++at) {
      const int next = plan_->gaps[used.row + at].next;
      const Detour own = detour_by(used, terms, first, first, at);
      const Detour other = detour_by(used, terms, second, second, at);
      delays_ = delays_ && own.travel >= 0.0 && other.travel >= 0.0 &&
                between.travel + terms.leg(second, next) >= terms.leg(first, next);
      const double cost = other.cost(terms);
      bounds_[at] = {own.cost(terms), cheapest + cost < best.cost ? cost : kNever, 0.0};
      if (at <= high) cheapest = std::min(cheapest, bounds_[at].pickup);
    }
    double later = kNever;
    int found = low;
    for (int at = used.count; at >= low; --at) {
      PairBound& bound = bounds_[at];
      const Detour both = detour_by(used, terms, first, second, at);
      bound.least = std::min(bound.pickup + later, both.cost(terms) + between.cost(terms));
      if (bound.later < later && (!delays_ || in_time(delivery, at))) later = bound.later;
      bound.later = later;
      if (at <= high && bound.least <= bounds_[found].least) found = at;
    }
    return found;
  }

  // Whether a pickup at a position may pay, if its delivery is there or later.
  bool may_begin(int at) const { return !bounded_ || bounds_[at].least < best.cost; }
  bool may_end(int at, int to) const {
    return !bounded_ || bounds_[at].pickup + bounds_[to].later < best.cost;
  }

  // How much longer a route becomes.
  struct Detour {
    double distance, travel;
    double cost(const TypeTerms& terms) const {
      return terms.per_distance * distance + terms.per_travel * travel;
    }
  };

  // To a node and on from another one, in place of a leg.
  Detour detour_by(const PlanRoute& used, const TypeTerms& terms, int first, int last,
                   int at) const {
    const Gap& gap = plan_->gaps[used.row + at];
    return {terms.length_to(first, gap.node) + terms.length(last, gap.next) - gap.length,
            terms.leg_to(first, gap.node) + terms.leg(last, gap.next) -
                plan_->positions[used.row + at].leg};
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
  std::int32_t* stops_ = nullptr;  // [P + 1]
  PairBound* bounds_ = nullptr;    // [P + 1] of the route that is looked at
  bool bounded_ = false;           // they are known
  // Who serves a pickup first is not sooner at later stops: no detour is shorter than the way.
  bool delays_ = false;
  double extra_ = 0.0;  // what the unit costs more with the type that is looked at
  std::int32_t excluded_at_ = -1, excluded_to_ = -1;
};

}  // namespace vrp
