// A unit that fits nowhere takes the place of one or two others that have been missing less often.
//
// Source: Nagata and Bräysy 2009, "A powerful route minimization heuristic for the vehicle routing
// problem with time windows", Operations Research Letters 37(5). What goes and comes is theirs;
// ruin and recreate stands in for their random moves between two ejections.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rich_ruin.hpp"
#include "route_scan.hpp"

namespace vrp {

// Steps of one call at most: long routes have many pairs, and breaks take long.
constexpr std::int64_t kMostLookedAt = 100'000;

class Ejections {
 public:
  static Ejections lay_out(Arena& arena, FleetPlan* plan, RichRuin* ruin) {
    const auto visits = static_cast<std::size_t>(plan->problem().max_visits());
    Ejections made(plan, ruin, RouteScan::lay_out(arena, plan));
    made.stops_ = arena.take<std::int32_t>(visits);
    made.rest_ = arena.take<std::int32_t>(visits);
    made.seen_ = arena.take<std::int64_t>(static_cast<std::size_t>(plan->problem().max_routes));
    return made;
  }

  Ejections(FleetPlan* plan, RichRuin* ruin, const RouteScan& scan)
      : plan_(plan), ruin_(ruin), scan_(scan) {}

  // Before each search, so that nothing depends on those before.
  void begin() {
    std::fill(seen_, seen_ + plan_->problem().max_routes, std::int64_t{0});
    now_ = 0;
  }

  // Puts a missing unit into a route of one of its nearest stops, and leaves out that one of its
  // units whose count is least, or two whose counts together are less than that and the missing
  // unit's. Returns whether there were such. There is a count for each unit.
  bool insert(int unit, const std::int64_t* counts) {
    const RichProblem& problem = plan_->problem();
    best_ = Choice();
    looked_at = 0;
    ++now_;
    plan_->begin_iteration();
    if (problem.balanced) scan_.most = plan_->most_work();
    const int bound = plan_->bound_route(unit);
    const std::int32_t* near = problem.near + static_cast<std::int64_t>(unit) * problem.num_near;
    for (int rank = 0; bound != -2 && rank < problem.num_near; ++rank) {
      const int route = plan_->route_of[near[rank]];
      if (route < 0 || seen_[route] == now_ || (bound >= 0 && route != bound)) continue;
      seen_[route] = now_;
      look_at(route, unit, counts);
    }
    plan_->restore();
    if (best_.insertion.route < 0) return false;
    carry_out(unit);
    return true;
  }

  std::int64_t looked_at = 0;  // steps of the last call, see `RichProblem::steps_of`

 private:
  struct Choice {
    std::int64_t count = INT64_MAX;
    double cost = kNever;  // added
    InsertionPosition insertion{kNever, -1, -1, 0, 0};
    std::int32_t first = -1, second = -1;  // who is left out; -1: only one
  };

  void look_at(int route, int unit, const std::int64_t* counts) {
    const PlanRoute old = plan_->routes[route];
    const int size = plan_->read(route, stops_);
    for (int at = 0; at < size; ++at) {
      const int first = stops_[at];
      if (!may_go(first) || count_of(first, counts) > best_.count) continue;
      try_without(route, old, unit, first, -1, count_of(first, counts));
    }
    for (int at = 0; at < size; ++at) {
      const int first = stops_[at];
      for (int to = at + 1; may_go(first) && to < size; ++to) {
        const int second = stops_[to];
        if (!may_go(second)) continue;
        const std::int64_t count = count_of(first, counts) + count_of(second, counts);
        if (count >= std::min(best_.count, count_of(unit, counts))) continue;
        try_without(route, old, unit, first, second, count);
      }
    }
  }

  bool may_go(int stop) const {
    return looked_at < kMostLookedAt && !plan_->problem().is_reload(stop) &&
           !plan_->problem().is_delivery_end(stop);
  }

  std::int64_t count_of(int stop, const std::int64_t* counts) const {
    return counts[plan_->problem().unit_of(stop)];
  }

  // Looks for the cheapest position in the route without these. The plan then has it without them,
  // until it is restored.
  void try_without(int route, const PlanRoute& old, int unit, int first, int second,
                   std::int64_t count) {
    const std::int32_t* partner = plan_->problem().in.partner;
    int kept = 0;
    for (int at = 0; at < old.count; ++at) {
      const int stop = stops_[at];
      if (stop == first || stop == partner[first]) continue;
      if (second >= 0 && (stop == second || stop == partner[second])) continue;
      rest_[kept++] = stop;
    }
    if (old.reloads > 0) kept = tidy_trips(plan_->problem(), rest_, kept);
    looked_at += RichProblem::steps_of(plan_->problem().terms[old.type], kept);
    if (kept == 0) return;
    plan_->touch(route);
    if (!plan_->assign(route, old.type, rest_, kept) || !scan_.may_join(route, unit)) return;
    const double saved = old.totals.cost - plan_->routes[route].totals.cost;
    scan_.best = {count < best_.count ? kNever : best_.cost + saved, -1, -1, 0, 0};
    scan_.scan(route, unit, 0, kept);
    if (scan_.best.route < 0) return;
    best_ = {count, scan_.best.cost - saved, scan_.best, first, second};
  }

  void carry_out(int unit) {
    const InsertionPosition& insertion = best_.insertion;
    plan_->begin_iteration();
    ruin_->mark(best_.first);
    if (best_.second >= 0) ruin_->mark(best_.second);
    ruin_->take_off(insertion.route);
    const int count = scan_.fill(insertion.route, unit, insertion.at, insertion.to);
    plan_->put(insertion.route, insertion.type, scan_.filled(), count);
    plan_->take_in(unit);
  }

  FleetPlan* plan_;
  RichRuin* ruin_;
  RouteScan scan_;
  Choice best_;
  std::int32_t *stops_ = nullptr, *rest_ = nullptr;  // [P] of a route; without who is left out
  std::int64_t* seen_ = nullptr;                     // [R] when a route was looked at last
  std::int64_t now_ = 0;
};

}  // namespace vrp
