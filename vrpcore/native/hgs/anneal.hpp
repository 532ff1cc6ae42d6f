// Simulated annealing by ruin and recreate.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arithmetic.hpp"
#include "../shared/clock.hpp"
#include "../shared/random.hpp"
#include "recreate.hpp"
#include "ruin.hpp"
#include "solution.hpp"

namespace vrp {

// Length and temperatures of a run: a solution that costs d more is accepted with probability
// exp(-d / temperature). The temperature falls from `warmest` to `coolest` in equal ratios.
struct Schedule {
  std::int64_t iterations;  // at most
  double seconds;           // at most; below 0: no time limit
  double warmest;           // > 0, in whole-number lengths
  double coolest;           // > 0
};

// How much more scattered the free capacity may become, on average, while a customer is unserved.
constexpr double kScatterNoise = 0.3;
constexpr std::int64_t kStep = 50;  // iterations per temperature and per check of the clock

// Whether an iteration that changes the cost by `difference` is accepted. Fewer unserved customers
// come first, cost second. While any customer is unserved, cost is ignored: free capacity gathered
// in few vehicles makes room for that customer. `scatter` is that of the last accepted solution,
// `scatter_now` returns that of this one.
template <class ScatterNow>
bool is_accepted(Random& random, int unserved_before, int unserved, std::int64_t difference,
                 double temperature, double& scatter, ScatterNow scatter_now) {
  if (unserved_before == 0) {
    if (unserved > 0) return false;
    return static_cast<double>(difference) < temperature * random.exponential();
  }
  const double now = scatter_now();
  if (unserved >= unserved_before &&
      now > scatter * (1.0 + kScatterNoise * random.exponential())) {
    return false;
  }
  scatter = now;
  return true;
}

// Not thread-safe: use one annealer per thread.
class Annealer {
 public:
  static Annealer* lay_out(Arena& arena, const Problem* problem, int vehicles, int width) {
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    auto* annealer = arena.take<Annealer>(1);
    Annealer unplaced(Solution::lay_out(arena, problem, vehicles, width));
    Annealer* made = annealer ? new (annealer) Annealer(unplaced) : &unplaced;
    made->ruin_ = Ruin::lay_out(arena, &made->solution);
    made->recreate_ = Recreate::lay_out(arena, &made->solution);
    made->best_tour = arena.take<std::int32_t>(nodes + vehicles);
    made->missing_ = arena.take<std::int32_t>(nodes);
    made->removed_ = arena.take<std::int32_t>(nodes);
    return annealer;
  }

  // Loads a tour of at most R routes, inserts the customers that it leaves out, and records
  // the result as the best.
  void begin(const std::int32_t* tour) {
    solution.read_tour(tour, missing_);
    int count = 0;
    for (int node = 1; node < solution.problem->num_nodes; ++node) {
      if (missing_[node]) removed_[count++] = node;
    }
    solution.begin_iteration();
    recreate_.insert(random, removed_, count);
    solution.cost = solution.routes_cost();
    scatter_ = solution.capacity.scatter(solution.vehicles);
    keep_best();
  }

  // Returns the number of iterations.
  std::int64_t run(const Schedule& schedule) {
    const double fall = log_of(schedule.coolest / schedule.warmest);
    const double began = schedule.seconds < 0.0 ? 0.0 : clock_seconds();
    const Problem& problem = *solution.problem;
    std::int64_t done = 0;
    problem.note(0, best_rank, false);
    while (done < schedule.iterations && !is_over(problem.watch)) {
      double share = static_cast<double>(done) / static_cast<double>(schedule.iterations);
      if (schedule.seconds >= 0.0) {
        const double spent = clock_seconds() - began;
        if (spent >= schedule.seconds) break;
        share = std::max(share, spent / schedule.seconds);
      }
      const double temperature = schedule.warmest * exp_of(fall * share);
      const std::int64_t begun = done, end = std::min(done + kStep, schedule.iterations);
      const std::int64_t known = best_rank;
      for (; done < end; ++done) iterate(temperature);
      problem.note(done - begun, best_rank, best_rank < known);
    }
    return done;
  }

  Random random;
  Solution solution;
  std::int64_t best_rank = 0;
  std::int32_t* best_tour = nullptr;  // [M + R]

 private:
  explicit Annealer(const Solution& empty)
      : solution(empty), ruin_(nullptr, nullptr), recreate_(nullptr) {}

  void iterate(double temperature) {
    solution.begin_iteration();
    const std::int64_t before = solution.cost;
    int count = ruin_.remove(random, removed_);
    for (int index = 0; index < solution.old_num_unserved; ++index) {
      removed_[count++] = solution.old_unserved[index];
    }
    recreate_.insert(random, removed_, count);
    const auto scatter_now = [this] { return solution.capacity.scatter(solution.vehicles); };
    if (!is_accepted(random, solution.old_num_unserved, solution.num_unserved,
                     solution.cost - before, temperature, scatter_, scatter_now)) {
      solution.restore();
      solution.cost = before;
    } else if (solution.rank() < best_rank) {
      keep_best();
    }
  }

  void keep_best() {
    best_rank = solution.rank();
    solution.write_tour(best_tour);
  }

  Ruin ruin_;
  Recreate recreate_;
  std::int32_t* missing_ = nullptr;   // [M] 1: the tour does not visit this customer
  std::int32_t* removed_ = nullptr;   // [M]
  double scatter_ = 0.0;              // of the free capacity, while a customer is unserved
};

}  // namespace vrp
