// Recreate: inserts what is left out, one by one, each where it is cheapest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "insertion.hpp"
#include "rule_ruin.hpp"

namespace vrp {

// The order of insertion, and how often each is drawn.
enum class Order { kRandom, kSize, kFarFirst, kNearFirst, kNarrow, kOpening, kClosing, kWeight };
constexpr int kNumOrders = 7;  // without the last
constexpr int kOrderShares[] = {4, 4, 2, 1, 2, 1, 1};
constexpr int kAllShares = 15;
// Optional units that one iteration tries again, at most; beyond that those near the ruin.
constexpr int kMostOptional = 20;
constexpr double kByShare = 0.2;  // share of iterations in which fixed costs count by share

class RuleRecreate {
 public:
  static RuleRecreate lay_out(Arena& arena, FleetPlan* plan, RuleRuin* ruin) {
    const auto stops = static_cast<std::size_t>(plan->rules().in.num_stops);
    RuleRecreate made(plan, ruin, Insertion::lay_out(arena, plan));
    made.units_ = arena.take<std::int32_t>(stops);
    made.key_ = arena.take<double>(stops);
    made.stops_ = arena.take<std::int32_t>(stops);
    return made;
  }

  RuleRecreate(FleetPlan* plan, RuleRuin* ruin, const Insertion& insertion)
      : plan_(plan), ruin_(ruin), insertion_(insertion) {}

  // Once, with an empty plan.
  void prepare() { insertion_.prepare(); }

  // Before a search that is to depend on its random numbers alone.
  void forget() { insertion_.forget(); }

  static Order draw(Random& random) {
    int number = random.below(kAllShares), order = 0;
    while (number >= kOrderShares[order]) number -= kOrderShares[order++];
    return static_cast<Order>(order);
  }

  // Inserts all units in one order, whatever their prizes; then drops what does not pay.
  void insert_all(Order order, bool near_first, Random& random) {
    std::copy(plan_->out, plan_->out + plan_->num_out, units_);
    insertion_.near_first = near_first;
    insert(order, plan_->num_out, true, random, nullptr);
    insertion_.near_first = false;
    drop_unpaid();
  }

  // Inserts required units, and optional ones: all of them, or those near a stop. `old_out`:
  // how many were left out before the ruin. Eager: prizes are looked at in the end only.
  void insert_some(Order order, int seed, int old_out, bool eager, Random& random) {
    insertion_.fixed_by_share = plan_->rules().in.num_types > 1 && random.unit() < kByShare;
    const RuleSet& rules = plan_->rules();
    const bool all = old_out <= kMostOptional || !rules.optional;
    int count = 0;
    for (int index = 0; index < plan_->num_out; ++index) {
      const int unit = plan_->out[index];
      if (all || index >= old_out || rules.is_required(unit)) units_[count++] = unit;
    }
    for (int rank = 0, more = 0; !all && rank < rules.num_near && more < kMostOptional; ++rank) {
      const int unit = rules.near[static_cast<std::int64_t>(seed) * rules.num_near + rank];
      if (!plan_->is_out(unit) || rules.is_required(unit)) continue;
      bool known = false;  // removed by this ruin
      for (int index = old_out; index < plan_->num_out; ++index) {
        known = known || plan_->out[index] == unit;
      }
      if (known) continue;
      units_[count++] = unit;
      ++more;
    }
    insert(order, count, eager, random, &random);
    insertion_.fixed_by_share = false;
    if (eager) drop_unpaid();
  }

 private:
  void insert(Order order, int count, bool eager, Random& random, Random* skips) {
    const RuleSet& rules = plan_->rules();
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
    for (int index = 0; index < count; ++index) {
      insert_one(units_[index], eager, skips);
    }
    if (!rules.optional) return;
    // Who is required may be reached behind an optional stop alone; some pickups wait for an
    // optional delivery.
    for (int index = 0; index < count; ++index) {
      const int unit = units_[index];
      const bool waits = !rules.in.pickup_only && rules.kind[unit] == 2;
      if (plan_->is_out(unit) && (rules.is_required(unit) || waits)) insert_one(unit, eager, skips);
    }
  }

  void insert_one(int unit, bool eager, Random* skips) {
    if (!plan_->is_out(unit)) return;  // came with another
    insertion_.insert(unit, eager ? kNever : plan_->rules().in.prize[unit], skips);
  }

  // Required units come first; where a route needs a delivery, pickups come last.
  int rank(int unit) const {
    const RuleSet& rules = plan_->rules();
    const bool waits = !rules.in.pickup_only && rules.kind[unit] == 2;
    return (rules.is_required(unit) ? 0 : 2) + (waits ? 1 : 0);
  }

  double key_of(Order order, int unit, Random& random) const {
    const RuleSet& rules = plan_->rules();
    const Segment& visit = rules.visit[unit];
    switch (order) {
      case Order::kRandom:
        return random.unit();
      case Order::kSize:
        return -rules.size[unit];
      case Order::kFarFirst:
        return -rules.far[unit];
      case Order::kNearFirst:
        return rules.far[unit];
      case Order::kNarrow:
        return visit.late - visit.early;
      case Order::kOpening:
        return visit.early;
      case Order::kClosing:
        return visit.late;
      case Order::kWeight:
        return -static_cast<double>(rules.in.weight[unit]) + random.unit();
    }
    return 0.0;
  }

  // Takes off changed routes what costs more than its prize.
  void drop_unpaid() {
    if (!plan_->rules().optional) return;
    for (int index = 0; index < plan_->num_touched; ++index) {
      const int route = plan_->touched[index];
      while (plan_->routes[route].count > 0 && drop_one(route)) {
      }
    }
  }

  // Drops the whole route, or the unit whose absence saves most. False if nothing saves.
  bool drop_one(int route) {
    const RuleSet& rules = plan_->rules();
    const PlanRoute& used = plan_->routes[route];
    std::int32_t* rest = units_;  // free again: all is inserted
    const int count = plan_->read(route, stops_);
    double prizes = 0.0, most = 0.0;
    int dropped = -1;
    for (int at = 0; at < count; ++at) {
      const int unit = stops_[at];
      if (rules.is_delivery_end(unit)) continue;
      prizes += rules.in.prize[unit];
      if (rules.is_required(unit)) continue;
      int kept = 0;
      for (int other = 0; other < count; ++other) {
        const int stop = stops_[other];
        if (stop != unit && stop != rules.in.partner[unit]) rest[kept++] = stop;
      }
      RouteTotals totals;
      if (kept > 0 && !plan_->judge().judge(used.type, rest, kept, totals)) continue;
      const double saved = used.totals.cost - totals.cost - rules.in.prize[unit];
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

  FleetPlan* plan_;
  RuleRuin* ruin_;
  Insertion insertion_;
  std::int32_t* units_ = nullptr;  // [N]
  double* key_ = nullptr;          // [N]
  std::int32_t* stops_ = nullptr;  // [N]
};

}  // namespace vrp
