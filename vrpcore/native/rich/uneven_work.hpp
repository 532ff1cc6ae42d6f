// How much work routes have, where uneven work has a price.
#pragma once

#include <algorithm>

#include "vehicle_route.hpp"

namespace vrp {

// What uneven work is measured by: of a route, or the most of several.
struct RouteWork {
  double duration = 0.0, distance = 0.0, stops = 0.0, load = 0.0;

  void add(const RichProblem& problem, int visit) {
    stops += problem.is_reload(visit) ? 0.0 : 1.0;
    const double carried = problem.amounts(problem.in.shipment, visit)[0];
    load += problem.amounts(problem.in.delivery, visit)[0] +
            problem.amounts(problem.in.pickup, visit)[0];
    load += problem.in.first_trip[visit] ? -carried : std::max(carried, 0.0);
  }
  void raise(const RouteWork& other) {
    duration = std::max(duration, other.duration);
    distance = std::max(distance, other.distance);
    stops = std::max(stops, other.stops);
    load = std::max(load, other.load);
  }
  double cost(const RichProblem& problem) const {
    const double most[4] = {duration, distance, stops, load};
    double total = 0.0;
    for (int what = 0; what < 4; ++what) {  // what has no price may not be known
      if (problem.in.balance[what] > 0.0) total += problem.in.balance[what] * most[what];
    }
    return total;
  }
};

// What is measured of a route, of whose visits a function tells each.
template <class VisitAt>
RouteWork work_of(const RichProblem& problem, const RouteEvaluator& judge, int type,
                  const RouteTotals& totals, int count, const VisitAt& visit_at) {
  RouteWork work;
  work.duration = totals.duration;
  int from = problem.in.start[type];
  for (int at = 0; at <= count; ++at) {
    const int visit = at < count ? visit_at(at) : -1;
    const int to = at < count ? problem.node_of_visit(visit) : problem.in.end[type];
    if (problem.in.balance[1] > 0.0) work.distance += judge.true_length(type, from, to);
    if (at < count) work.add(problem, visit);
    from = to;
  }
  return work;
}

}  // namespace vrp
