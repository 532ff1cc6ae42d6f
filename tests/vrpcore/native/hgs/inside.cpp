// What the tests look at inside of the search. It is compiled before hgs.cpp, in one unit.

#include <cstdint>
#include <cstdlib>

#include "anneal.hpp"
#include "../shared/arithmetic.hpp"
#include "capacity.hpp"
#include "crossover.hpp"
#include "exchanges.hpp"
#include "problem.hpp"
#include "regions.hpp"
#include "../shared/random.hpp"
#include "split.hpp"

#define INSIDE extern "C" __attribute__((visibility("default")))

INSIDE double inside_log(double value) { return vrp::log_of(value); }
INSIDE double inside_exp(double power) { return vrp::exp_of(power); }
INSIDE double inside_rounded(double value) { return vrp::rounded(value); }

// `draws` [count, 4]: a unit, a number below `below`, a chance, an exponential, and so on.
INSIDE void inside_draws(std::uint64_t seed, int count, int below, double* draws) {
  vrp::Random random;
  random.seed(seed);
  for (int index = 0; index < count; ++index) {
    *draws++ = random.unit();
    *draws++ = random.below(below);
    *draws++ = random.chance(std::uint64_t{1} << 31) ? 1.0 : 0.0;
    *draws++ = random.exponential();
  }
}

struct InsideProblem {
  std::int32_t num_near;
  const std::int32_t *from, *into, *near;
};

INSIDE void inside_problem(const vrp::Problem* problem, InsideProblem* seen) {
  *seen = {problem->num_near, problem->from, problem->into, problem->near};
}

// Of a problem without a matrix: `length` [M, M], `near` [M, K].
INSIDE void inside_places(const vrp::Problem* problem, std::int64_t* length, std::int32_t* near) {
  for (int start = 0; start < problem->num_nodes; ++start) {
    for (int end = 0; end < problem->num_nodes; ++end) *length++ = problem->length(start, end);
  }
  const auto cells = static_cast<std::int64_t>(problem->num_nodes) * problem->num_near;
  for (std::int64_t cell = problem->num_near; cell < cells; ++cell) near[cell] = problem->near[cell];
}

// The first contradiction of a plan with itself; null where there is none.
INSIDE const char* inside_regions(const vrp::Regions* regions) {
  const vrp::LinkedPlan& plan = regions->plan;
  const vrp::Problem& problem = *plan.problem;
  std::int64_t cost = 0, served = 0;
  for (int row = 0; row < plan.vehicles; ++row) {
    const vrp::LinkedPlan::Route& route = plan.route[row];
    std::int64_t load = 0;
    int size = 0, before = 0;
    for (int at = route.first; at != 0; at = plan.stop[at].next) {
      const vrp::LinkedPlan::Stop& stop = plan.stop[at];
      if (stop.route != row) return "a customer names another route";
      if (stop.previous != before) return "links ahead and back differ";
      if (stop.into != problem.length(before, at)) return "a length into a customer";
      if (stop.out != problem.length(at, stop.next)) return "a length out of a customer";
      cost += stop.into;
      if (stop.next == 0) cost += stop.out;
      load += problem.demand[at];
      before = at;
      ++size;
    }
    if (route.last != before || route.size != size || route.load != load) return "a route's sums";
    if (load > problem.limit) return "an overloaded route";
    served += size;
  }
  if (served + plan.num_unserved != problem.num_nodes - 1) return "the number of the unserved";
  if (cost != plan.cost) return "the cost";
  return plan.rank() < plan.best_rank ? "the best" : nullptr;
}

struct InsideAnnealer {
  std::int32_t width, num_unserved, num_routes;
  std::int64_t cost, best_rank;
  const std::int32_t *route, *edge, *length, *where, *place, *unserved, *best_tour;
  const std::int64_t* load;
};

INSIDE void inside_annealer(const vrp::Annealer* annealer, InsideAnnealer* seen) {
  const auto& solution = annealer->solution;
  *seen = {solution.width,     solution.num_unserved, solution.num_routes,
           solution.cost,      annealer->best_rank,   solution.route,
           solution.edge,      solution.length,       solution.where,
           solution.position,     solution.unserved,     annealer->best_tour,
           solution.capacity.load};
}

// Writes behind an array, as no code should.
INSIDE void inside_overrun(vrp::Annealer* annealer) {
  annealer->solution.position[annealer->solution.problem->num_nodes] = 0;
}

namespace {

// One step of an education at a time.
class Step : public vrp::Exchanges {
 public:
  enum Kind { kPair, kStart, kExchange, kPut };

  Step(const vrp::Problem* problem, int vehicles) : Exchanges(problem, vehicles) {}

  void lay_out(vrp::Arena& arena) {
    lay_out_routes(arena);
    lay_out_exchanges(arena);
  }

  void take(Kind kind, int one, int other) {
    if (kind == kExchange) return exchange(one, other);
    if (kind == kPut) return put_again(one);
    set_first(one);
    if (kind == kPair) test_pair(other);
    if (kind == kStart) test_start(start_of(other));
    for (int lane = 0; lane < vehicles_; ++lane) update(lane);
  }

 private:
  // Empties a route and puts each of its customers somewhere.
  void put_again(int lane) {
    std::int32_t customers[100];
    int count = 0;
    for (int at = stop_[start_of(lane)].next; stop_[at].node != 0; at = stop_[at].next) {
      customers[count++] = at;
    }
    empty(lane);
    for (int index = 0; index < count; ++index) put(customers[index]);
  }
};

}  // namespace

// `tour` [M + R] before and after.
INSIDE void inside_step(const vrp::Problem* problem, int vehicles, double rate, int kind, int one,
                        int other, std::int32_t* tour) {
  Step counted(problem, vehicles), step(problem, vehicles);
  vrp::Arena bytes(nullptr);
  counted.lay_out(bytes);
  void* memory = std::malloc(bytes.used());
  vrp::Arena arena(memory);
  step.lay_out(arena);
  step.load(tour, rate);
  step.take(static_cast<Step::Kind>(kind), one, other);
  step.write_tour(tour);
  std::free(memory);
}

INSIDE void inside_split(const vrp::Problem* problem, int vehicles, double rate,
                         const std::int32_t* order, std::int32_t* tour) {
  vrp::Arena bytes(nullptr);
  vrp::Split::lay_out(bytes, problem, vehicles);
  void* memory = std::malloc(bytes.used());
  vrp::Arena arena(memory);
  vrp::Split::lay_out(arena, problem, vehicles).cut(order, rate, tour);
  std::free(memory);
}

// `order` [M - 1] of all customers; without parents any one.
INSIDE void inside_cross_orders(const vrp::Problem* problem, std::uint64_t seed,
                                const std::int32_t* mother, const std::int32_t* father,
                                std::int32_t* order) {
  vrp::Arena bytes(nullptr);
  vrp::Crossover::lay_out(bytes, problem);
  void* memory = std::malloc(bytes.used());
  vrp::Arena arena(memory);
  vrp::Crossover crossover = vrp::Crossover::lay_out(arena, problem);
  vrp::Random random;
  random.seed(seed);
  if (mother) crossover.cross_orders(random, mother, father);
  if (!mother) crossover.shuffle_order(random);
  for (int place = 0; place < problem->num_nodes - 1; ++place) order[place] = crossover.order[place];
  std::free(memory);
}

// `tour` [M + R] is the mother's before and the child's after.
INSIDE void inside_cross_regions(const vrp::Problem* problem, int vehicles, double rate,
                                 std::uint64_t seed, const std::int32_t* father,
                                 std::int32_t* tour) {
  Step counted(problem, vehicles), step(problem, vehicles);
  vrp::Arena bytes(nullptr);
  counted.lay_out(bytes);
  vrp::Crossover::lay_out(bytes, problem);
  void* memory = std::malloc(bytes.used());
  vrp::Arena arena(memory);
  step.lay_out(arena);
  vrp::Crossover crossover = vrp::Crossover::lay_out(arena, problem);
  vrp::Random random;
  random.seed(seed);
  crossover.cross_regions(random, tour, father, step, rate);
  step.write_tour(tour);
  std::free(memory);
}
