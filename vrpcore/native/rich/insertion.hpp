// The cheapest position for a customer or a shipment in a plan, and putting it there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "insertion_cache.hpp"
#include "route_scan.hpp"

namespace vrp {

// So many of the nearest stops tell which routes, or which positions, are tried first.
constexpr int kNearStops = 30;
constexpr int kFewRoutes = 15;  // are all tried
// Routes of pairs that are judged before a search, for stops that no vehicle can serve without
// others, times their steps: see `RichProblem::steps_of`.
constexpr std::int64_t kMostJudged = 2'000'000;

class Insertion {
 public:
  static Insertion lay_out(Arena& arena, FleetPlan* plan) {
    const RichProblem& problem = plan->problem();
    const auto stops = static_cast<std::size_t>(problem.in.num_stops);
    Insertion made(plan, RouteScan::lay_out(arena, plan));
    made.known_ = InsertionCache::lay_out(arena, problem);
    made.seen_ = arena.take<std::int64_t>(static_cast<std::size_t>(problem.max_routes));
    made.unknown_ = arena.take<std::int32_t>(static_cast<std::size_t>(problem.max_routes));
    made.alone_ = arena.take<Alone>(stops * static_cast<std::size_t>(problem.in.num_types));
    made.needs_other_ = arena.take<std::uint8_t>(stops);
    return made;
  }

  Insertion(FleetPlan* plan, const RouteScan& scan) : plan_(plan), scan_(scan) {}

  // Once, with an empty plan: judges which can be served by themselves.
  void prepare() {
    std::fill(seen_, seen_ + problem().max_routes, std::int64_t{0});
    std::int64_t judged = 0, of_pair = 0;
    for (int type = 0; type < problem().in.num_types; ++type) {
      of_pair += 2 * (1 + depots_of(type)) * RichProblem::steps_of(problem().terms[type], 0);
    }
    for (int unit = 0; unit < problem().in.num_stops; ++unit) {
      const bool can = judge_alone(unit);
      needs_other_[unit] = 0;
      if (problem().in.partner[unit] >= 0 || can || judged > kMostJudged) continue;
      if (is_over(problem().watch)) continue;
      judged += problem().in.num_stops * of_pair;
      for (int other = 0; other < problem().in.num_stops && !needs_other_[unit]; ++other) {
        needs_other_[unit] = join_other(unit, other, kNever).type < 0 ? 0 : 1;
      }
    }
  }

  // Forgets the best positions that are known. They change which random numbers are drawn.
  void forget() { known_.clear(); }

  // Looks only at the positions next to near stops, where there are any: a plan that is begun anew
  // then gets few routes with long detours.
  bool near_first = false;
  // A new vehicle's fixed cost counts as far as the unit fills it: larger ones are tried, too.
  // Source: Golden, Assad, Levy and Gheysens 1984, "The fleet size and mix vehicle routing
  // problem", Computers and Operations Research 11(1): savings that see unused capacity.
  bool fixed_by_share = false;
  // What a new vehicle adds to the price of uneven work counts.
  bool looks_at_evenness = true;
  // As much of the cost of a new vehicle counts: a route that pays only once it is long is begun.
  double opening = 1.0;

  // Inserts a customer, or a shipment by its pickup, where it is cheapest and costs less than
  // `most`. Without random numbers no position is skipped. Returns whether there was one.
  // Where a detour may be shorter, a new route may be possible for two of whom neither can be
  // served by themselves: they come together.
  bool insert(int unit, double most, Random* random) {
    const RichInput& in = problem().in;
    const int group = in.num_groups > 0 ? in.group[unit] : -1;
    scan_.best = {most, -1, -1, 0, 0};
    scan_.random = random;
    if (problem().balanced) scan_.most = plan_->most_work();
    if (group < 0) {
      look_for(unit);
    } else {
      unit = look_for_one(in.members + in.group_from[group], in.members + in.group_from[group + 1]);
    }
    if (scan_.best.route < 0 && needs_other_[unit]) return insert_with_other(unit, most);
    if (scan_.best.route < 0) return false;
    put(unit);
    return true;
  }

  // Fetches into the cache what is known of a unit that will be inserted soon.
  void expect(int unit) const {
    if (!known_.is_kept() || plan_->num_in_use > kFewRoutes) return;
    for (int index = 0; index < plan_->num_in_use; ++index) {
      known_.expect(unit, plan_->routes[plan_->in_use[index]].content);
    }
  }

 private:
  const RichProblem& problem() const { return plan_->problem(); }

  // Looks for the cheapest position of a unit.
  void look_for(int unit) {
    const std::int32_t bound = plan_->bound_route(unit);
    if (bound == -2) return;
    if (bound >= 0) return look_at(unit, &bound, 1);
    const bool all = !near_first && plan_->num_in_use <= kFewRoutes;
    if (all) {
      look_at_all(unit);
    } else if (near_first) {
      scan_near(unit);
    } else {
      look_near(unit);
    }
    scan_types(unit);
    if (!all && scan_.best.route < 0) look_at_all(unit);
  }

  // The same for the best of alternatives, which it returns.
  int look_for_one(const std::int32_t* member, const std::int32_t* end) {
    int best = *member;
    for (; member < end; ++member) {
      const double before = scan_.best.cost;
      look_for(*member);
      if (scan_.best.cost < before) best = *member;
    }
    return best;
  }

  void look_at_all(int unit) { look_at(unit, plan_->in_use, plan_->num_in_use); }

  void look_at(int unit, const std::int32_t* routes, int count) {
    num_unknown_ = 0;
    for (int index = 0; index < count; ++index) recall(unit, routes[index]);
    look_at_unknown(unit);
  }

  // Looks at the routes of a unit's nearest stops.
  void look_near(int unit) {
    ++now_;
    num_unknown_ = 0;
    const std::int32_t* near =
        problem().near + static_cast<std::int64_t>(unit) * problem().num_near;
    const int most = std::min(kNearStops, problem().num_near);
    for (int rank = 0; rank < most; ++rank) {
      const int route = plan_->route_of[near[rank]];
      if (route < 0 || seen_[route] == 2 * now_) continue;
      seen_[route] = 2 * now_;
      recall(unit, route);
    }
    look_at_unknown(unit);
  }

  // Takes what is known of a route, or notes that it has to be looked at.
  [[gnu::always_inline]] void recall(int unit, int route) {
    const PlanRoute& used = plan_->routes[route];
    if (known_.is_kept()) {
      const InsertionCache::Entry& entry = known_.of(unit, used.content);
      if (entry.tells(used.content, scan_.best.cost)) {
        if (entry.cost < scan_.best.cost) {
          take(unit, {entry.cost, route, used.type, entry.at, entry.to});
        }
        return;
      }
    }
    unknown_[num_unknown_++] = route;
  }

  [[gnu::always_inline]] void look_at_unknown(int unit) {
    for (int index = 0; index < num_unknown_; ++index) {
      if (known_.is_kept()) {
        look(unit, unknown_[index]);
      } else if (scan_.may_join(unknown_[index], unit)) {
        scan_.scan(unknown_[index], unit, 0, plan_->routes[unknown_[index]].count);
      }
    }
  }

  // Looks at a whole route, and notes what is found.
  void look(int unit, int route) {
    const InsertionPosition best = scan_.best;
    Random* random = scan_.random;
    const PlanRoute& used = plan_->routes[route];
    InsertionCache::Entry& entry = known_.of(unit, used.content);
    if (!scan_.may_join(route, unit)) {
      entry = {kNever, used.content, -1, -1};
      return;
    }
    scan_.random = nullptr;
    scan_.best.route = -1;
    scan_.scan(route, unit, 0, used.count);
    scan_.random = random;
    const InsertionPosition found = scan_.best;
    scan_.best = best;
    if (found.route < 0) {
      entry = {best.cost, used.content, -1, -1};
    } else {
      entry = {found.cost, used.content, found.at, found.to};
      take(unit, found);
    }
  }

  // Takes a route's best position, or by chance another one.
  void take(int unit, const InsertionPosition& insertion) {
    if (scan_.skips()) {
      scan_.scan_others(unit, insertion, scan_.best);
    } else {
      scan_.best = insertion;
    }
  }

  // Looks at the positions next to a unit's nearest stops.
  void scan_near(int unit) {
    ++now_;
    const std::int32_t* near =
        problem().near + static_cast<std::int64_t>(unit) * problem().num_near;
    const int most = std::min(kNearStops, problem().num_near);
    for (int rank = 0; rank < most; ++rank) {
      const int stop = near[rank], route = plan_->route_of[stop];
      if (route < 0) continue;
      if (seen_[route] / 2 != now_) {
        seen_[route] = 2 * now_ + (scan_.may_join(route, unit) ? 1 : 0);
      }
      if (seen_[route] % 2 == 0) continue;
      const int at = plan_->position_of[stop];
      scan_.scan(route, unit, at, at + 1);
    }
  }

  // An empty vehicle of each type is one more position.
  void scan_types(int unit) {
    const RichInput& in = problem().in;
    const int route = plan_->free_route();
    if (route < 0) return;
    const Alone* alone = alone_of(unit);
    const bool even = problem().balanced && looks_at_evenness;
    const int count = even ? scan_.fill_alone(unit) : 0;
    for (int type = 0; type < in.num_types; ++type) {
      double cost = opening * (fixed_by_share ? alone[type].shared_cost : alone[type].cost);
      if (cost >= scan_.best.cost || plan_->left[type] == 0 || scan_.skips()) continue;
      if (even) cost += scan_.unevenness_alone(type, count);
      if (cost >= scan_.best.cost) continue;
      scan_.best = {cost, route, type, 0, 0};
    }
  }

  // What a vehicle costs that serves only one unit.
  struct Alone {
    double cost;         // infinite if it cannot
    double shared_cost;  // with the share of its fixed cost that the unit fills
  };

  Alone* alone_of(int unit) const {
    return alone_ + static_cast<std::int64_t>(unit) * problem().in.num_types;
  }

  // Notes what each type costs that serves only this unit. Returns whether one can.
  bool judge_alone(int unit) {
    const std::int32_t stops[2] = {unit, problem().in.partner[unit]};
    bool can = false;
    for (int type = 0; type < problem().in.num_types; ++type) {
      RouteTotals totals;
      const bool fits = plan_->judge().judge(type, stops, stops[1] >= 0 ? 2 : 1, totals);
      const double unused = (1.0 - share_of(unit, type)) * problem().in.fixed_cost[type];
      alone_of(unit)[type] = {fits ? totals.cost : kNever, fits ? totals.cost - unused : kNever};
      can = can || (fits && problem().in.count[type] > 0);
    }
    return can;
  }

  // How much of a type's capacity a unit takes, in the dimension where that is most.
  double share_of(int unit, int type) const {
    const RichInput& in = problem().in;
    double most = 0.0;
    for (int each = 0; each < in.dimensions; ++each) {
      const double capacity = problem().amounts(in.capacity, type)[each];
      const double amount = problem().amounts(in.delivery, unit)[each] +
                            problem().amounts(in.pickup, unit)[each] +
                            std::max(problem().amounts(in.shipment, unit)[each], 0.0);
      if (amount > most * capacity) most = capacity > 0.0 ? amount / capacity : 1.0;
    }
    return std::min(most, 1.0);
  }

  // A route of two customers, maybe with a reload between them.
  struct Pair {
    double cost = kNever;
    std::int32_t type = -1, count = 0;
    std::int32_t visits[3] = {-1, -1, -1};
  };

  // Depots at which a vehicle may reload.
  int depots_of(int type) const {
    const bool trips = problem().terms[type].trips && problem().in.max_reloads[type] >= 1;
    return trips ? problem().in.num_depots : 0;
  }

  // The cheapest route of two customers, if below `most`.
  Pair join_other(int unit, int other, double most) const {
    const RichInput& in = problem().in;
    Pair best;
    if (other == unit || in.partner[other] >= 0) return best;
    if (problem().unit_of(other) == problem().unit_of(unit)) return best;
    best.cost = most;
    for (int type = 0; type < in.num_types; ++type) {
      if (plan_->left[type] == 0) continue;
      const int depots = depots_of(type);
      for (int turned = 0; turned < 2; ++turned) {
        for (int depot = -1; depot < depots; ++depot) {
          const int reload = in.num_stops + depot;
          if (depot >= 0 && !problem().is_allowed(type, reload)) continue;
          std::int32_t visits[3] = {turned ? unit : other, reload, turned ? other : unit};
          if (depot < 0) visits[1] = visits[2];
          const int count = depot < 0 ? 2 : 3;
          RouteTotals totals;
          if (!plan_->judge().judge(type, visits, count, totals)) continue;
          if (totals.cost >= best.cost) continue;
          best = {totals.cost, type, count, {visits[0], visits[1], visits[2]}};
        }
      }
    }
    return best.type < 0 ? Pair() : best;
  }

  // Opens a route for a customer and another one who is left out, too.
  bool insert_with_other(int unit, double most) {
    const int route = plan_->free_route();
    if (route < 0 || plan_->bound_route(unit) != -1) return false;
    double least = most;
    Pair best;
    for (int other = 0; other < problem().in.num_stops; ++other) {
      if (!plan_->is_out(other) || plan_->bound_route(other) != -1) continue;
      const double prize = problem().is_required(other) ? 0.0 : problem().in.stop_prize[other];
      const Pair found = join_other(unit, other, least + prize);
      if (found.type < 0) continue;
      least = found.cost - prize;
      best = found;
    }
    if (best.type < 0) return false;
    plan_->touch(route);
    plan_->put(route, best.type, best.visits, best.count);
    plan_->take_in(best.visits[0]);
    plan_->take_in(best.visits[best.count - 1]);
    return true;
  }

  void put(int unit) {
    const InsertionPosition& insertion = scan_.best;
    const int count = scan_.fill(insertion.route, unit, insertion.at, insertion.to);
    plan_->touch(insertion.route);
    plan_->put(insertion.route, insertion.type, scan_.filled(), count);
    plan_->take_in(unit);
  }

  FleetPlan* plan_;
  RouteScan scan_;
  InsertionCache known_;
  std::int64_t* seen_ = nullptr;    // [R] when a route was looked at last; odd: it may be joined
  std::int32_t* unknown_ = nullptr;  // [R] routes to look at
  Alone* alone_ = nullptr;           // [N, T]
  std::uint8_t* needs_other_ = nullptr;  // [N] 1: no vehicle can serve only this stop
  int num_unknown_ = 0;
  std::int64_t now_ = 0;
};

}  // namespace vrp
