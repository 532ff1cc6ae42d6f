// Ruin: removes strings of customers from routes that are near each other.
//
// Source: Christiaens and Vanden Berghe 2020, "Slack Induction by String Removals for Vehicle
// Routing Problems", Transportation Science 54(2).
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/random.hpp"
#include "../shared/strings.hpp"
#include "solution.hpp"

namespace vrp {

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
    Strings strings = Strings::draw(
        random, static_cast<double>(num_customers) / std::max(1, solution.num_routes));
    const int seed = 1 + random.below(num_customers);
    int num_removed = 0;
    for (int rank = -1; rank < problem.num_near && strings.count > 0; ++rank) {
      const int customer =
          rank < 0 ? seed : problem.near[static_cast<std::int64_t>(seed) * problem.num_near + rank];
      const int vehicle = solution.where[customer];
      if (vehicle < 0 || ruined_[vehicle] == solution.iteration) continue;
      const String string = strings.draw_string(random, solution.length[vehicle]);
      ruined_[vehicle] = solution.iteration;
      num_removed += remove_string(random, customer, string, removed + num_removed);
      --strings.count;
    }
    return num_removed;
  }

 private:
  // Removes a string around a customer from its route.
  int remove_string(Random& random, int customer, const String& string, std::int32_t* removed) {
    Solution& solution = *solution_;
    const Problem& problem = *solution.problem;
    const int vehicle = solution.where[customer];
    const int length = solution.length[vehicle];
    const auto [size, kept] = string;
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
