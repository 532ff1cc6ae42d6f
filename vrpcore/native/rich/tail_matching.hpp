// Several routes are cut at one time, and their heads and tails are joined anew at least cost: what
// many exchanges of two tails find one after the other, an assignment finds at once. One more
// vehicle, and none for some heads or tails, are part of it.
//
// Each join costs its legs, and a random amount that grows with the temperature: the cheapest
// assignment is then a random one, the more likely the cheaper it is.
//
// Sources: Kuhn 1955, "The Hungarian method for the assignment problem", Naval Research Logistics
// Quarterly 2; Papandreou and Yuille 2011, "Perturb-and-MAP random fields", ICCV.
#pragma once

#include <algorithm>
#include <cstdint>

#include "assignment.hpp"
#include "fleet_plan.hpp"
#include "../shared/random.hpp"

namespace vrp {

constexpr int kMatched = 12;           // routes that are cut at once, at most
constexpr double kRandomJoins = 2.0;  // mean of the random amount, in temperatures

class TailMatching {
 public:
  static TailMatching lay_out(Arena& arena, FleetPlan* plan) {
    TailMatching made(plan);
    const RichProblem& problem = plan->problem();
    const auto stops = static_cast<std::size_t>(problem.max_visits());
    made.read_ = arena.take<std::int32_t>(stops);
    made.joined_ = arena.take<std::int32_t>(stops);
    made.cuts_ = arena.take<Cut>(static_cast<std::size_t>(problem.max_routes) + 1);
    const auto dimensions = static_cast<std::size_t>(problem.in.dimensions);
    made.loads_ = arena.take<double>(kWidth * 2 * dimensions);
    return made;
  }

  explicit TailMatching(FleetPlan* plan) : plan_(plan) {}

  // Cuts the route of a random stop behind it, and those near it that have the same type of vehicle
  // when that stop is left. Returns whether the plan was changed; its legs then cost less than
  // `most` more than before.
  bool try_tails(Random& random, double temperature, double most) {
    const RichProblem& problem = plan_->problem();
    const int stop = random.below(problem.in.num_stops);
    if (plan_->route_of[stop] < 0) return false;
    type_ = plan_->routes[plan_->route_of[stop]].type;
    if (terms().by_day) return false;  // its routes keep no such times
    cut_near(stop);
    if (size_ < 2) return false;
    const double before = price_joins(temperature, random);
    assign_.solve(size_);
    return cost_of_joins() - before < most && join();
  }

 private:
  static constexpr std::size_t kWidth = kMatched + 1;

  // A route, and how many of its stops come before the cut.
  struct Cut {
    double away;  // of the stop that all began with
    std::int32_t route, at;
  };

  const TypeTerms& terms() const { return plan_->problem().terms[type_]; }

  // Of a vehicle that is not in use: from its start to its end.
  Arc arc_of(const Cut& cut) const {
    const PlanRoute& used = plan_->routes[cut.route];
    const RichInput& in = plan_->problem().in;
    if (used.count > 0) return plan_->arcs[used.row + cut.at];
    return {in.start_early[type_], kNever, 0.0, in.start[type_], in.end[type_]};
  }

  bool has_head(const Cut& cut) const { return cut.at > 0; }

  bool has_tail(const Cut& cut) const { return cut.at < plan_->routes[cut.route].count; }

  void cut_near(int stop) {
    const int own = plan_->route_of[stop], node = plan_->problem().node_of(stop);
    const int own_at = plan_->position_of[stop] + 1;
    const double when = left_at(plan_->routes[own], own_at);
    int count = 0;
    for (int each = 0; each < plan_->num_in_use; ++each) {
      const int route = plan_->in_use[each];
      const PlanRoute& used = plan_->routes[route];
      if (used.type != type_) continue;
      Cut cut{-1.0, route, route == own ? own_at : position_at(used, when)};
      if (!plan_->is_cut(route, cut.at)) continue;
      if (route != own) {
        const Arc arc = arc_of(cut);
        cut.away = terms().length(node, arc.next);
        if (has_head(cut)) cut.away = std::min(cut.away, terms().length(arc.node, node));
      }
      cuts_[count++] = cut;
    }
    size_ = std::min(count, kMatched);
    const auto nearer = [](const Cut& first, const Cut& second) {
      return first.away != second.away ? first.away < second.away : first.route < second.route;
    };
    // In full order: random numbers are drawn in it, and libraries leave others as they like.
    std::partial_sort(cuts_, cuts_ + size_, cuts_ + count, nearer);
    const int spare = plan_->free_route();
    if (spare >= 0 && plan_->left[type_] > 0) cuts_[size_++] = {0.0, spare, 0};
    for (int index = 0; index < size_; ++index) set_loads(index);
  }

  // When a position of a route can be left at the earliest.
  double left_at(const PlanRoute& used, int at) const {
    if (!terms().by_walk) return plan_->arcs[used.row + at].ready;
    const Visitor visitor = plan_->visitor_at(used, at);
    return *std::min_element(visitor.times, visitor.times + terms().num_sets);
  }

  // The number of stops of a route that can be left by then.
  int position_at(const PlanRoute& used, double when) const {
    int low = 0, high = used.count;
    while (low < high) {
      const int middle = (low + high + 1) / 2;
      if (left_at(used, middle) <= when) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  // Adds up what the trip that is cut delivers before the cut, and behind it.
  void set_loads(int index) {
    const RichInput& in = plan_->problem().in;
    const Cut& cut = cuts_[index];
    std::fill(load_of(index, 0), load_of(index, 2), 0.0);
    const Arc* arcs = plan_->arcs + plan_->routes[cut.route].row;
    for (int at = cut.at; at > 0 && !plan_->problem().is_depot(arcs[at].node); --at) {
      add(load_of(index, 0), arcs[at].node - in.num_depots);
    }
    const int count = plan_->routes[cut.route].count;
    for (int at = cut.at + 1; at <= count && !plan_->problem().is_depot(arcs[at].node); ++at) {
      add(load_of(index, 1), arcs[at].node - in.num_depots);
    }
  }

  void add(double* load, int stop) const {
    const double* delivery = plan_->problem().amounts(plan_->problem().in.delivery, stop);
    for (int each = 0; each < plan_->problem().in.dimensions; ++each) load[each] += delivery[each];
  }

  double* load_of(int index, int part) const {
    return loads_ + (2 * index + part) * plan_->problem().in.dimensions;
  }

  // Fills the matrix of the assignment. Returns what the joins cost as they are.
  double price_joins(double temperature, Random& random) {
    double before = 0.0, most = 1.0;
    for (int head = 0; head < size_; ++head) {
      for (int tail = 0; tail < size_; ++tail) {
        const double cost = own_[head][tail] = cost_of_join(head, tail);
        assign_.cost[head][tail] = cost + kRandomJoins * temperature * random.exponential();
      }
      before += own_[head][head];
      most += assign_.cost[head][head];
    }
    // An assignment with a join that is not possible costs more than what stands.
    for (int head = 0; head < size_; ++head) {
      for (int tail = 0; tail < size_; ++tail) {
        if (head != tail && !may_join(head, tail)) assign_.cost[head][tail] = most;
      }
    }
    return before;
  }

  double cost_of_join(int head, int tail) const {
    const Cut &first = cuts_[head], &second = cuts_[tail];
    if (!has_head(first) && !has_tail(second)) return 0.0;  // no route
    const int from = arc_of(first).node, to = arc_of(second).next;
    return plan_->problem().in.fixed_cost[type_] + terms().per_distance * terms().length(from, to) +
           terms().per_travel * terms().leg(from, to);
  }

  // Whether a tail has room behind a head, and is reached in time as far as that is known.
  bool may_join(int head, int tail) const {
    const Cut &first = cuts_[head], &second = cuts_[tail];
    if (!has_head(first) && !has_tail(second)) return true;
    return fits(head, tail) && is_in_time(first, second);
  }

  bool is_in_time(const Cut& head, const Cut& tail) const {
    const PlanRoute &first = plan_->routes[head.route], &second = plan_->routes[tail.route];
    if (!terms().by_walk) {
      const Arc from = arc_of(head), to = arc_of(tail);
      return from.ready + terms().leg(from.node, to.next) <= to.due;
    }
    if (first.count == 0 || second.count == 0) return true;  // not known
    return plan_->goes_on(plan_->visitor_at(first, head.at), second, tail.at);
  }

  bool fits(int head, int tail) const {
    const RichProblem& problem = plan_->problem();
    const double* capacity = problem.amounts(problem.in.capacity, type_);
    for (int each = 0; each < problem.in.dimensions; ++each) {
      if (load_of(head, 0)[each] + load_of(tail, 1)[each] > capacity[each]) return false;
    }
    return true;
  }

  double cost_of_joins() const {
    double sum = 0.0;
    for (int head = 0; head < size_; ++head) sum += own_[head][assign_.column_of[head]];
    return sum;
  }

  // Puts the new routes into the plan, unless one of them breaks a limit or none is new.
  bool join() {
    int changed[kWidth], begin[kWidth + 1] = {0}, count = 0;
    RouteTotals totals[kWidth];
    for (int head = 0; head < size_; ++head) {
      const Cut &first = cuts_[head], &second = cuts_[assign_.column_of[head]];
      if (first.route == second.route) continue;
      std::int32_t* stops = joined_ + begin[count];
      plan_->read(first.route, read_);
      std::int32_t* end = std::copy(read_, read_ + first.at, stops);
      const int others = plan_->read(second.route, read_);
      end = std::copy(read_ + second.at, read_ + others, end);
      int length = static_cast<int>(end - stops);
      if (plan_->problem().in.trips) length = tidy_trips(plan_->problem(), stops, length);
      if (length > 0 && !plan_->judge().judge(type_, stops, length, totals[count])) return false;
      changed[count] = first.route;
      begin[count + 1] = begin[count] + length;
      ++count;
    }
    for (int index = 0; index < count; ++index) {
      plan_->touch(changed[index]);
      if (begin[index] == begin[index + 1]) plan_->empty(changed[index]);
    }
    for (int index = 0; index < count; ++index) {
      const int length = begin[index + 1] - begin[index];
      if (length == 0) continue;
      plan_->put(changed[index], type_, joined_ + begin[index], length, &totals[index]);
    }
    return count > 0;
  }

  FleetPlan* plan_;
  int type_ = 0, size_ = 0;
  Cut* cuts_ = nullptr;  // [R + 1] those that are joined come first
  double* loads_ = nullptr;  // [kWidth, 2, L] of heads and of tails
  double own_[kWidth][kWidth];  // what a join costs
  Assignment<kWidth> assign_;
  std::int32_t *read_ = nullptr, *joined_ = nullptr;  // [P]
};

}  // namespace vrp
