// When each position of a route can be left and must be reached.
#pragma once

#include <algorithm>

#include "plan_route.hpp"

namespace vrp {

// The cells of a route.
struct RouteRow {
  Arc* arcs;
  Position* positions;
  InTrip* in_trip;  // of plans with trips
};

// Where trips begin, when they may leave, and the number of reloads.
inline void set_trips(const RichProblem& problem, const std::int32_t* stops, InTrip* row,
                      PlanRoute& made) {
  for (int first = 0, last; first <= made.count; first = last + 1) {
    double before = -kNever, behind = -kNever;
    for (last = first;; ++last) {
      if (last > first) before = std::max(before, earliest_of_stop(problem, stops[last - 1]));
      row[last].before = before;
      row[last].first = first;
      if (last == made.count || problem.is_reload(stops[last])) break;
    }
    for (int at = last; at >= first; --at) {
      row[at].earliest = before;
      row[at].behind = behind;
      if (at > first) behind = std::max(behind, earliest_of_stop(problem, stops[at - 1]));
    }
    if (last < made.count) {
      made.first_reload = std::min(made.first_reload, static_cast<std::int32_t>(last));
      ++made.reloads;
    }
  }
}

// When the route may leave, and where pickups and deliveries are.
inline void set_kinds(const RichProblem& problem, const std::int32_t* stops, PlanRoute& made) {
  made.past_delivery = 0;
  for (int at = 0; at < made.count; ++at) {
    const int stop = stops[at], kind = problem.kind[stop];
    if (at < made.first_reload) {
      made.earliest = std::max(made.earliest, earliest_of_stop(problem, stop));
    }
    made.kinds |= kind;
    if (kind & 1) made.past_delivery = at + 1;
    if (kind & 2) made.first_pickup = std::min(made.first_pickup, at);
  }
}

// By earliest and latest arrivals only.
inline void set_arrivals(const RichProblem& problem, const PlanRoute& route, Arc* arcs,
                         const Position* positions) {
  double ready = problem.start_of(route.type).early;
  arcs[0].ready = ready;
  for (int at = 1; at <= route.count; ++at) {
    const Segment& visit = problem.visit[arcs[at].node - problem.in.num_depots];
    ready = std::max(ready + positions[at - 1].leg, visit.early) + visit.duration;
    arcs[at].ready = ready;
  }
  double due = problem.end_of(route.type).late + problem.in.slack;
  arcs[route.count].due = due;
  for (int at = route.count; at > 0; --at) {
    const Segment& visit = problem.visit[arcs[at].node - problem.in.num_depots];
    due = std::min(due - positions[at].leg - visit.duration, visit.late + problem.in.slack);
    arcs[at - 1].due = due;
  }
}

// By the parts before and after each position, which tell the duration, too.
inline void set_parts(const RichProblem& problem, const PlanRoute& route, const RouteRow& row) {
  Arc* arcs = row.arcs;
  Position* positions = row.positions;
  const auto visit_at = [&](int at) {
    if (!problem.is_depot(arcs[at].node)) {
      return problem.visit[arcs[at].node - problem.in.num_depots];
    }
    return reload_at(problem, problem.visit_of(arcs[at].node), row.in_trip[at].earliest);
  };
  positions[0].before = problem.start_of(route.type);
  positions[route.count + 1].after = problem.end_of(route.type);
  for (int at = 1; at <= route.count; ++at) {
    const Segment visit = visit_at(at);
    join(positions[at - 1].before, positions[at - 1].leg, visit, kNever, positions[at].before);
  }
  for (int at = 1; problem.in.trips && at <= route.count; ++at) {
    InTrip& own = row.in_trip[at];
    if (own.first == at) continue;
    if (own.first == at - 1) {
      own.inside = visit_at(at);
    } else {
      join(row.in_trip[at - 1].inside, positions[at - 1].leg, visit_at(at), kNever, own.inside);
    }
  }
  for (int at = route.count; at > 0; --at) {
    const Segment visit = visit_at(at);
    join(visit, positions[at].leg, positions[at + 1].after, kNever, positions[at].after);
  }
  for (int at = 0; at <= route.count; ++at) {
    arcs[at].ready = positions[at].before.early + positions[at].before.duration;
    arcs[at].due = positions[at + 1].after.late + problem.in.slack;
  }
}

// Fills the rows of a route whose stops and legs are known.
inline void set_times(const RichProblem& problem, const PlanRoute& route, const RouteRow& row) {
  if (problem.terms[route.type].in_segments) {
    set_parts(problem, route, row);
  } else {
    set_arrivals(problem, route, row.arcs, row.positions);
  }
}

}  // namespace vrp
