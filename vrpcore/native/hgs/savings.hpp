// Routes by savings: one vehicle for each customer, joined where that saves most.
//
// Source: Clarke and Wright 1964, "Scheduling of Vehicles from a Central Depot to a Number of
// Delivery Points" (parallel version).
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "problem.hpp"
#include "radix.hpp"
#include "solution.hpp"

namespace vrp {

// Up to this many customers all pairs compete; beyond, each customer with its nearest.
constexpr int kAllPairs = 150;
// Then this many of the lightest routes get a second chance with all pairs, again and again while
// that joins some.
constexpr int kLightRoutes = 60, kMostChances = 100;

class Savings {
 public:
  Savings(Arena& arena, const Problem* problem)
      : problem_(problem), directed_(problem->directed()) {
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    const std::size_t each = nodes <= kAllPairs + 1 ? nodes : kMostNear;
    pair_ = arena.take<std::uint64_t>(nodes * each);
    spare_ = arena.take<std::uint64_t>(nodes * each);
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
    if (problem_->num_nodes - 1 <= kAllPairs) {
      join_all();
    } else {
      join_near();
      // Many customers at one address have only each other as neighbours: join them here.
      for (int chance = 0; chance < kMostChances && join_light_routes();) ++chance;
    }
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
    int first;
    int second;
  };

  // Writes a route from its first customer, or from the lower end if it has no direction.
  bool is_start(int node) const {
    if (directed_) return previous_[node] == 0;
    return (previous_[node] == 0 || next_[node] == 0) && node <= other_end_[node];
  }

  // All pairs.
  void join_all() {
    std::int64_t count = 0;
    for (int first = 1; first < problem_->num_nodes; ++first) {
      for (int second = directed_ ? 1 : first + 1; second < problem_->num_nodes; ++second) {
        count = add(count, first, second, first << 16 | second);
      }
    }
    join_best_first(count, [](std::uint32_t number) {
      return Pair{static_cast<int>(number >> 16), static_cast<int>(number & 0xffffU)};
    });
  }

  // Each customer with its nearest, of which there are `kMostNear`.
  void join_near() {
    std::int64_t count = 0;
    for (int number = kMostNear; number < problem_->num_nodes * kMostNear; ++number) {
      count = add(count, number / kMostNear, problem_->near[number], number);
    }
    join_best_first(count, [near = problem_->near](std::uint32_t number) {
      return Pair{static_cast<int>(number / kMostNear), near[number]};
    });
  }

  // Joins ends of the lightest routes; false if none fit.
  bool join_light_routes() {
    int num_starts = 0;
    for (int node = 1; node < problem_->num_nodes; ++node) {
      if (is_start(node)) start_[num_starts++] = node;
    }
    std::sort(start_, start_ + num_starts, [this](std::int32_t left, std::int32_t right) {
      return load_[left] != load_[right] ? load_[left] < load_[right] : left < right;
    });
    num_starts = std::min(num_starts, kLightRoutes);
    // The starts, and behind them the ends.
    for (int head = 0; head < num_starts; ++head) {
      end_[head] = start_[head];
      end_[num_starts + head] = other_end_[start_[head]];
    }
    const int num_ends = 2 * num_starts;
    const auto pair_of = [this, num_ends](std::uint32_t number) {
      const int cell = static_cast<int>(number);
      return Pair{end_[cell / num_ends], end_[cell % num_ends]};
    };
    std::int64_t count = 0;
    const auto add_ends = [this, &count, num_ends](int head, int tail) {
      count = add(count, end_[head], end_[tail], head * num_ends + tail);
    };
    for (int head = 0; head < num_starts; ++head) {
      for (int tail = 0; tail < num_starts; ++tail) {
        if (head == tail) continue;
        add_ends(num_starts + head, tail);
        if (directed_ || head > tail) continue;
        add_ends(head, tail);
        add_ends(num_starts + head, num_starts + tail);
      }
    }
    return join_best_first(count, pair_of);
  }

  // Only joins that do not increase the cost. Savings are two lengths at most: 32 bits.
  std::int64_t add(std::int64_t count, int first, int second, int number) {
    const Problem& problem = *problem_;
    const std::int64_t saving =
        problem.length(first, 0) + problem.length(0, second) - problem.length(first, second);
    if (first == second || saving < 0) return count;
    const std::uint64_t most_first = ~static_cast<std::uint32_t>(saving);
    pair_[count] = most_first << 32 | static_cast<std::uint32_t>(number);
    return count + 1;
  }

  // Of equal savings, the pair with lower numbers comes first. Returns whether any was joined.
  template <class PairOf>
  bool join_best_first(std::int64_t count, const PairOf& pair_of) {
    radix_sort(pair_, spare_, count);
    const auto before = [&pair_of](std::uint64_t left, std::uint64_t right) {
      const Pair one = pair_of(static_cast<std::uint32_t>(left));
      const Pair other = pair_of(static_cast<std::uint32_t>(right));
      return one.first != other.first ? one.first < other.first : one.second < other.second;
    };
    bool joined = false;
    for (std::int64_t begin = 0, end; begin < count; begin = end) {
      for (end = begin + 1; end < count && pair_[end] >> 32 == pair_[begin] >> 32;) ++end;
      if (end > begin + 1) std::sort(pair_ + begin, pair_ + end, before);
      for (std::int64_t index = begin; index < end; ++index) {
        const auto [first, second] = pair_of(static_cast<std::uint32_t>(pair_[index]));
        joined |= join(first, second);
      }
    }
    return joined;
  }

  bool join(int first, int second) {
    const int start = other_end_[first], end = other_end_[second];
    std::int32_t& behind = directed_ || next_[first] == 0 ? next_[first] : previous_[first];
    std::int32_t& ahead = directed_ || previous_[second] == 0 ? previous_[second] : next_[second];
    if (behind != 0 || ahead != 0 || start == second) return false;
    if (load_[first] + load_[second] > problem_->limit) return false;
    behind = second;
    ahead = first;
    other_end_[start] = end;
    other_end_[end] = start;
    load_[start] = load_[end] = load_[first] + load_[second];
    return true;
  }

  const Problem* problem_;
  std::uint64_t* pair_;      // [pairs] least saved last, and the number of the pair
  std::uint64_t* spare_;     // [pairs]
  std::int64_t* load_;       // [M] of the route that a node ends
  std::int32_t* next_;       // [M] 0: none
  std::int32_t* previous_;   // [M]
  std::int32_t* other_end_;  // [M] of the route that a node ends
  std::int32_t* start_;      // [M] of routes
  std::int32_t end_[2 * kLightRoutes];
  bool directed_;
};

}  // namespace vrp
