// Two routes exchange their tails (2-opt*) or their vehicles: ruin and recreate does not find that
// where what changes places is longer than what it removes.
//
// Source: Potvin and Rousseau 1995, "An Exchange Heuristic for Routeing Problems with Time
// Windows", Journal of the Operational Research Society 46(12).
#pragma once

#include <algorithm>
#include <cstdint>

#include "fleet_plan.hpp"
#include "../shared/random.hpp"

namespace vrp {

constexpr int kLinkedTo = 20;  // exchanged tails link a stop to one of this many nearest

class RouteExchange {
 public:
  static RouteExchange lay_out(Arena& arena, FleetPlan* plan) {
    RouteExchange made(plan);
    const auto visits = static_cast<std::size_t>(plan->problem().max_visits());
    made.first_ = arena.take<std::int32_t>(visits);
    made.second_ = arena.take<std::int32_t>(visits);
    return made;
  }

  explicit RouteExchange(FleetPlan* plan) : plan_(plan) {}

  // Whether there can be a move. Relations belong to whole routes.
  bool is_possible() const {
    const RichProblem& problem = plan_->problem();
    return problem.num_near > 0 && problem.in.num_relations == 0 && plan_->num_in_use > 1;
  }

  // Links a random stop to a random near one of another route, and what came before that to what
  // came after the first, if the new legs cost less than `most` more than the old ones. Returns
  // whether the plan was changed.
  bool try_tails(Random& random, double most) {
    const RichProblem& problem = plan_->problem();
    const int near = std::min(kLinkedTo, problem.num_near);
    const std::int64_t one = random.below(problem.in.num_stops);
    const int other = problem.near[one * problem.num_near + random.below(near)];
    const int row = plan_->route_of[one], last = plan_->route_of[other];
    if (row < 0 || last < 0 || row == last) return false;
    const int from = plan_->position_of[one] + 1, to = plan_->position_of[other];
    return is_link(row, last, from, to, most) && exchange(row, last, from, to);
  }

  // Lets two random routes exchange their vehicles, if these are of different types. Returns
  // whether the plan was changed.
  bool try_vehicles(Random& random) {
    const int row = plan_->in_use[random.below(plan_->num_in_use)];
    const int last = plan_->in_use[random.below(plan_->num_in_use)];
    if (plan_->routes[row].type == plan_->routes[last].type) return false;
    return exchange(row, last, 0, 0);
  }

 private:
  // Whether the new legs are in time, as far as that is known, and cost little enough.
  bool is_link(int row, int last, int from, int to, double most) const {
    const PlanRoute &first = plan_->routes[row], &second = plan_->routes[last];
    const TypeTerms &terms = plan_->problem().terms[first.type],
                    &others = plan_->problem().terms[second.type];
    const Arc &cut = plan_->arcs[first.row + from], &arc = plan_->arcs[second.row + to];
    const double change = terms.per_distance * (terms.length(cut.node, arc.next) - cut.length) +
                          others.per_distance * (others.length(arc.node, cut.next) - arc.length);
    if (change >= most) return false;
    // A tail may hold up the departure, a reload next to another one or to an end falls away.
    const RichProblem& problem = plan_->problem();
    const bool is_bounded = terms.by_day && first.type == second.type && !problem.awaits &&
                            !problem.balanced && first.reloads + second.reloads == 0;
    if (is_bounded && (from < first.count || to > 0)) {
      const double longer = terms.leg(cut.node, arc.next) + terms.leg(arc.node, cut.next) -
                            plan_->positions[first.row + from].leg -
                            plan_->positions[second.row + to].leg;
      const DayBounds& bounds = plan_->day_bounds();
      return change + terms.per_travel * longer +
                 bounds.exchanged(first, from, second, to, cut.next, arc.next, longer) <
             most;
    }
    if (terms.by_walk || terms.by_day || others.by_walk || others.by_day) return true;
    return cut.ready + terms.leg(cut.node, arc.next) <= arc.due &&
           arc.ready + others.leg(arc.node, cut.next) <= cut.due;
  }

  bool exchange(int row, int last, int from, int to) {
    const PlanRoute first = plan_->routes[row], second = plan_->routes[last];
    if (!plan_->is_cut(row, from) || !plan_->is_cut(last, to)) return false;
    const int tail = plan_->read(row, first_) - from, other_tail = plan_->read(last, second_) - to;
    for (int at = 0; at < std::max(tail, other_tail); ++at) {
      std::swap(first_[from + at], second_[to + at]);
    }
    int count = from + other_tail, others = to + tail;
    if (first.reloads + second.reloads > 0) {
      count = tidy_trips(plan_->problem(), first_, count);
      others = tidy_trips(plan_->problem(), second_, others);
    }
    if (count == 0) return false;  // only the second may be empty
    RouteTotals totals, other_totals;
    if (!plan_->judge().judge(first.type, first_, count, totals)) return false;
    if (others > 0 && !plan_->judge().judge(second.type, second_, others, other_totals)) {
      return false;
    }
    plan_->touch(row);
    plan_->touch(last);
    if (others == 0) plan_->empty(last);
    plan_->put(row, first.type, first_, count, &totals);
    if (others > 0) plan_->put(last, second.type, second_, others, &other_totals);
    return true;
  }

  FleetPlan* plan_;
  std::int32_t *first_ = nullptr, *second_ = nullptr;  // [P]
};

}  // namespace vrp
