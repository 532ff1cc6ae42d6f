// Given routes put into a plan: what keeps all limits stays, the rest is left out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"

namespace vrp {

// Mean cost of a leg, without what vehicles cost themselves.
inline double leg_cost(const FleetPlan& plan) {
  double total = 0.0;
  int legs = 0;
  for (int index = 0; index < plan.num_in_use; ++index) {
    const PlanRoute& used = plan.routes[plan.in_use[index]];
    total += used.totals.cost - plan.problem().in.fixed_cost[used.type];
    legs += used.count + 1;
  }
  return total > 0.0 ? total / legs : 1e-9;
}

class RichStart {
 public:
  static RichStart lay_out(Arena& arena, FleetPlan* plan) {
    const auto stops = static_cast<std::size_t>(plan->problem().num_visits());
    const auto visits = static_cast<std::size_t>(plan->problem().max_visits());
    RichStart start(plan);
    start.given_ = arena.take<std::int32_t>(visits);
    start.kept_ = arena.take<std::int32_t>(visits);
    start.position_ = arena.take<std::int32_t>(stops);
    start.chosen_ = arena.take<std::uint8_t>(stops);
    return start;
  }

  explicit RichStart(FleetPlan* plan) : plan_(plan) {}

  // Fills an empty plan with routes: type (-1: any), number of stops and the stops of each. They
  // may name stops twice, or only one end of a shipment. Whole routes come first, so that no
  // broken one takes a vehicle or a stop from them.
  // Returns how many of the stops that are named stay with the vehicle and in the order given.
  std::int64_t fill(const std::int32_t* numbers, std::int64_t size) {
    const int rows = plan_->problem().num_visits();
    std::fill(position_, position_ + rows, -1);
    std::fill(chosen_, chosen_ + rows, std::uint8_t{0});
    std::int64_t stay = 0;
    for (const Step step : {Step::kAsGiven, Step::kOnlyType, Step::kCheapest, Step::kPart}) {
      for (std::int64_t at = 0; at < size; at += 2 + numbers[at + 1]) {
        stay += put_in(step, numbers[at], numbers + at + 2, numbers[at + 1]);
      }
    }
    return stay;
  }

  // Gives the stops, which keep all limits in this order, a vehicle of a type.
  void add(int type, const std::int32_t* stops, int count) {
    plan_->put(plan_->free_route(), type, stops, count);
    for (int at = 0; at < count; ++at) {
      const int stop = stops[at];
      if (plan_->problem().is_reload(stop) || plan_->problem().is_delivery_end(stop)) continue;
      plan_->take_in(stop);
    }
  }

 private:
  // How a route is put in: with the vehicle that is given; whole, where only one type can serve
  // it; whole, with the cheapest type; in part.
  enum class Step { kAsGiven, kOnlyType, kCheapest, kPart };

  // Puts a route in, if this is the step for it. Returns how many stops stay as they were given.
  int put_in(Step step, int type, const std::int32_t* stops, int count) {
    int size = clean(stops, count);
    if (size == 0 || plan_->free_route() < 0) return 0;
    const int chosen = choose(step, type, size, size == count);
    if (chosen < 0) return 0;
    if (step == Step::kPart) size = thin(chosen, size);
    const std::int32_t* own = step == Step::kPart ? kept_ : given_;
    if (size > 0) add(chosen, own, size);
    return type < 0 || type == chosen ? size - count_reloads(plan_->problem(), own, size) : 0;
  }

  // The vehicle type that the cleaned stops get in a step; -1 if none. `whole`: no stop of the
  // route is missing among them.
  int choose(Step step, int type, int size, bool whole) const {
    if (step == Step::kPart) {
      return type >= 0 && plan_->left[type] > 0 ? type : most_able(size);
    }
    if (can_serve(type, size)) return whole || step != Step::kAsGiven ? type : -1;
    return step == Step::kAsGiven ? -1 : cheapest(size, step == Step::kOnlyType);
  }

  // Copies the stops that no route has yet, once each; of a shipment both ends in order, or none;
  // of alternatives the first. Reloads stay where there are trips and stops on both sides.
  int clean(const std::int32_t* stops, int count) {
    const RichProblem& problem = plan_->problem();
    const RichInput& in = problem.in;
    int found = 0, size = 0;
    for (int at = 0; at < count; ++at) {
      const int stop = stops[at];
      if (stop >= in.num_stops) {  // a reload
        const bool follows = found > 0 && kept_[found - 1] < in.num_stops;
        if (in.trips && follows) kept_[found++] = stop;
        continue;
      }
      if (!may_enter(stop)) continue;
      position_[unit_or_end(stop)] = found;
      kept_[found++] = stop;
    }
    for (int at = 0; at < found; ++at) {
      const int stop = kept_[at], partner = in.partner[stop];
      // Of alternatives, only one pickup is there.
      const int other = partner < 0 ? -1 : position_[unit_or_end(partner)];
      const bool alone = partner >= 0 && (other < 0 || kept_[other] != partner);
      const bool turned = partner >= 0 && (other > at) != (partner > stop);
      if (!alone && !turned) given_[size++] = stop;
    }
    for (int at = 0; at < found; ++at) {
      if (!problem.is_reload(kept_[at])) position_[unit_or_end(kept_[at])] = -1;
    }
    return in.trips ? tidy_trips(problem, given_, size) : size;
  }

  // A delivery, or who stands for a stop.
  int unit_or_end(int stop) const {
    return plan_->problem().is_delivery_end(stop) ? stop : plan_->problem().unit_of(stop);
  }

  // Whether a stop, or an alternative to it, is in no route yet, and no relation binds it to one.
  bool may_enter(int stop) const {
    const RichProblem& problem = plan_->problem();
    if (plan_->route_of[stop] >= 0 || position_[unit_or_end(stop)] >= 0) return false;
    if (!problem.is_delivery_end(stop) && !plan_->is_out(stop)) return false;
    return plan_->bound_route(stop) == -1;
  }

  // Whether a vehicle of a type is left and may serve all of the cleaned stops.
  bool can_serve(int type, int size) const {
    RouteTotals totals;
    return type >= 0 && plan_->left[type] > 0 && plan_->judge().judge(type, given_, size, totals);
  }

  // The cheapest type that can serve all of them, -1 without one; if asked for, only where no
  // other type can.
  int cheapest(int size, bool alone) const {
    int best = -1, able = 0;
    double least = kNever;
    for (int type = 0; type < plan_->problem().in.num_types; ++type) {
      RouteTotals totals;
      if (plan_->left[type] == 0) continue;
      if (!plan_->judge().judge(type, given_, size, totals)) continue;
      ++able;
      if (best >= 0 && totals.cost >= least) continue;
      best = type;
      least = totals.cost;
    }
    return alone && able > 1 ? -1 : best;
  }

  // The type that can serve most of them, each by itself; -1 where no vehicle is left.
  int most_able(int size) const {
    const RichProblem& problem = plan_->problem();
    int best = -1, most = -1;
    for (int type = 0; type < problem.in.num_types; ++type) {
      if (plan_->left[type] == 0) continue;
      int able = 0;
      for (int at = 0; at < size; ++at) {
        if (problem.is_reload(given_[at]) || problem.is_delivery_end(given_[at])) continue;
        const std::int32_t stops[2] = {given_[at], problem.in.partner[given_[at]]};
        RouteTotals totals;
        able += plan_->judge().judge(type, stops, stops[1] >= 0 ? 2 : 1, totals) ? 1 : 0;
      }
      if (able <= most) continue;
      best = type;
      most = able;
    }
    return best;
  }

  // Keeps what a type can serve in the order given: all but one unit, where that is enough; else
  // one unit after the other, as long as they fit. Returns how many stops.
  int thin(int type, int size) {
    choose_all(size, 1);
    const int one = most_harmful(type, size);
    if (one >= 0) {
      mark(one, 0);
    } else {
      choose_all(size, 0);
      add_fitting(type, size);
      // A pickup may wait for the first delivery.
      if (!plan_->problem().in.pickup_only) add_fitting(type, size);
    }
    const int rest = gather(size);
    choose_all(size, 0);
    return rest;
  }

  // The unit without which the others keep all limits, and make the best plan; -1 if there is
  // none. All are chosen, before and after.
  int most_harmful(int type, int size) {
    const RichProblem& problem = plan_->problem();
    int found = -1;
    PlanValue best{0, 0, kNever};
    for (int at = 0; at < size; ++at) {
      const int unit = given_[at];
      if (problem.is_reload(unit) || problem.is_delivery_end(unit)) continue;
      mark(unit, 0);
      const int rest = gather(size);
      mark(unit, 1);
      RouteTotals totals;
      if (rest == 0 || !plan_->judge().judge(type, kept_, rest, totals)) continue;
      const double prize = problem.is_required(unit) ? 0.0 : problem.in.stop_prize[unit];
      const PlanValue value{problem.in.weight[unit], 0, totals.cost + prize};
      if (found >= 0 && !(value < best)) continue;
      found = unit;
      best = value;
    }
    return found;
  }

  void add_fitting(int type, int size) {
    for (int at = 0; at < size; ++at) {
      if (plan_->problem().is_delivery_end(given_[at]) || chosen_[given_[at]]) continue;
      if (plan_->problem().is_reload(given_[at])) continue;
      mark(given_[at], 1);
      RouteTotals totals;
      if (!plan_->judge().judge(type, kept_, gather(size), totals)) mark(given_[at], 0);
    }
  }

  void choose_all(int size, std::uint8_t value) {
    for (int at = 0; at < size; ++at) chosen_[given_[at]] = value;
  }

  // A customer, or both ends of a shipment.
  void mark(int unit, std::uint8_t value) {
    chosen_[unit] = value;
    const int partner = plan_->problem().in.partner[unit];
    if (partner >= 0) chosen_[partner] = value;
  }

  // Copies those that are chosen; returns their number.
  int gather(int size) {
    int count = 0;
    for (int at = 0; at < size; ++at) {
      const bool reload = plan_->problem().is_reload(given_[at]);
      if (reload || chosen_[given_[at]]) kept_[count++] = given_[at];
    }
    return plan_->problem().in.trips ? tidy_trips(plan_->problem(), kept_, count) : count;
  }

  FleetPlan* plan_;
  std::int32_t* given_ = nullptr;  // [P] the visits of a route, cleaned
  std::int32_t* kept_ = nullptr;   // [P] some of them
  std::int32_t* position_ = nullptr;  // [V] where a stop is in the route that is read, or -1
  std::uint8_t* chosen_ = nullptr; // [V] 1: stays in its route
};

}  // namespace vrp
