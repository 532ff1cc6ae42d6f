// Reloads of changed routes: taken away, or moved to another depot, where that is cheaper.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"

namespace vrp {

class ReloadMoves {
 public:
  static ReloadMoves lay_out(Arena& arena, FleetPlan* plan) {
    ReloadMoves made(plan);
    made.stops_ = arena.take<std::int32_t>(static_cast<std::size_t>(plan->problem().max_visits()));
    return made;
  }

  explicit ReloadMoves(FleetPlan* plan) : plan_(plan) {}

  // Looks at all routes that the iteration has changed.
  void improve() {
    for (int index = 0; index < plan_->num_touched; ++index) {
      const int route = plan_->touched[index];
      if (plan_->routes[route].count > 0 && plan_->routes[route].reloads > 0) improve_route(route);
    }
  }

 private:
  void improve_route(int route) {
    const int type = plan_->routes[route].type, before = plan_->read(route, stops_);
    int count = before;
    double least = plan_->routes[route].totals.cost;
    bool changed = false;
    for (int at = 0; at < count; ++at) {
      const int own = stops_[at];
      if (!plan_->problem().is_reload(own)) continue;
      std::copy(stops_ + at + 1, stops_ + count, stops_ + at);
      if (is_cheaper(type, count - 1, true, least)) {
        --count;
        --at;
        continue;
      }
      std::copy_backward(stops_ + at, stops_ + count - 1, stops_ + count);
      stops_[at] = own;
      changed = change_depot(type, count, at, least) || changed;
    }
    if (changed || count < before) plan_->assign(route, type, stops_, count);
  }

  // Gives a reload of `stops_` the cheapest depot; false if it has it.
  bool change_depot(int type, int count, int at, double& least) {
    const RichInput& in = plan_->problem().in;
    const int before = stops_[at];
    int best = before;
    for (int reload = in.num_stops; reload < plan_->problem().num_visits(); ++reload) {
      if (reload == before || !plan_->problem().is_allowed(type, reload)) continue;
      stops_[at] = reload;
      if (is_cheaper(type, count, false, least)) best = reload;
    }
    stops_[at] = best;
    return best != before;
  }

  // Whether the first of `stops_` are a route that costs less than the least so far, or as much.
  bool is_cheaper(int type, int count, bool or_equal, double& least) const {
    RouteTotals totals;
    if (!plan_->judge().judge(type, stops_, count, totals, least)) return false;
    if (or_equal ? totals.cost > least : totals.cost >= least) return false;
    least = totals.cost;
    return true;
  }

  FleetPlan* plan_;
  std::int32_t* stops_ = nullptr;  // [P]
};

}  // namespace vrp
