// The way of a vehicle through its route, whatever its times are kept as: see steps.hpp.
#pragma once

#include <cstdint>

#include "board.hpp"
#include "trips.hpp"

namespace vrp {

// Takes breaks, if that is of use; with limits on what is on board. `begins`: a route without a
// start begins with the first one.
template <class Times>
[[gnu::always_inline]] inline void rest(const RichProblem& problem, const TypeTerms& terms,
                                        const Board* board, bool begins, Times& times) {
  terms.breaks.forward([&](int taken, int each, int more) __attribute__((always_inline)) {
    const int own = terms.first_break + each;
    if (!times.has(taken) || (terms.rests_by_load && !board->allows(own))) return;
    Step step = problem.rest_of(own);
    step.waits = !(begins && taken == 0);
    times.go_on(taken, more, step);
  });
}

// The same backwards.
template <class Times>
[[gnu::always_inline]] inline void rest_before(const RichProblem& problem, const TypeTerms& terms,
                                               Times& times) {
  terms.breaks.backward([&](int taken, int each, int more) __attribute__((always_inline)) {
    if (times.has(more)) times.go_on(more, taken, problem.rest_of(terms.first_break + each));
  });
}

// Follows a vehicle from its start to its last stop, and lets it rest there. Returns from which
// node it goes on to the end of the route; -1 if it is late before.
template <class Times>
int follow(const RichProblem& problem, int type, const std::int32_t* visits, int count,
           Times& times) {
  const TypeTerms& terms = problem.terms[type];
  const bool open = problem.is_open(type);
  Board board(&problem);
  if (terms.rests_by_load) board.fill(type, visits, count, 0);
  int from = problem.in.start[type];
  for (int at = 0;; ++at) {
    if (terms.breaks.count > 0) rest(problem, terms, &board, open && at == 0, times);
    if (at == count) return from;
    Step step = problem.step_of(type, from, visits[at]);
    if (problem.is_reload(visits[at])) {
      step.earliest = earliest_of_trip(problem, visits, count, at + 1);
    }
    if (!visit(times, terms.breaks.num_sets(), step, open && at == 0)) return -1;
    if (terms.rests_by_load) board.move(type, visits, count, at);
    from = problem.node_of_visit(visits[at]);
  }
}

}  // namespace vrp
