// What is on board at each position of a route.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan_route.hpp"

namespace vrp {

// By cells and dimensions, of all routes: see `FleetPlan`.
struct Loads {
  double *load, *before, *after;

  static double& cell(double* array, const RichProblem& problem, int at, int each) {
    return array[static_cast<std::int64_t>(at) * problem.in.dimensions + each];
  }
};

// The load behind each position of a trip, and the largest up to it and from it on. The load with
// which it begins is known.
inline void set_loads_on_board(const RichProblem& problem, const PlanRoute& route, const Arc* arcs,
                               const Loads& loads, int first, int last, int each) {
  const auto cell = [&](double* array, int at) -> double& {
    return Loads::cell(array, problem, route.row + at, each);
  };
  double now = cell(loads.load, first), peak = now;
  cell(loads.before, first) = now;
  for (int at = first + 1; at <= last; ++at) {
    now += problem.change(arcs[at].node - problem.in.num_depots, each);
    peak = std::max(peak, now);
    cell(loads.load, at) = now;
    cell(loads.before, at) = peak;
  }
  peak = -kNever;
  for (int at = last; at >= first; --at) {
    peak = std::max(peak, cell(loads.load, at));
    cell(loads.after, at) = peak;
  }
}

// Fills what is on board in the cells of a route. Where nothing comes on board at a stop, only at
// the start of its trips.
inline void set_loads(const RichProblem& problem, const PlanRoute& route, const Arc* arcs,
                      const Loads& loads) {
  const RichInput& in = problem.in;
  for (int each = 0; each < in.dimensions; ++each) {
    double board = problem.amounts(in.board, route.type)[each];
    for (int first = 0; first <= route.count;) {
      double now = board;
      int last = first;
      for (; last < route.count && !problem.is_depot(arcs[last + 1].node); ++last) {
        now += problem.amounts(in.delivery, arcs[last + 1].node - in.num_depots)[each];
      }
      Loads::cell(loads.load, problem, route.row + first, each) = now;
      if (problem.collects) set_loads_on_board(problem, route, arcs, loads, first, last, each);
      board = 0.0;
      first = last + 1;
    }
  }
}

}  // namespace vrp
