// A plan of linked customers: a change costs what changes, however many customers there are.
//
// Threads change it side by side, each the routes of its own region.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../shared/arena.hpp"
#include "problem.hpp"
#include "solution.hpp"

namespace vrp {

// Customers around each one whose legs say how long legs are there.
constexpr int kLegs = 15;

struct LinkedPlan {
  // What an iteration may change of a customer. Next to a depot the neighbour is 0.
  struct Links {
    std::int32_t next, previous;
    std::int32_t route;      // -1: unserved
    std::int32_t into, out;  // lengths from `previous` and to `next`
  };

  // A customer, in one line of the cache.
  struct alignas(64) Stop : Links {
    std::int32_t region;  // fixed while regions are searched
    Place place;
    std::uint64_t touched;  // the last iteration that changed it
  };

  struct Ends {
    std::int32_t first, last;  // 0: an empty route
    std::int32_t size;
    std::int64_t load;
  };

  struct Route : Ends {
    std::uint64_t touched;  // the last iteration that changed it
    std::uint64_t ruined;   // the last iteration that took customers out
    bool listed;            // among the empty ones of its region
  };

  const Problem* problem;
  int vehicles;                // R, most routes
  Stop* stop;                  // [M]
  Route* route;                // [R]
  std::int32_t* near_length;   // [M, K] to the near customers; none where there is a matrix
  float* scale;                // [M] how much warmer it is around each customer
  std::int64_t cost;           // of the routes
  std::int64_t num_unserved;
  std::int64_t best_rank;
  std::int32_t* best_next;     // [M]
  std::int32_t* best_first;    // [R]

  static LinkedPlan lay_out(Arena& arena, const Problem* problem, int vehicles) {
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    const auto rows = static_cast<std::size_t>(vehicles);
    LinkedPlan made{};
    made.problem = problem;
    made.vehicles = vehicles;
    made.stop = arena.take<Stop>(nodes);
    made.route = arena.take<Route>(rows);
    made.near_length = arena.take<std::int32_t>(problem->place ? nodes * problem->num_near : 0);
    made.scale = arena.take<float>(nodes);
    made.best_next = arena.take<std::int32_t>(nodes);
    made.best_first = arena.take<std::int32_t>(rows);
    return made;
  }

  std::int32_t length(int start, int end) const {
    if (!problem->place) return problem->edge(start, end);
    return problem->measure.between(stop[start].place, stop[end].place);
  }

  std::int64_t rank() const { return cost + num_unserved * kUnservedRank; }

  // Loads a tour of at most R routes; customers that it leaves out are unserved.
  void read_tour(const std::int32_t* tour) {
    const int nodes = problem->num_nodes;
    for (int node = 0; node < nodes; ++node) {
      stop[node] = Stop{};
      stop[node].route = -1;
      if (problem->place) stop[node].place = problem->place[node];
    }
    for (int vehicle = 0; vehicle < vehicles; ++vehicle) route[vehicle] = Route{};
    cost = 0;
    num_unserved = nodes - 1;
    int vehicle = 0, before = 0;
    for (; *tour != kEnd; ++tour) {
      Route& row = route[vehicle];
      if (*tour == 0) {
        vehicle += row.size > 0;
        before = 0;
        continue;
      }
      Stop& added = stop[*tour];
      if (before) cost -= stop[before].out;
      added.route = vehicle;
      added.previous = before;
      added.next = 0;
      added.into = length(before, *tour);
      added.out = length(*tour, 0);
      cost += static_cast<std::int64_t>(added.into) + added.out;
      if (before) {
        stop[before].next = *tour;
        stop[before].out = added.into;
      } else {
        row.first = *tour;
      }
      row.last = *tour;
      ++row.size;
      row.load += problem->demand[*tour];
      --num_unserved;
      before = *tour;
    }
    set_scale();
    keep_all();
  }

  // Copies the plan as the best.
  void keep_all() {
    best_rank = rank();
    for (int node = 0; node < problem->num_nodes; ++node) best_next[node] = stop[node].next;
    for (int vehicle = 0; vehicle < vehicles; ++vehicle) best_first[vehicle] = route[vehicle].first;
  }

  void set_near_lengths() {
    const std::int64_t near = problem->num_near;
    for (std::int64_t node = 1; problem->place && node < problem->num_nodes; ++node) {
      for (std::int64_t cell = node * near; cell < (node + 1) * near; ++cell) {
        near_length[cell] = problem->measure.between(problem->place[node],
                                                     problem->place[problem->near[cell]]);
      }
    }
  }

  // Writes the best tour: the customers of each route followed by 0, then `kEnd`.
  void write_best(std::int32_t* tour) const {
    for (int vehicle = 0; vehicle < vehicles; ++vehicle) {
      for (int at = best_first[vehicle]; at != 0; at = best_next[at]) {
        *tour++ = at;
        if (best_next[at] == 0) *tour++ = 0;
      }
    }
    *tour = kEnd;
  }

 private:
  // Where legs are twice as long, rises of cost are typically twice as high. The square root,
  // because legs between towns are rare and long.
  void set_scale() {
    const Problem& all = *problem;
    const int near = std::min(kLegs, all.num_near);
    double sum = 0.0;
    for (int node = 1; node < all.num_nodes; ++node) {
      double legs = leg(node);
      for (int rank = 0; rank < near; ++rank) {
        legs += leg(all.near[static_cast<std::int64_t>(node) * all.num_near + rank]);
      }
      scale[node] = static_cast<float>(legs);
      sum += legs;
    }
    const double mean = std::max(1.0, sum / (all.num_nodes - 1));
    for (int node = 1; node < all.num_nodes; ++node) {
      scale[node] = static_cast<float>(std::sqrt(scale[node] / mean));
    }
  }

  // The mean of a customer's legs to other customers.
  double leg(int node) const {
    const Stop& at = stop[node];
    const int count = (at.previous != 0) + (at.next != 0);
    if (count == 0) return 0.5 * (static_cast<double>(at.into) + at.out);
    return ((at.previous ? at.into : 0.0) + (at.next ? at.out : 0.0)) / count;
  }
};

}  // namespace vrp
