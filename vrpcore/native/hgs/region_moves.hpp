// Moves of long pieces of routes, which ruin and recreate does not find: part of a route is
// reversed (2-opt), or two routes exchange their tails, or a tail and a head (2-opt*).
//
// Source: Croes 1958, "A Method for Solving Traveling-Salesman Problems"; Potvin and Rousseau
// 1995, "An Exchange Heuristic for Routeing Problems with Time Windows".
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "region.hpp"

namespace vrp {

// A move links a customer to one of this many nearest.
constexpr int kLinked = 10;

class RegionMoves {
 public:
  explicit RegionMoves(Region& region) : region_(region), plan_(*region.plan) {}

  // Tries one move that links `one` to a random near customer, and returns whether it was made:
  // if it costs less than `most`.
  bool try_one(int one, double most) {
    const Problem& problem = *plan_.problem;
    const int near = std::min(kLinked, problem.num_near);
    if (near == 0) return false;
    const int other = problem.near[static_cast<std::int64_t>(one) * problem.num_near +
                                   region_.random.below(near)];
    const int row = region_.vehicle_of(one), second = region_.vehicle_of(other);
    if (row < 0 || second < 0) return false;
    if (row == second) return !problem.directed() && reverse_part(one, other, row, most);
    if (problem.directed() || region_.random.chance(std::uint64_t{1} << 31)) {
      return exchange_tails(one, other, row, second, most);
    }
    return exchange_tail_and_head(one, other, row, second, most);
  }

 private:
  struct Head {
    std::int64_t load = 0;
    int size = 0;
  };

  // What a route carries up to a customer, this one included; 0: nothing.
  Head head_of(int node) const {
    Head head;
    for (int at = node; at != 0; at = plan_.stop[at].previous) {
      head.load += plan_.problem->demand[at];
      ++head.size;
    }
    return head;
  }

  // Links `one` to `other` and what came before `other` to what came after `one`.
  bool exchange_tails(int one, int other, int row, int second, double most) {
    LinkedPlan::Stop* stop = plan_.stop;
    const int before = stop[other].previous, after = stop[one].next;
    const std::int32_t link = plan_.length(one, other);
    const std::int32_t rest = before || after ? plan_.length(before, after) : 0;
    const std::int64_t change =
        static_cast<std::int64_t>(link) + rest - stop[one].out - stop[other].into;
    if (!(static_cast<double>(change) < most)) return false;
    const Head kept = head_of(one), moved = head_of(before);
    LinkedPlan::Route &first = plan_.route[row], &last = plan_.route[second];
    const std::int64_t load = kept.load + last.load - moved.load;
    const std::int64_t rest_load = moved.load + first.load - kept.load;
    if (load > plan_.problem->limit || rest_load > plan_.problem->limit) return false;
    region_.touch_route(row);
    region_.touch_route(second);
    assign(other, row);
    assign(after, second);
    std::swap(first.last, last.last);
    region_.join(row, one, other, link);
    region_.join(second, before, after, rest);
    set(row, second, load, rest_load, kept.size + last.size - moved.size);
    region_.cost += change;
    return true;
  }

  // Links `one` to `other` and what came after the one to what came after the other: two heads
  // become one route, and two tails.
  bool exchange_tail_and_head(int one, int other, int row, int second, double most) {
    LinkedPlan::Stop* stop = plan_.stop;
    const int after = stop[one].next, beyond = stop[other].next;
    const std::int32_t link = plan_.length(one, other);
    const std::int32_t rest = after || beyond ? plan_.length(after, beyond) : 0;
    const std::int64_t change =
        static_cast<std::int64_t>(link) + rest - stop[one].out - stop[other].out;
    if (!(static_cast<double>(change) < most)) return false;
    const Head kept = head_of(one), joined = head_of(other);
    LinkedPlan::Route &first = plan_.route[row], &last = plan_.route[second];
    const std::int64_t load = kept.load + joined.load;
    const std::int64_t rest_load = first.load + last.load - load;
    if (load > plan_.problem->limit || rest_load > plan_.problem->limit) return false;
    region_.touch_route(row);
    region_.touch_route(second);
    const int head = last.first, tail = first.last;
    turn(head, other, row);
    if (after) turn(after, tail, second);
    region_.join(row, one, other, link);
    first.last = head;
    last.first = after ? tail : beyond;
    region_.join(second, after, beyond, rest);
    set(row, second, load, rest_load, kept.size + joined.size);
    region_.cost += change;
    return true;
  }

  // Links two customers of a route, and the two that came after them.
  bool reverse_part(int one, int other, int row, double most) {
    LinkedPlan::Stop* stop = plan_.stop;
    if (stop[one].next == other || stop[other].next == one) return false;
    const std::int32_t link = plan_.length(one, other);
    const std::int32_t rest = plan_.length(stop[one].next, stop[other].next);
    const std::int64_t change =
        static_cast<std::int64_t>(link) + rest - stop[one].out - stop[other].out;
    if (!(static_cast<double>(change) < most)) return false;
    if (!is_before(one, other)) std::swap(one, other);
    const int after = stop[one].next, beyond = stop[other].next;
    region_.touch_route(row);
    turn(after, other, row);
    region_.join(row, one, other, link);
    region_.join(row, after, beyond, rest);
    region_.cost += change;
    return true;
  }

  // Of two customers of a route; looks from both at the same pace.
  bool is_before(int one, int other) const {
    int from_one = one, from_other = other;
    while (from_one && from_other) {
      from_one = plan_.stop[from_one].next;
      from_other = plan_.stop[from_other].next;
      if (from_one == other) return true;
      if (from_other == one) return false;
    }
    return from_other == 0;
  }

  // Gives the rest of a route, from a customer on, to another vehicle.
  void assign(int node, int row) {
    for (int at = node; at != 0; at = plan_.stop[at].next) {
      region_.touch(at);
      plan_.stop[at].route = row;
    }
  }

  // Turns the customers from `begin` to `end` round and gives them to a vehicle.
  void turn(int begin, int end, int row) {
    for (int at = begin, next = 0;; at = next) {
      LinkedPlan::Stop& stop = plan_.stop[at];
      next = stop.next;
      region_.touch(at);
      std::swap(stop.next, stop.previous);
      std::swap(stop.into, stop.out);
      stop.route = row;
      if (at == end) return;
    }
  }

  // Sets what two routes hold, of which the second may have become empty.
  void set(int row, int second, std::int64_t load, std::int64_t rest_load, int size) {
    LinkedPlan::Route &first = plan_.route[row], &last = plan_.route[second];
    const int both = first.size + last.size;
    first.load = load;
    last.load = rest_load;
    first.size = size;
    last.size = both - size;
    if (last.size == 0) region_.note_empty(second);
  }

  Region& region_;
  LinkedPlan& plan_;
};

}  // namespace vrp
