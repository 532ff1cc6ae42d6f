// The alternatives of changed routes: of each group the member that makes the route cheapest.
//
// Source: Fischetti, Salazar Gonzalez and Toth 1997, "A branch-and-cut algorithm for the symmetric
// generalized traveling salesman problem", Operations Research 45(3): a shortest path through the
// members of the groups, in the order of the route.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"

namespace vrp {

class AlternativeMoves {
 public:
  static AlternativeMoves lay_out(Arena& arena, FleetPlan* plan) {
    const RichProblem& problem = plan->problem();
    const auto visits =
        static_cast<std::size_t>(problem.in.num_groups > 0 ? problem.max_visits() : 0);
    AlternativeMoves made(plan);
    made.stops_ = arena.take<std::int32_t>(visits);
    made.from_ = arena.take<std::int32_t>(visits + 1);
    made.member_ = arena.take<std::int32_t>(visits);
    made.before_ = arena.take<std::int32_t>(visits);
    made.cost_ = arena.take<double>(visits);
    return made;
  }

  explicit AlternativeMoves(FleetPlan* plan) : plan_(plan) {}

  // Looks at all routes that the iteration has changed.
  void improve() {
    for (int index = 0; index < plan_->num_touched; ++index) {
      const int route = plan_->touched[index];
      if (plan_->routes[route].count > 0) improve_route(route);
    }
  }

 private:
  void improve_route(int route) {
    const int type = plan_->routes[route].type, count = plan_->read(route, stops_);
    if (list_members(type, count) == count) return;
    int last = find_path(type, count);
    bool same = true;
    for (int at = count - 1; at >= 0; --at) {
      same = same && stops_[at] == member_[last];
      stops_[at] = member_[last];
      last = before_[last];
    }
    if (same) return;
    RouteTotals totals;
    const double cost = plan_->routes[route].totals.cost;
    if (!plan_->judge().judge(type, stops_, count, totals, cost) || totals.cost >= cost) return;
    plan_->put(route, type, stops_, count, &totals);
  }

  // Lists who may stand at each position. Returns how many they are.
  int list_members(int type, int count) {
    const RichInput& in = plan_->problem().in;
    int size = 0;
    for (int at = 0; at < count; ++at) {
      const int stop = stops_[at];
      from_[at] = size;
      member_[size++] = stop;
      if (!is_free(stop) || in.group[stop] < 0) continue;
      const std::int32_t* each = in.members + in.group_from[in.group[stop]];
      for (; each < in.members + in.group_from[in.group[stop] + 1]; ++each) {
        const bool fits = plan_->problem().is_allowed(type, *each) && is_free(*each);
        if (*each != stop && fits) member_[size++] = *each;
      }
    }
    from_[count] = size;
    return size;
  }

  // Whether a visit is no reload, no shipment and in no relation.
  bool is_free(int visit) const {
    const RichInput& in = plan_->problem().in;
    if (plan_->problem().is_reload(visit) || in.partner[visit] >= 0) return false;
    return in.num_relations == 0 || in.own_from[visit] == in.own_from[visit + 1];
  }

  // The last member of the path with the cheapest legs.
  int find_path(int type, int count) {
    const RichProblem& problem = plan_->problem();
    for (int at = 0; at < count; ++at) {
      for (int own = from_[at]; own < from_[at + 1]; ++own) {
        const int node = problem.node_of_visit(member_[own]);
        if (at == 0) {
          cost_[own] = leg(type, problem.in.start[type], node);
        } else {
          join(type, from_[at - 1], from_[at], own, node);
        }
        cost_[own] += problem.vehicle_cost(type, member_[own]);
      }
    }
    int best = from_[count - 1];
    double least = kNever;
    for (int own = from_[count - 1]; own < from_[count]; ++own) {
      const double cost =
          cost_[own] + leg(type, problem.node_of_visit(member_[own]), problem.in.end[type]);
      if (cost >= least) continue;
      least = cost;
      best = own;
    }
    return best;
  }

  // The cheapest way to a member from those of the position before.
  void join(int type, int first, int last, int own, int node) {
    double least = kNever;
    before_[own] = first;
    for (int other = first; other < last; ++other) {
      const double cost =
          cost_[other] + leg(type, plan_->problem().node_of_visit(member_[other]), node);
      if (cost >= least) continue;
      least = cost;
      before_[own] = other;
    }
    cost_[own] = least;
  }

  double leg(int type, int from, int to) const {
    const TypeTerms& terms = plan_->problem().terms[type];
    return terms.per_distance * terms.length(from, to) +
           (terms.per_travel + terms.per_duration) * terms.leg(from, to);
  }

  FleetPlan* plan_;
  std::int32_t* stops_ = nullptr;   // [P]
  std::int32_t* from_ = nullptr;    // [P + 1] the members of each position
  std::int32_t* member_ = nullptr;  // [P]
  std::int32_t* before_ = nullptr;  // [P] the one before it on the cheapest path
  double* cost_ = nullptr;          // [P] of that path
};

}  // namespace vrp
