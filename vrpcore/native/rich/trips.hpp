// Trips of a route: what stands between two calls at a depot.
#pragma once

#include <cstdint>

#include "rich_problem.hpp"

namespace vrp {

// Takes away reloads before the first stop, after the last one, and behind another reload.
// Returns how many visits are left.
inline int tidy_trips(const RichProblem& problem, std::int32_t* visits, int count) {
  int kept = 0;
  for (int at = 0; at < count; ++at) {
    const bool reload = problem.is_reload(visits[at]);
    if (reload && (kept == 0 || problem.is_reload(visits[kept - 1]))) continue;
    visits[kept++] = visits[at];
  }
  return kept > 0 && problem.is_reload(visits[kept - 1]) ? kept - 1 : kept;
}

inline int count_reloads(const RichProblem& problem, const std::int32_t* visits, int count) {
  int found = 0;
  for (int at = 0; problem.in.trips && at < count; ++at) found += problem.is_reload(visits[at]);
  return found;
}

// When a trip may leave at the earliest, as a stop allows; a unit; all from a position on.
inline double earliest_of_stop(const RichProblem& problem, int stop) {
  return problem.in.stop_release[stop];
}
inline double earliest_of_unit(const RichProblem& problem, int unit) {
  const int partner = problem.in.partner[unit];
  const double own = earliest_of_stop(problem, unit);
  return partner < 0 ? own : std::max(own, earliest_of_stop(problem, partner));
}
inline double earliest_of_trip(const RichProblem& problem, const std::int32_t* visits, int count,
                               int at) {
  double latest = -kNever;
  for (; at < count && !problem.is_reload(visits[at]); ++at) {
    latest = std::max(latest, earliest_of_stop(problem, visits[at]));
  }
  return latest;
}

// The same of a route.
inline double earliest_of_route(const RichProblem& problem, int type, const std::int32_t* visits,
                                int count) {
  return std::max(problem.in.start_early[type], earliest_of_trip(problem, visits, count, 0));
}

// A reload as a part of a route; the trip behind it may leave at a time.
inline Segment reload_at(const RichProblem& problem, int visit, double earliest) {
  Segment reload = problem.visit[visit];
  reload.early = std::max(reload.early, earliest);
  return reload;
}

// Whether the trips of a route are ones: who is carried leaves in the same trip, and who is on
// board from the start in the first.
inline bool are_trips(const RichProblem& problem, int type, const std::int32_t* visits,
                      int count) {
  const RichInput& in = problem.in;
  int reloads = 0, carried = 0;
  for (int at = 0; at < count; ++at) {
    const int visit = visits[at];
    if (problem.is_reload(visit)) {
      const bool inside = at > 0 && at + 1 < count && !problem.is_reload(visits[at - 1]);
      if (!inside || carried != 0) return false;
      ++reloads;
    } else {
      if (reloads > 0 && in.first_trip[visit]) return false;
      if (in.partner[visit] >= 0) carried += problem.is_delivery_end(visit) ? -1 : 1;
    }
  }
  return reloads <= in.max_reloads[type];
}

// Whether what is on board fits in each trip, dimension and position.
inline bool trips_fit(const RichProblem& problem, int type, const std::int32_t* visits,
                      int count) {
  const RichInput& in = problem.in;
  const double* capacity = problem.amounts(in.capacity, type);
  const double* board = problem.amounts(in.board, type);
  for (int each = 0; each < in.dimensions; ++each) {
    for (int at = 0; at <= count; ++at) {
      double load = at == 0 ? board[each] : 0.0;
      for (int to = at; to < count && !problem.is_reload(visits[to]); ++to) {
        load += problem.amounts(in.delivery, visits[to])[each];
      }
      if (load > capacity[each]) return false;
      for (; at < count && !problem.is_reload(visits[at]); ++at) {
        load += problem.change(visits[at], each);
        if (load > capacity[each]) return false;
      }
    }
  }
  return true;
}

}  // namespace vrp
