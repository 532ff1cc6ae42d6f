// A child of two plans: routes of one that lie together, and the others' stops as the second plan
// serves them.
//
// After Nagata and Braysy 2009, "Edge assembly-based memetic algorithm for the capacitated vehicle
// routing problem", Networks 54(4), and the exchange of routes for plain instances (crossover.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/random.hpp"
#include "trips.hpp"

namespace vrp {

// Share of the first plan's routes that a child takes over.
constexpr double kLeastTaken = 0.2, kMostTaken = 0.6;

class RichCrossover {
 public:
  static RichCrossover lay_out(Arena& arena, const RichProblem* problem) {
    const auto stops = static_cast<std::size_t>(problem->in.num_stops);
    const auto routes = static_cast<std::size_t>(problem->max_routes);
    RichCrossover cross(problem);
    const auto visits = static_cast<std::size_t>(problem->max_visits());
    cross.child = arena.take<std::int32_t>(2 * visits + 2 * stops);
    cross.taken_ = arena.take<std::uint8_t>(stops);
    cross.at_ = arena.take<std::int32_t>(routes);
    cross.far_ = arena.take<double>(routes);
    return cross;
  }

  explicit RichCrossover(const RichProblem* problem) : problem_(problem) {}

  // Makes `child` from two plans, each of routes: type, number of stops and the stops. Takes the
  // first one's routes that come nearest to a random stop, and of the second one's routes what
  // is then left.
  void make(const std::int32_t* first, int first_size, const std::int32_t* second,
            int second_size, Random& random) {
    const int count = sort_routes(first, first_size, random.below(problem_->in.num_stops));
    const double share = kLeastTaken + (kMostTaken - kLeastTaken) * random.unit();
    const int most = std::max(1, static_cast<int>(share * count));
    std::fill(taken_, taken_ + problem_->in.num_stops, std::uint8_t{0});
    size = 0;
    for (int index = 0; index < std::min(most, count); ++index) add(first + at_[index]);
    for (int at = 0; at < second_size; at += 2 + second[at + 1]) add(second + at);
  }

  std::int32_t* child = nullptr;  // [2 V + 2 N] as the plans
  int size = 0;

 private:
  // Notes where each route begins, the nearest to a stop first; returns their number.
  int sort_routes(const std::int32_t* plan, int plan_size, int stop) {
    const std::int64_t row = problem_->node_of(stop);
    const double* lengths = problem_->distances(0) + row * problem_->num_nodes();
    int count = 0;
    for (int at = 0; at < plan_size; at += 2 + plan[at + 1]) {
      double nearest = kNever;
      for (int index = 0; index < plan[at + 1]; ++index) {
        nearest = std::min(nearest, lengths[problem_->node_of_visit(plan[at + 2 + index])]);
      }
      int position = count++;
      for (; position > 0 && far_[position - 1] > nearest; --position) {
        far_[position] = far_[position - 1];
        at_[position] = at_[position - 1];
      }
      far_[position] = nearest;
      at_[position] = at;
    }
    return count;
  }

  // Adds a route without the stops that the child has.
  void add(const std::int32_t* route) {
    int kept = 0;
    for (int index = 0; index < route[1]; ++index) {
      const int stop = route[2 + index];
      if (!problem_->is_reload(stop)) {
        if (taken_[stop]) continue;
        taken_[stop] = 1;
      }
      child[size + 2 + kept++] = stop;
    }
    if (problem_->in.trips) kept = tidy_trips(*problem_, child + size + 2, kept);
    if (kept == 0) return;
    child[size] = route[0];
    child[size + 1] = kept;
    size += 2 + kept;
  }

  const RichProblem* problem_;
  std::uint8_t* taken_ = nullptr;  // [N] 1: the child has the stop
  std::int32_t* at_ = nullptr;     // [R]
  double* far_ = nullptr;          // [R]
};

}  // namespace vrp
