// Recreate: inserts what is left out, one by one, each where it is cheapest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "deadline.hpp"
#include "insertion.hpp"
#include "rich_ruin.hpp"

namespace vrp {

// The order of insertion, and how often each is drawn.
enum class Order {
  kRandom, kSize, kFarFirst, kNearFirst, kNarrow, kOpening, kClosing, kWeight, kNearRuin
};
constexpr int kNumOrders = 7;  // without the last two
constexpr int kOrderShares[] = {4, 4, 2, 1, 2, 1, 1};
constexpr int kAllShares = 15;
// Up to so many units that are left out are all tried in each iteration; of more, so many that
// are nearest to the ruin. Then, in a share of iterations, the nearest come first.
constexpr int kFewOut = 20, kNearby = 8;
constexpr double kNearestFirst = 0.5;
constexpr double kEven = 0.5;    // share of iterations in which new vehicles count for evenness
constexpr double kByShare = 0.2;  // share of iterations in which fixed costs count by share
// Beyond so many stops there is one run, and any part of a new vehicle's cost counts: ruins easily
// close a route and never open one that pays only with many stops.
constexpr int kOpenedStops = 500;

// What one iteration inserts again.
struct Refill {
  Order order;
  int seed;     // the stop that the ruin began with
  int old_out;  // how many were left out before the ruin
  bool every;   // all required units; else, if more than a few are left out, those near the ruin
  bool eager;   // prizes are looked at in the end only
  bool ruined_first;  // those that were left out before the ruin come behind those that it removed
};

class RichRecreate {
 public:
  static RichRecreate lay_out(Arena& arena, FleetPlan* plan, RichRuin* ruin) {
    const auto stops = static_cast<std::size_t>(plan->problem().in.num_stops);
    RichRecreate made(plan, ruin, Insertion::lay_out(arena, plan));
    made.units_ = arena.take<std::int32_t>(
        static_cast<std::size_t>(plan->problem().max_visits() + kNearby));
    made.key_ = arena.take<double>(stops);
    const auto visits = static_cast<std::size_t>(plan->problem().max_visits());
    made.stops_ = arena.take<std::int32_t>(visits);
    return made;
  }

  RichRecreate(FleetPlan* plan, RichRuin* ruin, const Insertion& insertion)
      : plan_(plan), ruin_(ruin), insertion_(insertion) {}

  // Once, with an empty plan.
  void prepare() { insertion_.prepare(); }

  // Before a search that is to depend only on its random numbers.
  void forget() { insertion_.forget(); }

  static Order draw(Random& random) {
    int number = random.below(kAllShares), order = 0;
    while (number >= kOrderShares[order]) number -= kOrderShares[order++];
    return static_cast<Order>(order);
  }

  // Until then units are inserted, and dropped where they do not pay.
  Deadline deadline;

  // Inserts all units in one order, whatever their prizes; then drops what does not pay.
  void insert_all(Order order, bool near_first, Random& random) {
    std::copy(plan_->out, plan_->out + plan_->num_out, units_);
    insertion_.near_first = near_first;
    insert(order, plan_->num_out, true, random, nullptr);
    insertion_.near_first = false;
    drop_unpaid();
  }

  // Inserts what the ruin removed, and units that were left out before it.
  void insert_some(const Refill& refill, Random& random) {
    insertion_.fixed_by_share = plan_->problem().in.num_types > 1 && random.unit() < kByShare;
    const RichProblem& problem = plan_->problem();
    const bool opens = problem.most_stops() > kOpenedStops && !plan_->fewest_vehicles;
    insertion_.opening = opens ? random.unit() : 1.0;
    insertion_.looks_at_evenness = !problem.balanced || random.unit() < kEven;
    const bool all = refill.old_out <= kFewOut || (refill.every && !problem.optional);
    const bool nearest = !all && refill.order != Order::kWeight && random.unit() < kNearestFirst;
    const Order order = nearest ? Order::kNearRuin : refill.order;
    seed_ = refill.seed;
    ruined_first_ = refill.ruined_first;
    int count = 0;
    for (int index = 0; index < refill.old_out; ++index) {
      const int unit = plan_->out[index];
      if (all || (refill.every && problem.is_required(unit))) units_[count++] = unit;
    }
    const int removed = count;  // by this ruin, from here on
    for (int index = refill.old_out; index < plan_->num_out; ++index) {
      units_[count++] = plan_->out[index];
    }
    for (int rank = 0, more = 0; !all && rank < problem.num_near && more < kNearby; ++rank) {
      const int unit = problem.unit_of(
          problem.near[static_cast<std::int64_t>(seed_) * problem.num_near + rank]);
      if (!plan_->is_out(unit) || (refill.every && problem.is_required(unit))) continue;
      // Of alternatives, several may be near.
      if (std::find(units_ + removed, units_ + count, unit) != units_ + count) continue;
      units_[count++] = unit;
      ++more;
    }
    insert(order, count, refill.eager, random, &random);
    insertion_.fixed_by_share = false;
    insertion_.opening = 1.0;
    insertion_.looks_at_evenness = true;
    ruined_first_ = false;
    if (refill.eager) drop_unpaid();
  }

 private:
  void insert(Order order, int count, bool eager, Random& random, Random* skips) {
    const RichProblem& problem = plan_->problem();
    for (int index = 0; index < count; ++index) {
      insertion_.expect(units_[index]);
      key_[units_[index]] = key_of(order, units_[index], random);
    }
    std::sort(units_, units_ + count, [this](std::int32_t first, std::int32_t second) {
      const int rank_first = rank(first), rank_second = rank(second);
      if (rank_first != rank_second) return rank_first < rank_second;
      if (key_[first] != key_[second]) return key_[first] < key_[second];
      return first < second;
    });
    for (int index = 0; index < count && !deadline.is_over(); ++index) {
      insert_one(units_[index], eager, skips);
    }
    if (!problem.optional) return;
    // A required stop may be reached only after an optional one; some pickups wait for an
    // optional delivery.
    for (int index = 0; index < count && !deadline.is_over(); ++index) {
      const int unit = units_[index];
      const bool waits = !problem.in.pickup_only && problem.kind[unit] == 2;
      if (plan_->is_out(unit) && (problem.is_required(unit) || waits)) {
        insert_one(unit, eager, skips);
      }
    }
  }

  void insert_one(int unit, bool eager, Random* skips) {
    if (!plan_->is_out(unit)) return;  // came with another
    insertion_.insert(unit, eager ? kNever : plan_->problem().in.stop_prize[unit], skips);
  }

  // Required units come first; where a route needs a delivery, pickups come last. Before anybody is
  // inserted.
  int rank(int unit) const {
    const RichProblem& problem = plan_->problem();
    const bool waits = !problem.in.pickup_only && problem.kind[unit] == 2;
    const bool late = ruined_first_ && plan_->was_out(unit);
    return (problem.is_required(unit) ? 0 : 4) + (late ? 2 : 0) + (waits ? 1 : 0);
  }

  double key_of(Order order, int unit, Random& random) const {
    const RichProblem& problem = plan_->problem();
    const Segment& visit = problem.visit[unit];
    const std::int64_t row =
        static_cast<std::int64_t>(problem.node_of(seed_)) * problem.num_nodes();
    switch (order) {
      case Order::kRandom:
        return random.unit();
      case Order::kSize:
        return -problem.size[unit];
      case Order::kFarFirst:
        return -problem.far[unit];
      case Order::kNearFirst:
        return problem.far[unit];
      case Order::kNarrow:
        return visit.late - visit.early;
      case Order::kOpening:
        return visit.early;
      case Order::kClosing:
        return visit.late;
      case Order::kWeight:
        return -static_cast<double>(problem.in.weight[unit]) + random.unit();
      case Order::kNearRuin:
        return problem.distances(0)[row + problem.node_of(unit)] * (0.5 + random.unit());
    }
    return 0.0;
  }

  // Takes off changed routes what costs more than its prize.
  void drop_unpaid() {
    if (!plan_->problem().optional) return;
    for (int index = 0; index < plan_->num_touched; ++index) {
      const int route = plan_->touched[index];
      while (plan_->routes[route].count > 0 && !deadline.is_over() && drop_one(route)) {
      }
    }
  }

  // Drops the whole route, or the unit whose absence saves most. False if nothing saves.
  bool drop_one(int route) {
    const RichProblem& problem = plan_->problem();
    const PlanRoute& used = plan_->routes[route];
    std::int32_t* rest = units_;  // free again: all is inserted
    const int count = plan_->read(route, stops_);
    double prizes = 0.0, most = 0.0;
    int dropped = -1;
    for (int at = 0; at < count; ++at) {
      const int unit = stops_[at];
      if (problem.is_reload(unit) || problem.is_delivery_end(unit)) continue;
      const double prize = problem.in.stop_prize[unit];
      prizes += prize;
      if (problem.is_required(unit)) continue;
      if (saves_only_legs(used, unit) && saved_legs(used, at, unit) - prize <= most) continue;
      int kept = 0;
      for (int other = 0; other < count; ++other) {
        const int stop = stops_[other];
        if (stop != unit && stop != problem.in.partner[unit]) rest[kept++] = stop;
      }
      if (used.reloads > 0) kept = tidy_trips(problem, rest, kept);
      RouteTotals totals;
      if (kept > 0 && !plan_->judge().judge(used.type, rest, kept, totals)) continue;
      const double saved = used.totals.cost - totals.cost - prize;
      if (saved > most) {
        most = saved;
        dropped = unit;
      }
    }
    const bool whole = used.totals.cost - prizes > most;
    if (!whole && dropped < 0) return false;
    if (!whole) ruin_->mark(dropped);
    for (int at = 0; whole && at < count; ++at) ruin_->mark(stops_[at]);
    ruin_->take_off(route);
    return true;
  }

  // Whether a stop costs a route nothing but its legs and what it costs more with this type.
  bool saves_only_legs(const PlanRoute& used, int unit) const {
    const TypeTerms& terms = plan_->problem().terms[used.type];
    return used.count > 1 && !terms.is_timed && !terms.by_walk && !terms.by_day &&
           used.reloads == 0 && plan_->problem().in.partner[unit] < 0;
  }

  double saved_legs(const PlanRoute& used, int at, int unit) const {
    const TypeTerms& terms = plan_->problem().terms[used.type];
    const Arc &into = plan_->arcs[used.row + at], &out = plan_->arcs[used.row + at + 1];
    const Position* from = plan_->positions + used.row + at;
    const double legs = from[0].leg + from[1].leg;
    return terms.per_distance * (into.length + out.length - terms.length(into.node, out.next)) +
           terms.per_travel * (legs - terms.leg(into.node, out.next)) +
           plan_->problem().vehicle_cost(used.type, unit);
  }

  FleetPlan* plan_;
  RichRuin* ruin_;
  Insertion insertion_;
  bool ruined_first_ = false;
  int seed_ = 0;  // the stop that the ruin began with
  std::int32_t* units_ = nullptr;  // [P + kNearby]
  double* key_ = nullptr;          // [N]
  std::int32_t* stops_ = nullptr;  // [P]
};

}  // namespace vrp
