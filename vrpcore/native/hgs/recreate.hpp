// Recreate: inserts customers one after the other where each costs least.
//
// Source: as for ruin; now and then a position is skipped ("blinks").
#pragma once

#include <cstdint>
#include <utility>

#include "../shared/random.hpp"
#include "solution.hpp"

namespace vrp {

// How often a position for a customer is skipped, in 2^-32.
constexpr std::uint64_t kBlink = 42'949'673;  // 0.01
// With more nodes, only positions next to this many nearest customers are tried first.
constexpr int kManyNodes = 250;
constexpr int kNearPositions = 30;
// How often the fullest vehicles are filled first, while a customer is unserved.
constexpr std::uint64_t kFillUp = std::uint64_t{1} << 31;
constexpr std::int64_t kFar = std::int64_t{1} << 62;

// Sorts customers for insertion: in random order, or largest, farthest or nearest first, 4, 4, 2
// and 1 times in 11. `far` gives a customer's length from the depot; `key` has room for as many.
template <class Far>
void sort_for_insertion(Random& random, const Problem& problem, std::int32_t* customers, int count,
                        double* key, Far far) {
  const int order = random.below(11);
  for (int index = 0; index < count; ++index) {
    const int customer = customers[index];
    double own = 0.0;
    if (order < 4) {
      own = random.unit();
    } else if (order < 8) {
      own = -static_cast<double>(problem.demand[customer]);
    } else if (order < 10) {
      own = -far(customer);
    } else {
      own = far(customer);
    }
    int free = index;
    for (; free > 0 && key[free - 1] > own; --free) {
      key[free] = key[free - 1];
      customers[free] = customers[free - 1];
    }
    key[free] = own;
    customers[free] = customer;
  }
}

class Recreate {
 public:
  static Recreate lay_out(Arena& arena, Solution* solution) {
    const auto nodes = static_cast<std::size_t>(solution->problem->num_nodes);
    Recreate made(solution);
    made.key_ = arena.take<double>(nodes);
    return made;
  }

  explicit Recreate(Solution* solution) : solution_(solution) {}

  // Inserts customers and updates the cost. Lists those that fit nowhere as unserved.
  void insert(Random& random, std::int32_t* customers, int count) {
    const Problem& problem = *solution_->problem;
    sort_for_insertion(random, problem, customers, count, key_, [&problem](int customer) {
      return static_cast<double>(problem.from[customer]);
    });
    const bool fill_up = solution_->old_num_unserved > 0 && random.chance(kFillUp);
    solution_->num_unserved = 0;
    for (int index = 0; index < count; ++index) insert(random, customers[index], fill_up);
  }

 private:
  struct Position {
    std::int64_t cost = kFar;
    int vehicle = -1;
    int at = 1;
  };

  void insert(Random& random, int customer, bool fill_up) {
    Solution& solution = *solution_;
    const Problem& problem = *solution.problem;
    Position best;
    if (fill_up) best = fullest_vehicle(customer);
    if (best.vehicle < 0 && problem.num_nodes > kManyNodes) best = near_position(random, customer);
    if (best.vehicle < 0) best = any_position(random, customer);
    if (best.vehicle < 0) best = empty_vehicle(customer);
    if (best.vehicle < 0) {
      solution.unserved[solution.num_unserved++] = customer;
      return;
    }
    solution.insert(customer, best.vehicle, best.at);
    // Not every matrix obeys the triangle inequality: an insertion may gain.
    solution.cost += best.cost;
  }

  Position empty_vehicle(int customer) const {
    const Solution& solution = *solution_;
    Position found;
    for (int vehicle = 0; vehicle < solution.vehicles; ++vehicle) {
      if (solution.length[vehicle] > 0) continue;
      if (!solution.capacity.has_room(vehicle, customer)) continue;
      const Problem& problem = *solution.problem;
      found.cost = problem.length(0, customer) + problem.length(customer, 0);
      found.vehicle = vehicle;
      return found;
    }
    return found;
  }

  // The cheapest position in one route, with its cost.
  std::pair<std::int64_t, int> cheapest_in(int vehicle, int customer) const {
    const Problem& problem = *solution_->problem;
    const std::int64_t row = static_cast<std::int64_t>(customer) * problem.num_nodes;
    const std::int32_t* there = problem.into + row;
    const std::int32_t* back = problem.from + row;
    const std::int32_t* nodes = solution_->row(vehicle);
    const std::int32_t* edges = solution_->edges(vehicle);
    const int last = solution_->length[vehicle] + 1;
    std::int64_t cheapest = kFar;
    int best = 1;
    std::int64_t before = there[0];
    for (int at = 1; at <= last; ++at) {
      const std::int64_t cost = before + back[nodes[at]] - edges[at];
      before = there[nodes[at]];
      if (cost < cheapest) {
        cheapest = cost;
        best = at;
      }
    }
    return {cheapest, best};
  }

  Position fullest_vehicle(int customer) const {
    const Solution& solution = *solution_;
    Position best;
    for (int vehicle = 0; vehicle < solution.vehicles; ++vehicle) {
      if (solution.length[vehicle] == 0 || !solution.capacity.has_room(vehicle, customer)) continue;
      if (best.vehicle >= 0 && !solution.capacity.is_fuller(vehicle, best.vehicle)) continue;
      best.vehicle = vehicle;
    }
    if (best.vehicle >= 0) {
      const auto [cost, at] = cheapest_in(best.vehicle, customer);
      best = {cost, best.vehicle, at};
    }
    return best;
  }

  Position any_position(Random& random, int customer) const {
    const Solution& solution = *solution_;
    Position best;
    for (int vehicle = 0; vehicle < solution.vehicles; ++vehicle) {
      if (solution.length[vehicle] == 0 || !solution.capacity.has_room(vehicle, customer)) continue;
      const auto [cost, at] = cheapest_in(vehicle, customer);
      if (cost < best.cost && !random.chance(kBlink)) best = {cost, vehicle, at};
    }
    return best;
  }

  // The cheapest position next to a near customer.
  Position near_position(Random& random, int customer) const {
    const Solution& solution = *solution_;
    const Problem& problem = *solution.problem;
    const std::int64_t row = static_cast<std::int64_t>(customer) * problem.num_nodes;
    const std::int32_t* there = problem.into + row;
    const std::int32_t* back = problem.from + row;
    const std::int32_t* near =
        problem.near + static_cast<std::int64_t>(customer) * problem.num_near;
    Position best;
    for (int rank = 0; rank < kNearPositions && rank < problem.num_near; ++rank) {
      const int node = near[rank];
      const int vehicle = solution.where[node];
      if (vehicle < 0 || !solution.capacity.has_room(vehicle, customer)) continue;
      const int at = solution.position[node];
      const std::int32_t* nodes = solution.row(vehicle);
      const std::int32_t* edges = solution.edges(vehicle);
      const std::int64_t first =
          static_cast<std::int64_t>(there[nodes[at - 1]]) + back[node] - edges[at];
      if (first < best.cost && !random.chance(kBlink)) best = {first, vehicle, at};
      const std::int64_t second =
          static_cast<std::int64_t>(there[node]) + back[nodes[at + 1]] - edges[at + 1];
      if (second < best.cost && !random.chance(kBlink)) best = {second, vehicle, at + 1};
    }
    return best;
  }

  Solution* solution_;
  double* key_ = nullptr;  // [M]
};

}  // namespace vrp
