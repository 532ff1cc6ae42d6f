// Ruin: removes strings of customers from routes that are near each other.
//
// Source: Christiaens and Vanden Berghe 2020, "Slack Induction by String Removals for Vehicle
// Routing Problems", Transportation Science 54(2).
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/random.hpp"
#include "solution.hpp"

namespace vrp {

// Customers that one ruin removes on average, and at most from one route.
constexpr double kMeanRemoved = 10.0;
constexpr double kLongestString = 10.0;
// How often a string keeps some customers in its middle, and how often each further one.
constexpr std::uint64_t kSplit = std::uint64_t{1} << 31;

class Ruin {
 public:
  static Ruin lay_out(Arena& arena, Solution* solution) {
    auto* ruined = arena.take<std::uint64_t>(static_cast<std::size_t>(solution->vehicles));
    if (ruined) std::fill(ruined, ruined + solution->vehicles, 0);
    return {solution, ruined};
  }

  Ruin(Solution* solution, std::uint64_t* ruined) : solution_(solution), ruined_(ruined) {}

  // Adds the removed customers to `removed`, updates the cost, and returns their number.
  int remove(Random& random, std::int32_t* removed) {
    Solution& solution = *solution_;
    const Problem& problem = *solution.problem;
    const int num_customers = problem.num_nodes - 1;
    const double longest = std::min(
        kLongestString, static_cast<double>(num_customers) / std::max(1, solution.num_routes));
    const double most_strings = 4.0 * kMeanRemoved / (1.0 + longest) - 1.0;
    int strings = static_cast<int>(random.unit() * most_strings) + 1;
    const int seed = 1 + random.below(num_customers);
    int num_removed = 0;
    for (int rank = -1; rank < problem.num_near && strings > 0; ++rank) {
      const int customer =
          rank < 0 ? seed : problem.near[static_cast<std::int64_t>(seed) * problem.num_near + rank];
      const int vehicle = solution.where[customer];
      if (vehicle < 0 || ruined_[vehicle] == solution.iteration) continue;
      const int length = solution.length[vehicle];
      const double most = std::min(static_cast<double>(length), longest);
      const int size = std::min(length, 1 + static_cast<int>(random.unit() * most));
      int kept = 0;
      if (1 < size && size < length && random.chance(kSplit)) {
        kept = 1;
        while (size + kept < length && random.chance(kSplit)) ++kept;
      }
      ruined_[vehicle] = solution.iteration;
      num_removed += remove_string(random, customer, size, kept, removed + num_removed);
      --strings;
    }
    return num_removed;
  }

 private:
  // Removes `size` neighbours from a customer's route and keeps `kept` among them.
  int remove_string(Random& random, int customer, int size, int kept, std::int32_t* removed) {
    Solution& solution = *solution_;
    const Problem& problem = *solution.problem;
    const int vehicle = solution.where[customer];
    const int length = solution.length[vehicle];
    const int total = size + kept;
    const int low = std::max(1, solution.position[customer] - total + 1);
    const int high = std::min(solution.position[customer], length - total + 1);
    const int first = low + random.below(high - low + 1);
    const int last = first + total;  // past the string
    const int keep_from = kept > 0 ? first + 1 + random.below(size - 1) : last;
    solution.touch(vehicle);
    std::int32_t* nodes = solution.row(vehicle);
    std::int32_t* edges = solution.edges(vehicle);
    int num_removed = 0, free = first;
    for (int at = first; at < last; ++at) {
      const int node = nodes[at];
      solution.cost -= edges[at];
      if (at >= keep_from && at < keep_from + kept) {
        edges[free] = problem.edge(nodes[free - 1], node);
        solution.cost += edges[free];
        nodes[free] = node;
        solution.position[node] = free++;
      } else {
        removed[num_removed++] = node;
        solution.where[node] = -1;
        solution.capacity.remove(vehicle, node);
      }
    }
    solution.cost -= edges[last];
    for (int at = last; at <= length + 1; ++at) {
      edges[free + at - last] = edges[at];
      nodes[free + at - last] = nodes[at];
      solution.position[nodes[at]] = free + at - last;
    }
    edges[free] = problem.edge(nodes[free - 1], nodes[free]);
    solution.cost += edges[free];
    solution.length[vehicle] = length - num_removed;
    solution.num_routes -= num_removed == length;
    return num_removed;
  }

  Solution* solution_;
  std::uint64_t* ruined_;  // [R] the last iteration that ruined the route
};

}  // namespace vrp
