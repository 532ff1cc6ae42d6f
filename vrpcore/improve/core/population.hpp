// The best different solutions found, and children of two of them.
//
// Source: after Nagata and Kobayashi 2010, "A Memetic Algorithm for the Pickup and Delivery
// Problem with Time Windows Using Selective Route Exchange Crossover".
#pragma once

#include <algorithm>
#include <cstdint>

#include "anneal.hpp"

namespace vrp {

struct Population {
  int capacity;
  int size;
  int tour_length;      // numbers of a row of `tour`
  std::int64_t* rank;   // [capacity]
  std::int32_t* tour;   // [capacity, tour_length]
  std::int32_t* first;  // [M] where each of the father's routes begins in his tour,
  std::int32_t* last;   // [M] ends,
  std::int32_t* share;  // [M] and how much of it is missing, in thousandths

  static Population* lay_out(Arena& arena, int capacity, int num_nodes, int vehicles) {
    const int tour_length = num_nodes + vehicles;
    const auto nodes = static_cast<std::size_t>(num_nodes);
    auto* population = arena.take<Population>(1);
    auto* rank = arena.take<std::int64_t>(static_cast<std::size_t>(capacity));
    auto* tour = arena.take<std::int32_t>(static_cast<std::size_t>(capacity) * tour_length);
    auto* first = arena.take<std::int32_t>(nodes);
    auto* last = arena.take<std::int32_t>(nodes);
    auto* share = arena.take<std::int32_t>(nodes);
    if (population) {
      new (population) Population{capacity, 0, tour_length, rank, tour, first, last, share};
    }
    return population;
  }

  std::int32_t* member(int index) const {
    return tour + static_cast<std::int64_t>(index) * tour_length;
  }

  int best() const {
    return static_cast<int>(std::min_element(rank, rank + size) - rank);
  }

  // Takes a solution in, unless one of its rank is there or all that are there are better.
  void admit(std::int64_t new_rank, const std::int32_t* new_tour) {
    int index = size;
    if (size == capacity) {
      index = static_cast<int>(std::max_element(rank, rank + size) - rank);
      if (new_rank >= rank[index]) return;
    }
    for (int other = 0; other < size; ++other) {
      if (rank[other] == new_rank) return;
    }
    rank[index] = new_rank;
    size = std::max(size, index + 1);
    std::int32_t* to = member(index);
    while ((*to++ = *new_tour++) != kEnd) {
    }
  }

  // Lays out the mother's routes with a region of them replaced by the father's.
  template <class Rules>
  void cross(Annealer<Rules>& child, const std::int32_t* mother, const std::int32_t* father) {
    Solution<Rules>& solution = child.solution;
    const int num_routes = child.load(mother);
    const int dropped = drop_region(child, num_routes);
    const int count = measure(child, father);
    int vehicle = 0;
    for (int chosen = 0; chosen < dropped; ++chosen) {
      const int index = static_cast<int>(std::max_element(share, share + count) - share);
      while (vehicle < solution.vehicles && solution.length[vehicle] > 0) ++vehicle;
      if (vehicle == solution.vehicles || share[index] == 0) break;
      share[index] = 0;
      for (int at = first[index]; at < last[index]; ++at) {
        if (!child.missing[father[at]]) continue;
        child.missing[father[at]] = 0;
        solution.append(father[at], vehicle);
      }
    }
    child.complete();
  }

  // Makes children of random pairs, anneals and admits them; at least two members. Ends
  // early when the seconds are over, if a clock runs. Returns the children made.
  template <class Rules>
  int breed(Annealer<Rules>& child, int children, const Schedule& schedule) {
    const double end = schedule.seconds < 0.0 ? 0.0 : clock_seconds() + schedule.seconds;
    Schedule each = schedule;
    for (int done = 0; done < children; ++done) {
      if (schedule.seconds >= 0.0 && clock_seconds() >= end) return done;
      const int mother = child.random.below(size);
      int father = child.random.below(size - 1);
      father += father >= mother;
      cross(child, member(mother), member(father));
      each.seconds = -1.0;
      child.run(each);
      admit(child.best_rank, child.best_tour);
    }
    return children;
  }

 private:
  // Empties up to half of the routes, those around a random customer; theirs are missing.
  template <class Rules>
  static int drop_region(Annealer<Rules>& child, int num_routes) {
    Solution<Rules>& solution = child.solution;
    const Problem& problem = *solution.problem;
    const int half = 1 + child.random.below(std::max(1, num_routes / 2));
    const int wanted = std::max(1, std::min(num_routes - 1, half));
    const int seed = 1 + child.random.below(problem.num_nodes - 1);
    int dropped = 0;
    for (int rank = -1; rank < problem.num_near && dropped < wanted; ++rank) {
      const int customer =
          rank < 0 ? seed : problem.near[static_cast<std::int64_t>(seed) * problem.num_near + rank];
      const int vehicle = solution.where[customer];
      if (vehicle < 0) continue;
      solution.empty(vehicle, child.missing);
      ++dropped;
    }
    return dropped;
  }

  // Each of the father's routes: where it stands, and how much of it is missing.
  template <class Rules>
  int measure(const Annealer<Rules>& child, const std::int32_t* father) {
    int count = 0, begin = 0, missing = 0;
    for (int at = 0; father[at] != kEnd; ++at) {
      if (father[at] != 0) {
        missing += child.missing[father[at]];
        continue;
      }
      first[count] = begin;
      last[count] = at;
      share[count++] = 1000 * missing / std::max(1, at - begin);
      begin = at + 1;
      missing = 0;
    }
    return count;
  }
};

}  // namespace vrp
