// Ruin of a plan with constraints: strings of stops from routes that are near each other.
//
// Source: Christiaens and Vanden Berghe 2020, "Slack Induction by String Removals for Vehicle
// Routing Problems", Transportation Science 54(2).
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"
#include "../shared/random.hpp"
#include "../shared/strings.hpp"

namespace vrp {

class RichRuin {
 public:
  static RichRuin lay_out(Arena& arena, FleetPlan* plan) {
    const auto visits = static_cast<std::size_t>(plan->problem().max_visits());
    const auto rows = static_cast<std::size_t>(plan->problem().num_visits());
    RichRuin ruin(plan);
    ruin.stops_ = arena.take<std::int32_t>(visits);
    ruin.gone_ = arena.take<std::uint8_t>(rows);
    return ruin;
  }

  explicit RichRuin(FleetPlan* plan) : plan_(plan) {}

  void begin() { std::fill(gone_, gone_ + plan_->problem().num_visits(), std::uint8_t{0}); }

  // Removes stops; they are left out afterwards. Returns the stop that it began with.
  int remove(Random& random) {
    const RichProblem& problem = plan_->problem();
    const int num_stops = problem.in.num_stops;
    const double mean = static_cast<double>(problem.most_stops()) / std::max(1, plan_->num_in_use);
    Strings strings = Strings::draw(random, std::max(1.0, mean));
    const int seed = random.below(num_stops);
    for (int rank = -1; rank < problem.num_near && strings.count > 0; ++rank) {
      const int stop =
          rank < 0 ? seed : problem.near[static_cast<std::int64_t>(seed) * problem.num_near + rank];
      const int route = plan_->route_of[stop];
      if (route < 0 || plan_->is_touched(route)) continue;
      remove_string(random, route, plan_->position_of[stop], strings);
      --strings.count;
    }
    return seed;
  }

  // Removes all stops that are marked as gone, and whatever cannot stay without them.
  void take_off(int route) {
    plan_->touch(route);
    const int count = plan_->read(route, stops_);
    int kept = 0;
    for (int at = 0; at < count; ++at) {
      const int stop = stops_[at];
      if (!gone_[stop]) {
        stops_[kept++] = stop;
      } else if (!plan_->problem().is_delivery_end(stop)) {
        plan_->leave_out(stop);
      }
      gone_[stop] = 0;
    }
    if (plan_->routes[route].reloads > 0) kept = tidy_trips(plan_->problem(), stops_, kept);
    // Where a detour is shorter than the direct leg, the rest may break a limit.
    if (kept > 0 && plan_->assign(route, plan_->routes[route].type, stops_, kept)) return;
    for (int at = 0; at < kept; ++at) {
      const int stop = stops_[at];
      if (plan_->problem().is_reload(stop) || plan_->problem().is_delivery_end(stop)) continue;
      plan_->leave_out(stop);
    }
    plan_->empty(route);
  }

  // Marks a stop, and the other end of its shipment.
  void mark(int stop) {
    if (plan_->problem().is_reload(stop)) return;
    gone_[stop] = 1;
    const int partner = plan_->problem().in.partner[stop];
    if (partner >= 0) gone_[partner] = 1;
  }

 private:
  // Removes a string from a route, around a position.
  void remove_string(Random& random, int route, int position, const Strings& strings) {
    const int length = plan_->read(route, stops_);
    const auto [size, kept] = strings.draw_string(random, length);
    const int total = size + kept;
    const int low = std::max(0, position - total + 1);
    const int high = std::min(position, length - total);
    const int first = low + random.below(high - low + 1);
    const int keep_from = kept > 0 ? first + 1 + random.below(size - 1) : first + total;
    for (int at = first; at < first + total; ++at) {
      if (at < keep_from || at >= keep_from + kept) mark(stops_[at]);
    }
    take_off(route);
  }

  FleetPlan* plan_;
  std::int32_t* stops_ = nullptr;  // [P]
  std::uint8_t* gone_ = nullptr;   // [V] 1: to be taken off its route
};

}  // namespace vrp
