// Plans for instances with constraints: by insertion, then annealing by ruin and recreate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arithmetic.hpp"
#include "../shared/clock.hpp"
#include "absences.hpp"
#include "exact_plan.hpp"
#include "reload_moves.hpp"
#include "rich_crossover.hpp"
#include "rich_recreate.hpp"
#include "rich_start.hpp"
#include "route_exchange.hpp"
#include "tail_matching.hpp"

namespace vrp {

// Temperatures, in mean costs of a leg of the first plan.
struct Cooling {
  double warmest, coolest;
};

constexpr std::int64_t kRound = 20;     // iterations per temperature
// Share of a run in which who is missing counts before cost: at most, and since the last gain.
constexpr double kServingShare = 0.5, kPatience = 0.2;
constexpr double kFleetShare = 0.75;    // in which fewer vehicles do, too, where they are asked for
// Temperatures of a search for fewer vehicles, in mean costs of a leg: while it looks for them, and
// the first one afterwards.
constexpr double kFreeing = 0.1, kFreed = 0.3;
constexpr double kHopelessShare = 0.1;  // the same while more than a few are missing
constexpr double kEvery = 0.05;         // share of iterations that try all of many who are missing
constexpr double kByWeight = 0.6;       // share that insert by weight while stops are missing
// Share that insert what was removed before who is missing, once nobody more is served. Where those
// who are missing take the room first, most iterations serve fewer.
constexpr double kRuinedFirst = 0.7;
constexpr double kEager = 0.15;         // share of iterations that look at prizes in the end only
constexpr double kRetyped = 0.3;        // share of iterations that change vehicles of ruined routes
constexpr int kExchanges = 4;           // exchanges between two routes that are tried for each ruin
// Share of ruins that come with a matching of several tails: for each stop, and at most. A ruin of
// many stops takes longer, and reaches fewer of them.
constexpr double kMatchings = 7e-4, kMostMatchings = 0.5;
constexpr double kVehicles = 0.1;       // share of them that exchange vehicles
constexpr double kSameCost = 1e-9;      // relative: costs that differ by less are equal
constexpr int kManyStops = 2000;        // beyond, only one order of construction

// Not thread-safe: use one per thread.
class RichSearch {
 public:
  static RichSearch* lay_out(Arena& arena, const RichProblem* problem, bool fewest_vehicles) {
    const auto routes = static_cast<std::size_t>(problem->max_routes);
    auto* search = arena.take<RichSearch>(1);
    RichSearch unplaced(FleetPlan::lay_out(arena, problem));
    RichSearch* made = search ? new (search) RichSearch(unplaced) : &unplaced;
    made->plan.fewest_vehicles = fewest_vehicles;
    made->ruin_ = RichRuin::lay_out(arena, &made->plan);
    made->recreate_ = RichRecreate::lay_out(arena, &made->plan, &made->ruin_);
    made->start_ = RichStart::lay_out(arena, &made->plan);
    made->reloads_ = ReloadMoves::lay_out(arena, &made->plan);
    made->absences_ = Absences::lay_out(arena, &made->plan, &made->ruin_);
    made->exchange_ = RouteExchange::lay_out(arena, &made->plan);
    made->match_ = TailMatching::lay_out(arena, &made->plan);
    made->cross_ = RichCrossover::lay_out(arena, problem);
    made->exact_ = ExactPlan::lay_out(arena, problem);
    const auto visits = static_cast<std::size_t>(problem->max_visits());
    made->best_plan = arena.take<std::int32_t>(visits + 2 * routes);
    made->stops_ = arena.take<std::int32_t>(visits);
    return search;
  }

  // Once, before anything else.
  void prepare() {
    plan.clear();
    ruin_.begin();
    recreate_.prepare();
  }

  // Forgets what was found: what follows depends only on the seed. Building plans ends after so
  // many seconds; only where the insertion of a stop may take long, that is within a plan, too,
  // which then leaves out the rest, but not before `whole` seconds. `seconds` below 0: no limit.
  void begin(std::uint64_t seed, double seconds, double whole) {
    const double now = clock_seconds();
    building_ = {plan.problem().watch, now + whole, until(now, seconds)};
    recreate_.deadline = plan.problem().takes_long() ? building_ : Deadline();
    random.seed(seed);
    recreate_.forget();
    absences_.begin();
    plan.clear();
    keep_best();
  }

  // After `begin`: the best of plans by insertion in different orders; the seconds that building
  // has in any case are for the first of them.
  void construct() {
    const RichProblem& problem = plan.problem();
    const Deadline first = recreate_.deadline, later{problem.watch, 0.0, building_.latest};
    const int orders =
        problem.in.num_stops > kManyStops ? 1 : kNumOrders + (problem.weighted ? 1 : 0);
    for (int index = 0; index < orders; ++index) {
      if (index > 0) recreate_.deadline.earliest = 0.0;
      if (index > 0 && (later.is_over() || is_over(problem.watch))) break;
      // The last order first: with a single one, those who close soon come first.
      const int order = problem.weighted ? kNumOrders - index : kNumOrders - 1 - index;
      plan.clear();
      recreate_.insert_all(static_cast<Order>(order), index % 2 == 0, random);
      // The empty plan has the fewest vehicles, and may cost less than a plan that time has cut.
      const bool anyway = index == 0 && plan.fewest_vehicles;
      if (anyway || plan.value() < best_value) keep_best();
    }
    recreate_.deadline = first;
    load_best();
    unit_ = leg_cost(plan);
  }

  // After `begin`: goes on from given routes, if they make a better plan, as they are or with
  // all that they leave out inserted. See `RichStart::fill` for the numbers and the result.
  std::int64_t start(const std::int32_t* numbers, std::int64_t size) {
    plan.clear();
    const std::int64_t stay = start_.fill(numbers, size);
    if (plan.value() < best_value) keep_best();
    const Order order = plan.problem().weighted ? Order::kWeight : Order::kClosing;
    recreate_.insert_all(order, false, random);
    if (is_better(plan.value(), best_value)) keep_best();
    load_best();
    unit_ = leg_cost(plan);
    return stay;
  }

  // After `begin`: goes on from a child of two plans, see `RichCrossover::make`.
  void cross(const std::int32_t* first, int first_size, const std::int32_t* second,
             int second_size) {
    cross_.make(first, first_size, second, second_size, random);
    plan.clear();
    start_.fill(cross_.child, cross_.size);
    recreate_.insert_some({RichRecreate::draw(random), 0, 0, true, false, false}, random);
    keep_best();
    load_best();
    unit_ = leg_cost(plan);
  }

  // After `begin`: the best plan of all, where there are few enough routes. What was found before
  // stays if it costs the same. Returns false if there may be a better one: where uneven work has
  // a price, and, having changed nothing, if there are too many.
  bool find_exact() {
    if (!exact_.is_small()) return false;
    exact_.find(plan.fewest_vehicles);
    plan.clear();
    fill_with(exact_.plan, exact_.size);
    if (is_better(plan.value(), best_value)) keep_best();
    load_best();
    return !plan.problem().balanced;
  }

  // Returns the number of iterations. `seconds` below 0: no time limit.
  std::int64_t run(std::int64_t iterations, double seconds, const Cooling& cooling) {
    const double began = seconds < 0.0 ? 0.0 : clock_seconds();
    Watch* watch = plan.problem().watch;
    const Deadline building = recreate_.deadline, own{watch, 0.0, until(began, seconds)};
    recreate_.deadline = plan.problem().takes_long() ? own : Deadline();
    std::int64_t done = 0;
    noted_ = best_value;
    note(watch, 0);
    double served = 0.0;     // share of the run at which cost came before absences
    double last_gain = 0.0;  // share of the run at which who is missing was less
    std::int64_t least = best_value.missing;
    serving_ = best_value.missing > 0 || plan.fewest_vehicles;
    while (done < iterations && !is_over(watch)) {
      double share = static_cast<double>(done) / static_cast<double>(iterations);
      if (seconds >= 0.0) {
        const double spent = clock_seconds() - began;
        if (spent >= seconds) break;
        share = std::max(share, spent / seconds);
      }
      if (best_value.missing < least) last_gain = share;
      least = best_value.missing;
      double most = std::min(kServingShare, last_gain + kPatience);
      if (plan.fewest_vehicles) most = kFleetShare;
      if (best_missing_ > kFewOut) most = std::min(most, kHopelessShare);
      const bool frees = best_value.missing == 0 || (plan.fewest_vehicles && share > most / 2.0);
      if (serving_ && (share > most || (frees && !free_one()))) {
        serving_ = false;
        load_best();
        if (plan.fewest_vehicles) plan.max_in_use = plan.num_in_use;
        served = share;
      }
      const double temperature = temperature_at(cooling, share, served);
      std::int64_t begun = done;
      const std::int64_t end = std::min(done + kRound, iterations);
      while (done < end && !own.is_over() && !is_over(watch)) {
        iterate(temperature);
        ++done;
        if (!(best_value < noted_)) continue;
        note(watch, done - begun);  // at once, since it renews patience
        begun = done;
      }
      note(watch, done - begun);
    }
    recreate_.deadline = building;
    return done;
  }

  Random random;
  FleetPlan plan;
  PlanValue best_value{0, 0, 0.0};
  std::int32_t* best_plan = nullptr;  // [P + 2 R], see `FleetPlan::write`
  int best_size = 0;

 private:
  explicit RichSearch(const FleetPlan& empty)
      : plan(empty),
        ruin_(nullptr),
        recreate_(nullptr, nullptr, Insertion(nullptr, RouteScan(nullptr))),
        start_(nullptr),
        reloads_(nullptr),
        absences_(nullptr, nullptr, Ejections(nullptr, nullptr, RouteScan(nullptr))),
        exchange_(nullptr),
        match_(nullptr),
        cross_(nullptr),
        exact_(&empty.problem()) {}

  static double until(double began, double seconds) {
    return seconds < 0.0 ? Watch::kNoEnd : began + seconds;
  }

  // Tries some exchanges of tails or vehicles, each accepted as a ruin is.
  void exchange(double temperature) {
    const bool types = plan.problem().in.num_types > 1;
    for (int move = 0; move < kExchanges; ++move) {
      const bool vehicles = types && random.unit() < kVehicles;
      attempt(temperature, [&](double most) {
        return vehicles ? exchange_.try_vehicles(random) : exchange_.try_tails(random, most);
      });
    }
    const double matchings = std::min(kMostMatchings, kMatchings * plan.problem().most_stops());
    if (random.unit() >= matchings) return;
    attempt(temperature, [&](double most) { return match_.try_tails(random, temperature, most); });
  }

  template <class Move>
  void attempt(double temperature, Move&& move) {
    const double most = temperature * random.exponential();
    plan.begin_iteration();
    if (!move(most)) return;
    const PlanValue before = value_;
    value_ = plan.value();
    if (value_.cost - before.cost >= most) {
      plan.restore();
      value_ = before;
    } else if (value_ < best_value) {
      keep_best();
    }
  }

  // `served`: share at which the search for fewer vehicles ended.
  double temperature_at(const Cooling& cooling, double share, double served) const {
    if (!plan.fewest_vehicles) return cooled(cooling, share);
    if (serving_) return unit_ * kFreeing;
    return cooled({kFreed, cooling.coolest}, (share - served) / (1.0 - served));
  }

  double cooled(const Cooling& cooling, double share) const {
    return unit_ * cooling.warmest * exp_of(log_of(cooling.coolest / cooling.warmest) * share);
  }

  void iterate(double temperature) {
    const RichProblem& problem = plan.problem();
    if (serving_ && value_.missing > 0 && absences_.eject(random)) {
      value_ = plan.value();
      if (value_ < best_value) keep_best();
    }
    if (exchange_.is_possible()) exchange(temperature);
    plan.begin_iteration();
    const PlanValue before = value_;
    const std::int64_t old_absences = serving_ ? absences_.of_missing() : 0;
    const int old_out = plan.num_out;
    const int seed = ruin_.remove(random);
    if (problem.in.num_types > 1 && random.unit() < kRetyped) draw_types();
    const bool eager = problem.optional && random.unit() < kEager;
    const bool by_weight = problem.weighted && before.missing > 0 && random.unit() < kByWeight;
    const Order order = by_weight ? Order::kWeight : RichRecreate::draw(random);
    const bool every = before.missing == 0 || random.unit() < kEvery;
    const bool ruined_first = !serving_ && before.missing > 0 && random.unit() < kRuinedFirst;
    recreate_.insert_some({order, seed, old_out, every, eager, ruined_first}, random);
    if (problem.in.trips) reloads_.improve();
    value_ = plan.value();
    const bool accepted = accepts(before, old_absences, temperature);
    if (serving_) absences_.note();
    if (!accepted) {
      plan.restore();
      value_ = before;
      return;
    }
    if (value_ < best_value) keep_best();
    if (problem.in.num_types == 1) return;
    change_types();
    if (value_ < best_value) keep_best();
  }

  void note(Watch* watch, std::int64_t iterations) {
    if (!watch) return;
    const bool gained = best_value < noted_;
    noted_ = best_value;
    watch->note(iterations, best_value.missing, best_value.vehicles, best_value.cost, gained);
  }

  // Who is missing comes first, cost second. In the first part of a run, one plan is better
  // than another if those whom it misses have been missing less often: Christiaens and Vanden
  // Berghe 2020, section 4.4.
  bool accepts(const PlanValue& before, std::int64_t old_absences, double temperature) {
    if (value_.missing < before.missing) return true;
    if (serving_ && absences_.of_missing() < old_absences) return true;
    if (value_.missing > before.missing) return false;
    return value_.cost - before.cost < temperature * random.exponential();
  }

  // Takes one more vehicle away from the best plan, that whose customers have been missing least.
  // True while its customers, or those of the last one, wait for a vehicle; false if no vehicle
  // is left to take.
  bool free_one() {
    const int needed = plan.problem().num_required > best_missing_ ? 1 : 0;
    if (!plan.fewest_vehicles || best_value.vehicles <= needed) return false;
    if (plan.max_in_use < best_value.vehicles) return true;
    load_best();
    absences_.free_route();
    value_ = plan.value();
    return true;
  }

  // Gives each ruined route any other vehicle: a larger one pays once it is filled.
  void draw_types() {
    const RichInput& in = plan.problem().in;
    for (int index = 0; index < plan.num_touched; ++index) {
      const int route = plan.touched[index], type = random.below(in.num_types);
      const int count = plan.read(route, stops_);
      if (count == 0 || type == plan.routes[route].type || plan.left[type] == 0) continue;
      plan.assign(route, type, stops_, count);
    }
  }

  // Gives each changed route the cheapest of the vehicles that are left.
  void change_types() {
    const RichInput& in = plan.problem().in;
    bool changed = false;
    for (int index = 0; index < plan.num_touched; ++index) {
      const int route = plan.touched[index];
      const int count = plan.read(route, stops_);
      if (count == 0) continue;
      int best = plan.routes[route].type;
      double least = plan.routes[route].totals.cost;
      for (int type = 0; type < in.num_types; ++type) {
        RouteTotals totals;
        if (plan.left[type] == 0 || type == best || in.fixed_cost[type] >= least) continue;
        if (plan.judge().judge(type, stops_, count, totals) && totals.cost < least) {
          best = type;
          least = totals.cost;
        }
      }
      if (best == plan.routes[route].type) continue;
      plan.assign(route, best, stops_, count);
      changed = true;
    }
    if (changed) value_ = plan.value();
  }

  void keep_best() {
    best_value = plan.value();
    best_missing_ = 0;
    for (int index = 0; index < plan.num_out; ++index) {
      best_missing_ += plan.problem().is_required(plan.out[index]) ? 1 : 0;
    }
    best_size = plan.write(best_plan);
  }

  void load_best() {
    plan.clear();
    fill_with(best_plan, best_size);
    value_ = plan.value();
  }

  // Fills an empty plan with the routes of one that keeps all limits.
  void fill_with(const std::int32_t* numbers, int size) {
    for (int at = 0; at < size; at += 2 + numbers[at + 1]) {
      start_.add(numbers[at], numbers + at + 2, numbers[at + 1]);
    }
  }

  // Whether one plan is better than another by more than rounding.
  static bool is_better(const PlanValue& value, const PlanValue& other) {
    return value < PlanValue{other.missing, other.vehicles, other.cost * (1.0 - kSameCost)};
  }

  RichRuin ruin_;
  RichRecreate recreate_;
  RichStart start_;
  ReloadMoves reloads_;
  Absences absences_;
  RouteExchange exchange_;
  TailMatching match_;
  RichCrossover cross_;
  ExactPlan exact_;
  PlanValue value_{0, 0, 0.0}, noted_{0, 0, 0.0};
  Deadline building_;                 // of building plans
  std::int32_t* stops_ = nullptr;     // [P]
  int best_missing_ = 0;  // units
  double unit_ = 1.0;
  bool serving_ = false;
};

}  // namespace vrp
