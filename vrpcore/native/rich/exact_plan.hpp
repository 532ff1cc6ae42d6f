// The best plan of all, where few stops leave few routes: every order of every set of them is
// judged for each vehicle type, and the sets are then divided among the vehicles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan_route.hpp"

namespace vrp {

constexpr int kMostExactStops = 12;
constexpr int kMostExactVisits = 2 * kMostExactStops;
constexpr int kMostExactDepots = 100;     // a visit is a small number
constexpr int kMostExactRelations = 16;
// Routes that are judged at most, over all vehicle types: some ten milliseconds. One that is judged
// by walking through it counts so many times, for each set of its breaks; for each pair of sets,
// where durations count and sets are many.
constexpr double kMostExactRoutes = 120'000.0, kBreakRoute = 8.0;

class ExactPlan {
 public:
  static ExactPlan lay_out(Arena& arena, const RichProblem* problem) {
    ExactPlan made(problem);
    if (!made.is_small_) return made;
    made.judge_ = RouteEvaluator::lay_out(arena, problem);
    const auto types = static_cast<std::size_t>(problem->in.num_types);
    const auto sets = static_cast<std::size_t>(made.num_sets());
    made.unit_of_ = arena.take<std::int32_t>(static_cast<std::size_t>(problem->in.num_stops));
    made.routes_ = arena.take<Route>(types * sets);
    made.layers_ = arena.take<PlanValue>((made.num_vehicles_ + 1) * sets);
    made.plan = arena.take<std::int32_t>(4 * static_cast<std::size_t>(problem->in.num_stops));
    return made;
  }

  explicit ExactPlan(const RichProblem* problem) : problem_(problem), judge_(problem) {
    const RichInput& in = problem->in;
    if (in.num_stops > kMostExactStops) return;
    if (in.num_relations > (in.num_groups > 0 ? 0 : kMostExactRelations)) return;
    if (in.trips && in.num_depots > kMostExactDepots) return;
    int pairs = 0;
    for (int stop = 0; stop < in.num_stops; ++stop) {
      pairs += problem->is_delivery_end(stop) ? 1 : 0;
      num_units_ += is_unit(stop) ? 1 : 0;
    }
    double work = 0.0;
    for (int type = 0; type < in.num_types; ++type) {
      work += in.count[type] > 0 ? work_of(type) : 0.0;
      num_vehicles_ += most_of(type);
    }
    is_small_ = work * count_orders(in.num_stops - 2 * pairs, pairs) <= kMostExactRoutes;
  }

  // Whether there are few enough routes; else nothing may be asked.
  bool is_small() const { return is_small_; }

  // Finds the best plan, but for the price of uneven work. `fewest`: the number of vehicles comes
  // before cost.
  void find(bool fewest) {
    fewest_ = fewest;
    judge_.begin();
    number_units();
    for (int type = 0; type < problem_->in.num_types; ++type) {
      type_ = type;
      std::fill(routes_of(type), routes_of(type) + num_sets(), Route{});
      if (problem_->in.count[type] > 0) extend(0, 0, 0);
    }
    divide();
    write(best_set());
  }

  std::int32_t* plan = nullptr;  // [4 N] type, number of stops and the stops of each route
  int size = 0;

 private:
  // The cheapest route of a type through a set of units.
  struct Route {
    double cost = kNever;
    std::int8_t stops[kMostExactVisits] = {};
    std::int8_t count = 0;
  };

  // Whether a stop stands for a unit of its own: a customer, a shipment, or alternatives.
  bool is_unit(int stop) const {
    return !problem_->is_delivery_end(stop) && problem_->unit_of(stop) == stop;
  }

  int num_sets() const { return 1 << num_units_; }
  int most_of(int type) const { return std::min(problem_->in.count[type], num_units_); }
  Route* routes_of(int type) { return routes_ + static_cast<std::int64_t>(type) * num_sets(); }
  // What it takes to serve each set of units with the first vehicles; missing where none can.
  PlanValue* layer_of(int vehicle) {
    return layers_ + static_cast<std::int64_t>(vehicle) * num_sets();
  }

  // How long the judgement of a route of a type takes, relative to one of segments.
  double work_of(int type) const {
    const TypeTerms& terms = problem_->terms[type];
    double trips = 1.0;  // reloads between two stops
    for (int at = 1; terms.trips && at < problem_->in.num_stops; ++at) {
      trips *= 1.0 + problem_->in.num_depots;
    }
    if (!terms.by_walk && !terms.by_day) return trips;
    double sets = terms.breaks.num_sets();
    if (problem_->rides && (terms.by_day || terms.breaks.count > 0)) sets *= kThirds;
    return trips * kBreakRoute * (terms.is_timed && !terms.has_few_sets ? sets * sets : sets);
  }

  // Orders of all sets of customers and shipments, whose pickups come before their deliveries.
  static double count_orders(int customers, int pairs) {
    double total = 0.0, sets = 1.0;
    for (int own = 0; own <= pairs; ++own) {
      double orders = sets;
      for (int stop = 1; stop <= 2 * own; ++stop) orders *= stop / (stop % 2 ? 1.0 : 2.0);
      for (int more = 0; more <= customers; ++more) {
        total += orders;
        orders *= static_cast<double>((customers - more) * (2 * own + more + 1)) / (more + 1);
      }
      sets *= static_cast<double>(pairs - own) / (own + 1);
    }
    return total;
  }

  void number_units() {
    int units = 0;
    for (int stop = 0; stop < problem_->in.num_stops; ++stop) {
      if (is_unit(stop)) unit_of_[stop] = units++;
    }
    for (int stop = 0; stop < problem_->in.num_stops; ++stop) {
      const int first = problem_->is_delivery_end(stop) ? problem_->in.partner[stop] : stop;
      unit_of_[stop] = unit_of_[problem_->unit_of(first)];
    }
    set_bound();
  }

  // Units that have to be in one route, if they are served.
  void set_bound() {
    const RichInput& in = problem_->in;
    for (int relation = 0; relation < in.num_relations; ++relation) {
      bound_[relation] = 0;
      if (in.relation_kind[relation] == kApart) continue;
      for (int at = in.relation_from[relation]; at < in.relation_from[relation + 1]; ++at) {
        bound_[relation] |= 1 << unit_of_[in.relation_stops[at]];
      }
    }
  }

  // Judges all routes of the type that begin with the first `count` of `order_`. `begun` and
  // `ended`: units with a stop among them, and those with all of theirs.
  void extend(int count, int begun, int ended) {
    if (count > 0 && begun == ended) note(count, begun);
    const bool trips = problem_->terms[type_].trips;
    if (!trips && count + 1 > problem_->in.max_stops[type_]) return;
    if (trips && count > 0 && begun == ended && !problem_->is_reload(order_[count - 1])) {
      for (int depot = 0; depot < problem_->in.num_depots; ++depot) {
        order_[count] = problem_->in.num_stops + depot;
        if (problem_->is_allowed(type_, order_[count])) extend(count + 1, begun, ended);
      }
    }
    for (int stop = 0; stop < problem_->in.num_stops; ++stop) {
      const int unit = 1 << unit_of_[stop];
      const bool second = problem_->is_delivery_end(stop);
      if ((ended & unit) || ((begun & unit) != 0) != second) continue;
      if (!problem_->is_allowed(type_, stop)) continue;
      if (second && !has(problem_->in.partner[stop], count)) continue;  // of an alternative
      order_[count] = stop;
      const bool whole = second || problem_->in.partner[stop] < 0;
      extend(count + 1, begun | unit, whole ? ended | unit : ended);
    }
  }

  bool has(int stop, int count) const {
    return std::find(order_, order_ + count, stop) < order_ + count;
  }

  void note(int count, int set) {
    if (problem_->is_reload(order_[count - 1])) return;
    Route& route = routes_of(type_)[set];
    RouteTotals totals;
    if (!judge_.judge(type_, order_, count, totals, route.cost)) return;
    if (totals.cost >= route.cost) return;
    route.cost = totals.cost;
    route.count = static_cast<std::int8_t>(count);
    for (int at = 0; at < count; ++at) {
      route.stops[at] = static_cast<std::int8_t>(order_[at]);
    }
  }

  // One vehicle after the other serves some of a set, or none.
  void divide() {
    std::fill(layer_of(0), layer_of(0) + num_sets(), PlanValue{1, 0, kNever});
    layer_of(0)[0] = {0, 0, 0.0};
    int vehicle = 0;
    for (int type = 0; type < problem_->in.num_types; ++type) {
      for (int each = 0; each < most_of(type); ++each, ++vehicle) {
        for (int set = 0; set < num_sets(); ++set) {
          const int own = choose(vehicle, type, set);
          layer_of(vehicle + 1)[set] = joined(vehicle, type, set, own);
        }
      }
    }
  }

  // What the next vehicle serves of a set, where the vehicles before it serve the rest.
  int choose(int vehicle, int type, int set) {
    int best = 0;
    for (int own = set; own > 0; own = (own - 1) & set) {
      if (routes_of(type)[own].cost == kNever) continue;
      if (joined(vehicle, type, set, own) < joined(vehicle, type, set, best)) best = own;
    }
    return best;
  }

  PlanValue joined(int vehicle, int type, int set, int own) {
    PlanValue value = layer_of(vehicle)[set ^ own];
    if (own == 0) return value;
    for (int relation = 0; relation < problem_->in.num_relations; ++relation) {
      const bool here = own & bound_[relation], there = (set ^ own) & bound_[relation];
      if (here && there) return {1, 0, kNever};
    }
    value.vehicles += fewest_ ? 1 : 0;
    value.cost += routes_of(type)[own].cost;
    return value;
  }

  // The units that the best plan serves.
  int best_set() {
    int best = 0;
    PlanValue least = value_of(0);
    for (int set = 1; set < num_sets(); ++set) {
      if (layer_of(num_vehicles_)[set].cost == kNever) continue;
      const PlanValue value = value_of(set);
      if (!(value < least)) continue;
      best = set;
      least = value;
    }
    return best;
  }

  PlanValue value_of(int set) {
    PlanValue value = layer_of(num_vehicles_)[set];
    for (int stop = 0; stop < problem_->in.num_stops; ++stop) {
      if (!is_unit(stop) || (set >> unit_of_[stop] & 1)) continue;
      if (problem_->is_required(stop)) {
        value.missing += problem_->in.weight[stop];
      } else {
        value.cost += problem_->in.stop_prize[stop];
      }
    }
    return value;
  }

  void write(int set) {
    size = 0;
    int vehicle = num_vehicles_;
    for (int type = problem_->in.num_types - 1; type >= 0; --type) {
      for (int each = 0; each < most_of(type); ++each) {
        const int own = choose(--vehicle, type, set);
        set ^= own;
        if (own == 0) continue;
        const Route& route = routes_of(type)[own];
        plan[size++] = type;
        plan[size++] = route.count;
        for (int at = 0; at < route.count; ++at) plan[size++] = route.stops[at];
      }
    }
  }

  const RichProblem* problem_;
  RouteEvaluator judge_;
  bool is_small_ = false, fewest_ = false;
  int num_units_ = 0, num_vehicles_ = 0, type_ = 0;
  std::int32_t order_[kMostExactVisits] = {};
  int bound_[kMostExactRelations] = {};
  std::int32_t* unit_of_ = nullptr;  // [N] of customers and shipments, from 0
  Route* routes_ = nullptr;          // [T, 2^U] for U units
  PlanValue* layers_ = nullptr;      // [V + 1, 2^U] for V vehicles
};

}  // namespace vrp
