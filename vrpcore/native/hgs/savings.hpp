// Routes by savings: one vehicle for each customer, joined where that saves most.
//
// Source: Clarke and Wright 1964, "Scheduling of Vehicles from a Central Depot to a Number of
// Delivery Points" (parallel version).
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "problem.hpp"
#include "solution.hpp"

namespace vrp {

// Up to this many customers all pairs compete; beyond, each customer with its nearest.
constexpr int kAllPairs = 150;
// Then this many of the lightest routes get a second chance with all pairs.
constexpr int kLightRoutes = 60;

class Savings {
 public:
  Savings(Arena& arena, const Problem* problem)
      : problem_(problem), directed_(problem->directed()) {
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    const std::size_t each = nodes <= kAllPairs + 1 ? nodes : kMostNear;
    pair_ = arena.take<Pair>(nodes * each);
    load_ = arena.take<std::int64_t>(nodes);
    next_ = arena.take<std::int32_t>(nodes);
    previous_ = arena.take<std::int32_t>(nodes);
    other_end_ = arena.take<std::int32_t>(nodes);
    start_ = arena.take<std::int32_t>(nodes);
  }

  // Writes a tour of at most 2 * M numbers. With asymmetric lengths, routes are joined end to
  // start and never reversed.
  void write_tour(std::int32_t* tour) {
    for (int node = 0; node < problem_->num_nodes; ++node) {
      load_[node] = problem_->demand[node];
      next_[node] = previous_[node] = 0;
      other_end_[node] = node;
    }
    join_best_first(all_or_near_pairs());
    // Many customers at one address have only each other as neighbours: join them here.
    if (problem_->num_nodes - 1 > kAllPairs) join_best_first(pairs_of_light_ends());
    for (int node = 1; node < problem_->num_nodes; ++node) {
      if (!is_start(node)) continue;
      int before = 0;
      for (int at = node; at != 0;) {
        *tour++ = at;
        const int after = directed_ || next_[at] != before ? next_[at] : previous_[at];
        before = at;
        at = after;
      }
      *tour++ = 0;
    }
    *tour = kEnd;
  }

 private:
  struct Pair {
    std::int64_t saving;
    std::int32_t first;
    std::int32_t second;
  };

  // Writes a route from its first customer, or from the lower end if it has no direction.
  bool is_start(int node) const {
    if (directed_) return previous_[node] == 0;
    return (previous_[node] == 0 || next_[node] == 0) && node <= other_end_[node];
  }

  int all_or_near_pairs() {
    const Problem& problem = *problem_;
    const int num_customers = problem.num_nodes - 1;
    const bool all = num_customers <= kAllPairs;
    int count = 0;
    for (int first = 1; first <= num_customers; ++first) {
      const std::int32_t* near =
          problem.near + static_cast<std::int64_t>(first) * problem.num_near;
      for (int index = 0; index < (all ? num_customers : problem.num_near); ++index) {
        const int second = all ? index + 1 : near[index];
        if (!all || directed_ || first < second) count = add_pair(count, first, second);
      }
    }
    return count;
  }

  int pairs_of_light_ends() {
    std::int32_t* start = start_;
    int num_starts = 0, count = 0;
    for (int node = 1; node < problem_->num_nodes; ++node) {
      if (is_start(node)) start[num_starts++] = node;
    }
    std::sort(start, start + num_starts, [this](std::int32_t left, std::int32_t right) {
      return load_[left] != load_[right] ? load_[left] < load_[right] : left < right;
    });
    num_starts = std::min(num_starts, kLightRoutes);
    for (int head = 0; head < num_starts; ++head) {
      for (int tail = 0; tail < num_starts; ++tail) {
        const int first = start[head], second = start[tail];
        if (head == tail) continue;
        count = add_pair(count, other_end_[first], second);
        if (directed_ || head > tail) continue;
        count = add_pair(count, first, second);
        count = add_pair(count, other_end_[first], other_end_[second]);
      }
    }
    return count;
  }

  // Only joins that do not increase the cost.
  int add_pair(int count, int first, int second) {
    const Problem& problem = *problem_;
    const std::int64_t saving =
        problem.length(first, 0) + problem.length(0, second) - problem.length(first, second);
    if (first != second && saving >= 0) pair_[count++] = {saving, first, second};
    return count;
  }

  // Of equal savings, the pair with lower numbers comes first.
  void join_best_first(int count) {
    std::sort(pair_, pair_ + count, [](const Pair& left, const Pair& right) {
      if (left.saving != right.saving) return left.saving > right.saving;
      if (left.first != right.first) return left.first < right.first;
      return left.second < right.second;
    });
    for (int index = 0; index < count; ++index) join(pair_[index].first, pair_[index].second);
  }

  void join(int first, int second) {
    const int start = other_end_[first], end = other_end_[second];
    std::int32_t& behind = directed_ || next_[first] == 0 ? next_[first] : previous_[first];
    std::int32_t& ahead = directed_ || previous_[second] == 0 ? previous_[second] : next_[second];
    if (behind != 0 || ahead != 0 || start == second) return;
    if (load_[first] + load_[second] > problem_->limit) return;
    behind = second;
    ahead = first;
    other_end_[start] = end;
    other_end_[end] = start;
    load_[start] = load_[end] = load_[first] + load_[second];
  }

  const Problem* problem_;
  Pair* pair_;               // [pairs]
  std::int64_t* load_;       // [M] of the route that a node ends
  std::int32_t* next_;       // [M] 0: none
  std::int32_t* previous_;   // [M]
  std::int32_t* other_end_;  // [M] of the route that a node ends
  std::int32_t* start_;      // [M] of routes
  bool directed_;
};

}  // namespace vrp
