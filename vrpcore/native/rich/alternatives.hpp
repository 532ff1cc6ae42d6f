// Which of alternatives a route serves: the cheapest of each group, all others of the route as they
// are chosen, too.
//
// Source: Fischetti, Salazar González and Toth 1997, "A branch-and-cut algorithm for the symmetric
// generalized traveling salesman problem", Operations Research 45(3): with the order of the groups
// given, the cheapest members are a shortest path through a graph of layers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"

namespace vrp {

class Alternatives {
 public:
  static Alternatives lay_out(Arena& arena, FleetPlan* plan) {
    const RichProblem& problem = plan->problem();
    Alternatives made(plan);
    const bool any = problem.in.num_groups > 0;
    const auto visits = static_cast<std::size_t>(any ? problem.max_visits() : 0);
    const auto rows = visits + static_cast<std::size_t>(any ? problem.num_visits() : 0);
    made.visits_ = arena.take<std::int32_t>(visits);
    made.cost_ = arena.take<double>(rows);
    made.from_ = arena.take<std::int32_t>(rows);
    return made;
  }

  explicit Alternatives(FleetPlan* plan) : plan_(plan) {}

  // Serves other members in a route where that costs less and keeps all limits. Only what legs cost
  // is looked at before.
  void improve(int route) {
    const int type = plan_->routes[route].type, count = plan_->read(route, visits_);
    if (count == 0 || !choose(type, count)) return;
    RouteTotals totals;
    const double least = plan_->routes[route].totals.cost;
    if (!plan_->judge().judge(type, visits_, count, totals, least) || totals.cost >= least) return;
    plan_->put(route, type, visits_, count, &totals);
  }

 private:
  // Alternatives to a visit, which is one of them; only itself where there are none.
  struct Members {
    const std::int32_t *first, *last;
  };

  Members members_of(const std::int32_t* visit) const {
    const RichInput& in = plan_->problem().in;
    const bool one = plan_->problem().is_reload(*visit) || in.partner[*visit] >= 0;
    const int group = one ? -1 : in.group[*visit];
    if (group < 0) return {visit, visit + 1};
    return {in.members + in.group_from[group], in.members + in.group_from[group + 1]};
  }

  // Puts the members on the cheapest path in place of the visits; false if these are the cheapest.
  bool choose(int type, int count) {
    const RichProblem& problem = plan_->problem();
    const TypeTerms& terms = problem.terms[type];
    for (int at = 0; at < count; ++at) {
      const Members own = members_of(visits_ + at);
      for (const std::int32_t* member = own.first; member < own.last; ++member) {
        double& cost = cost_[row_of(at, *member)];
        cost = kNever;
        const bool other_one = *member != visits_[at];
        if (other_one && !problem.is_allowed(type, *member)) continue;
        if (other_one && problem.in.partner[*member] >= 0) continue;
        const int node = problem.node_of_visit(*member);
        if (at == 0) {
          cost = leg(terms, problem.in.start[type], node);
          continue;
        }
        const Members before = members_of(visits_ + at - 1);
        for (const std::int32_t* from = before.first; from < before.last; ++from) {
          const double longer =
              cost_[row_of(at - 1, *from)] + leg(terms, problem.node_of_visit(*from), node);
          if (longer >= cost) continue;
          cost = longer;
          from_[row_of(at, *member)] = *from;
        }
      }
    }
    return walk_back(type, count);
  }

  // Of what is known of a visit at a position: a route may reload at a depot several times.
  int row_of(int at, int visit) const {
    const RichProblem& problem = plan_->problem();
    return problem.is_reload(visit) ? problem.num_visits() + at : visit;
  }

  // Follows the cheapest path from its end.
  bool walk_back(int type, int count) {
    const RichProblem& problem = plan_->problem();
    const TypeTerms& terms = problem.terms[type];
    const Members last = members_of(visits_ + count - 1);
    int best = visits_[count - 1];
    double least = kNever;
    for (const std::int32_t* member = last.first; member < last.last; ++member) {
      const double cost = cost_[row_of(count - 1, *member)] +
                          leg(terms, problem.node_of_visit(*member), problem.in.end[type]);
      if (cost >= least) continue;
      least = cost;
      best = *member;
    }
    bool changed = false;
    for (int at = count - 1; at >= 0; --at) {
      const int chosen = best;
      if (at > 0) best = from_[row_of(at, chosen)];
      changed = changed || visits_[at] != chosen;
      visits_[at] = chosen;
    }
    return changed;
  }

  static double leg(const TypeTerms& terms, int from, int to) {
    double cost = terms.per_distance * terms.length(from, to);
    if (terms.per_travel != 0.0) cost += terms.per_travel * terms.leg(from, to);
    return cost;
  }

  FleetPlan* plan_;
  std::int32_t* visits_ = nullptr;  // [V] a route
  double* cost_ = nullptr;          // [2 V] of the cheapest path to a member; see `row_of`
  std::int32_t* from_ = nullptr;    // [2 V] the member before it there
};

}  // namespace vrp
