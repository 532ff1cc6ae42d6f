// The best routes of customers in a given order.
//
// Source: Prins 2004, "A simple and effective evolutionary algorithm for the vehicle routing
// problem"; loads over the limit as in Vidal et al. 2012.
#pragma once

#include <algorithm>
#include <cstdint>

#include "linked_routes.hpp"

namespace vrp {

// The largest load of a route to consider, in multiples of the limit.
constexpr double kSplitLoad = 1.5;
// How many prices of a route are tried before loads are ignored.
constexpr int kTries = 5;

struct Split {
  const Problem* problem;
  int vehicles;
  std::int64_t* best;     // [M] cost of the first customers, including penalties
  std::int32_t* begin;    // [M] where their last route begins
  std::int32_t* count;    // [M] number of their routes

  static Split lay_out(Arena& arena, const Problem* problem, int vehicles) {
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    auto* best = arena.take<std::int64_t>(nodes);
    auto* begin = arena.take<std::int32_t>(nodes);
    return {problem, vehicles, best, begin, arena.take<std::int32_t>(nodes)};
  }

  // Cuts an order [M - 1] of all customers into a tour of at most R routes; `rate` is the
  // price of each unit of load over the limit. Raises the price of a route until there are
  // few enough.
  void cut(const std::int32_t* order, double rate, std::int32_t* tour) {
    const double most = kSplitLoad * static_cast<double>(problem->limit);
    const int size = problem->num_nodes - 1;
    solve(order, rate, 0, most);
    std::int64_t price = 1 + best[size] / size;
    for (int tries = 0; count[size] > vehicles; ++tries, price *= 2) {
      const bool any_load = tries >= kTries;
      solve(order, any_load ? 0.0 : rate, price, any_load ? 1e30 : most);
    }
    write(order, tour);
  }

 private:
  void solve(const std::int32_t* order, double rate, std::int64_t price, double most) {
    const Problem& at = *problem;
    const int size = at.num_nodes - 1;
    best[0] = 0;
    count[0] = 0;
    for (int index = 1; index <= size; ++index) best[index] = std::int64_t{1} << 62;
    for (int first = 0; first < size; ++first) {
      std::int64_t load = 0, length = 0;
      int before = 0;
      const std::int64_t base = best[first] + price;
      for (int last = first; last < size; ++last) {
        const int node = order[last];
        load += at.demand[node];
        if (last > first && static_cast<double>(load) > most) break;
        length += at.length(before, node);
        before = node;
        const std::int64_t cost = base + length + at.length(node, 0) +
                                  penalty_of(load, at.limit, rate);
        if (cost < best[last + 1]) {
          best[last + 1] = cost;
          begin[last + 1] = first;
          count[last + 1] = count[first] + 1;
        }
      }
    }
  }

  // The last route first.
  void write(const std::int32_t* order, std::int32_t* tour) const {
    for (int end = problem->num_nodes - 1; end > 0; end = begin[end]) {
      for (int index = begin[end]; index < end; ++index) *tour++ = order[index];
      *tour++ = 0;
    }
    *tour = kEnd;
  }
};

}  // namespace vrp
