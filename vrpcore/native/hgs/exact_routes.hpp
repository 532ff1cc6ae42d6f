// The cheapest routes of all, where customers are few: the cheapest order of every set of them,
// then the cheapest division into sets that fit. Both by dynamic programming.
//
// Source of the first: Held and Karp 1962, "A dynamic programming approach to sequencing
// problems", Journal of the Society for Industrial and Applied Mathematics 10(1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "problem.hpp"
#include "solution.hpp"

namespace vrp {

class ExactRoutes {
 public:
  // `matrix` [M, M]: lengths as they were read.
  ExactRoutes(Arena& arena, const Problem* problem, const double* matrix, int vehicles)
      : problem_(problem), matrix_(matrix), size_(problem->num_nodes - 1), vehicles_(vehicles) {
    const auto sets = std::size_t{1} << size_;
    path_ = arena.take<double>(sets * static_cast<std::size_t>(size_));
    route_ = arena.take<double>(sets);
    layer_ = arena.take<double>(sets * static_cast<std::size_t>(vehicles + 1));
  }

  // Writes the cheapest tour. Returns false if there is none with so many vehicles.
  bool find(std::int32_t* tour) {
    for (int set = 1; set < num_sets(); ++set) order(set);
    std::fill(layer_, layer_ + num_sets(), kNever);
    layer_[0] = 0.0;
    int best = 0;
    for (int used = 1; used <= vehicles_; ++used) {
      for (int set = 0; set < num_sets(); ++set) layer(used)[set] = divide(used, set, nullptr);
      if (layer(used)[num_sets() - 1] < layer(best)[num_sets() - 1]) best = used;
    }
    if (layer(best)[num_sets() - 1] == kNever) return false;
    write(best, tour);
    return true;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  int num_sets() const { return 1 << size_; }
  double* layer(int used) const { return layer_ + static_cast<std::int64_t>(used) * num_sets(); }
  double& path(int set, int last) const { return path_[set * size_ + last]; }

  // Between customers from 0; the depot is -1.
  double length(int from, int to) const {
    return matrix_[static_cast<std::int64_t>(from + 1) * problem_->num_nodes + to + 1];
  }

  // The cheapest path through a set to each of its customers, and the cheapest route.
  void order(int set) {
    std::int64_t load = 0;
    route_[set] = kNever;
    for (int last = 0; last < size_; ++last) {
      if (!(set >> last & 1)) continue;
      load += problem_->demand[last + 1];
      int before;
      path(set, last) = reach(set, last, before);
      route_[set] = std::min(route_[set], path(set, last) + length(last, -1));
    }
    if (load > problem_->limit) route_[set] = kNever;
  }

  // The cheapest path through a set to its last customer, and which one it passes before.
  double reach(int set, int last, int& before) const {
    const int rest = set ^ 1 << last;
    before = -1;
    double least = rest == 0 ? length(-1, last) : kNever;
    for (int other = 0; other < size_; ++other) {
      if (!(rest >> other & 1)) continue;
      const double cost = path(rest, other) + length(other, last);
      if (cost >= least) continue;
      least = cost;
      before = other;
    }
    return least;
  }

  // The least cost of a set in so many routes, and the customers of that with the first of them.
  double divide(int used, int set, int* chosen) const {
    double least = kNever;
    const int first = set & -set;
    for (int own = set; own > 0; own = (own - 1) & set) {
      if (!(own & first)) continue;
      const double cost = layer(used - 1)[set ^ own] + route_[own];
      if (cost >= least) continue;
      least = cost;
      if (chosen) *chosen = own;
    }
    return least;
  }

  void write(int used, std::int32_t* tour) const {
    for (int set = num_sets() - 1; used > 0; --used) {
      int own = 0;
      divide(used, set, &own);
      set ^= own;
      tour = write_route(own, tour);
      if (used > 1) *tour++ = 0;
    }
    *tour = kEnd;
  }

  // Writes the customers of a route; returns where the tour goes on.
  std::int32_t* write_route(int set, std::int32_t* tour) const {
    int last = 0, count = 0;
    double least = kNever;
    for (int each = 0; each < size_; ++each) {
      if (!(set >> each & 1)) continue;
      ++count;
      const double cost = path(set, each) + length(each, -1);
      if (cost >= least) continue;
      least = cost;
      last = each;
    }
    for (int at = count - 1; at >= 0; --at) {
      tour[at] = last + 1;
      int before;
      reach(set, last, before);
      set ^= 1 << last;
      last = before;
    }
    return tour + count;
  }

  const Problem* problem_;
  const double* matrix_;
  int size_, vehicles_;       // N, R
  double* path_ = nullptr;     // [2^N, N]
  double* route_ = nullptr;   // [2^N] infinite where the load is too much
  double* layer_ = nullptr;   // [R + 1, 2^N] the least cost of a set in so many routes
};

}  // namespace vrp
