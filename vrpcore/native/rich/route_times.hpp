// When each place of a route can be left and must be reached.
#pragma once

#include <algorithm>

#include "plan_route.hpp"

namespace vrp {

// By earliest and latest arrivals only.
inline void set_arrivals(const RichProblem& problem, const PlanRoute& route, Gap* gaps,
                         const Place* places) {
  double ready = problem.start_of(route.type).early;
  gaps[0].ready = ready;
  for (int at = 1; at <= route.count; ++at) {
    const Segment& visit = problem.visit[gaps[at].node - problem.in.num_depots];
    ready = std::max(ready + places[at - 1].leg, visit.early) + visit.duration;
    gaps[at].ready = ready;
  }
  double due = problem.end_of(route.type).late + problem.in.slack;
  gaps[route.count].due = due;
  for (int at = route.count; at > 0; --at) {
    const Segment& visit = problem.visit[gaps[at].node - problem.in.num_depots];
    due = std::min(due - places[at].leg - visit.duration, visit.late + problem.in.slack);
    gaps[at - 1].due = due;
  }
}

// By the parts before and after each place, which tell the duration, too.
inline void set_parts(const RichProblem& problem, const PlanRoute& route, Gap* gaps, Place* places) {
  places[0].before = problem.start_of(route.type);
  places[route.count + 1].after = problem.end_of(route.type);
  for (int at = 1; at <= route.count; ++at) {
    const Segment& visit = problem.visit[gaps[at].node - problem.in.num_depots];
    join(places[at - 1].before, places[at - 1].leg, visit, kNever, places[at].before);
  }
  for (int at = route.count; at > 0; --at) {
    const Segment& visit = problem.visit[gaps[at].node - problem.in.num_depots];
    join(visit, places[at].leg, places[at + 1].after, kNever, places[at].after);
  }
  for (int at = 0; at <= route.count; ++at) {
    gaps[at].ready = places[at].before.early + places[at].before.duration;
    gaps[at].due = places[at + 1].after.late + problem.in.slack;
  }
}

// Fills the rows of a route whose stops and legs are known.
inline void set_times(const RichProblem& problem, const PlanRoute& route, Gap* gaps, Place* places) {
  if (problem.terms[route.type].in_segments) {
    set_parts(problem, route, gaps, places);
  } else {
    set_arrivals(problem, route, gaps, places);
  }
}

}  // namespace vrp
