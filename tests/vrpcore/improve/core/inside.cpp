// What the tests look at inside of the search. It is compiled before core.cpp, in one unit.

#include <cstdint>

#include "anneal.hpp"
#include "arithmetic.hpp"
#include "capacity.hpp"
#include "problem.hpp"
#include "random.hpp"

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

struct InsideAnnealer {
  std::int32_t width, num_unserved, num_routes;
  std::int64_t cost, best_rank;
  const std::int32_t *route, *edge, *length, *where, *place, *unserved, *best_tour;
  const std::int64_t* load;
};

INSIDE void inside_annealer(const vrp::Annealer<vrp::Capacity>* annealer, InsideAnnealer* seen) {
  const auto& solution = annealer->solution;
  *seen = {solution.width,     solution.num_unserved, solution.num_routes,
           solution.cost,      annealer->best_rank,   solution.route,
           solution.edge,      solution.length,       solution.where,
           solution.place,     solution.unserved,     annealer->best_tour,
           solution.rules.load};
}

// Writes behind an array, as no code should.
INSIDE void inside_overrun(vrp::Annealer<vrp::Capacity>* annealer) {
  annealer->solution.place[annealer->solution.problem->num_nodes] = 0;
}
