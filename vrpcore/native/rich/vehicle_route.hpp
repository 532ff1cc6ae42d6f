// A vehicle's stops in order judged from scratch: every limit, and what the route costs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arrivals.hpp"
#include "day_times.hpp"
#include "nesting.hpp"
#include "relations.hpp"
#include "route_rides.hpp"
#include "time_parts.hpp"

namespace vrp {

// What a route has of everything that is limited or costs.
struct RouteTotals {
  double distance = 0.0, travel = 0.0, duration = 0.0, cost = 0.0;
  double extra = 0.0;  // what its stops cost more with this type
};

class RouteEvaluator {
 public:
  static RouteEvaluator lay_out(Arena& arena, const RichProblem* problem) {
    RouteEvaluator made(problem);
    made.relations_ = Relations::lay_out(arena, problem);
    made.rides_ = RouteRides::lay_out(arena, problem);
    return made;
  }

  explicit RouteEvaluator(const RichProblem* problem)
      : problem_(problem), day_(problem), relations_(problem), rides_(problem) {}

  void begin() { relations_.begin(); }

  // Whether a vehicle of a type may serve the stops in this order; fills `totals` if so. It may
  // say no where the route costs more than `most`.
  bool judge(int type, const std::int32_t* stops, int count, RouteTotals& totals,
             double most = kNever) const {
    const RichInput& in = problem_->in;
    const bool limited = problem_->rides && rides_.has_limits(type, stops, count);
    if (limited && !rides_.may_keep(type, stops, count)) return false;
    const int reloads = count_reloads(*problem_, stops, count);
    if (count - reloads > in.max_stops[type] || !is_orderly(type, stops, count)) return false;
    if (!trips_fit(*problem_, type, stops, count)) return false;
    measure(type, stops, count, totals);
    if (totals.distance > in.max_distance[type] || totals.travel > in.max_travel_time[type]) {
      return false;
    }
    if (in.max_length[type] < kNever && length_of(type, stops, count) > in.max_length[type]) {
      return false;
    }
    // As if rides and waits had no limits: then it takes and costs no more.
    if (!judge_times(type, stops, count, totals, most)) return false;
    if (!limited) return true;
    DayCost found;
    const double untimed = cost_without_times(type, stops, count, totals);
    if (!rides_.measure(type, stops, count, most - untimed, found)) return false;
    totals.cost = untimed + found.cost;
    totals.duration = found.duration;
    return true;
  }

  // Whether a route that would keep all other limits keeps those on rides and waits, where its
  // times cost nothing.
  bool keeps_rides(int type, const std::int32_t* stops, int count) const {
    DayCost found;
    if (!rides_.has_limits(type, stops, count)) return true;
    return rides_.may_keep(type, stops, count) &&
           rides_.measure(type, stops, count, kNever, found);
  }

  double cost_of(int type, const RouteTotals& totals) const {
    const RichInput& in = problem_->in;
    return in.fixed_cost[type] + in.distance_cost[type] * totals.distance +
           in.travel_cost[type] * totals.travel +
           (in.duration_cost[type] == 0.0 ? 0.0 : in.duration_cost[type] * totals.duration) +
           totals.extra;
  }

  // The distance of a leg, also where it has a given cost.
  double true_length(int type, int from, int to) const {
    const std::int64_t nodes = problem_->num_nodes();
    return problem_->in.lengths[(problem_->in.profile[type] * nodes + from) * nodes + to];
  }

  const Relations& relations() const { return relations_; }

 private:
  // Times and costs of a route that begins everything as soon as it can, once it has left.
  bool judge_times(int type, const std::int32_t* stops, int count, RouteTotals& totals,
                   double most) const {
    const RichInput& in = problem_->in;
    if (problem_->terms[type].by_day) return judge_by_day(type, stops, count, totals, most);
    if (problem_->terms[type].by_walk) return judge_by_walk(type, stops, count, totals, most);
    if (!link(type, stops, count, totals) || totals.duration > in.max_duration[type]) return false;
    totals.cost = cost_of(type, totals);
    return true;
  }

  // Times and costs of a route whose lateness or overtime has a price, or whose trips are walked.
  bool judge_by_day(int type, const std::int32_t* stops, int count, RouteTotals& totals,
                    double most) const {
    const double untimed = cost_without_times(type, stops, count, totals);
    DayCost found;
    if (!day_.measure(type, stops, count, most - untimed, found)) return false;
    totals.cost = untimed + found.cost;
    totals.duration = found.duration;
    return true;
  }

  // The same but for the duration, lateness and overtime.
  double cost_without_times(int type, const std::int32_t* stops, int count,
                            RouteTotals totals) const {
    totals.duration = 0.0;
    const double service_cost = problem_->in.service_cost[type], cost = cost_of(type, totals);
    return service_cost == 0.0 ? cost : cost + service_cost * work_of(type, stops, count);
  }

  // Times and costs of a route with breaks, setups, several windows of a stop and the like.
  bool judge_by_walk(int type, const std::int32_t* stops, int count, RouteTotals& totals,
                     double most) const {
    const RichInput& in = problem_->in;
    const double earliest = earliest_of_route(*problem_, type, stops, count);
    if (earliest > in.latest_start[type] + in.slack) return false;
    double longest = in.max_duration[type];  // that is of use
    if (in.duration_cost[type] > 0.0) {
      longest = std::min(longest, (most - cost_of(type, totals)) / in.duration_cost[type]);
    }
    const double work = work_of(type, stops, count);
    const double busy = problem_->rest_time(problem_->terms[type]) + totals.travel + work;
    if (problem_->terms[type].is_timed && busy > longest + in.slack) return false;
    totals.duration = longest;
    if (!walk(type, stops, count, earliest, totals.duration)) return false;
    totals.cost = cost_of(type, totals) + in.service_cost[type] * work;
    return true;
  }

  // All setups and services.
  double work_of(int type, const std::int32_t* stops, int count) const {
    double work = 0.0;
    int from = problem_->in.start[type];
    for (int at = 0; at < count; ++at) {
      if (!problem_->is_reload(stops[at])) work += problem_->action(type, from, stops[at]);
      from = problem_->node_of_visit(stops[at]);
    }
    return work;
  }

  // Fills the least duration of a route that leaves at a time or later, over all positions of its
  // breaks. Where durations cost nothing, any that is not longer than the one that is given. False
  // if there is none.
  bool walk(int type, const std::int32_t* stops, int count, double earliest,
            double& duration) const {
    const TypeTerms& terms = problem_->terms[type];
    const double longest = duration;
    if (terms.is_timed && terms.has_few_sets) {
      PartSets parts(problem_);
      parts.begin(type, earliest);
      const int from = follow(*problem_, type, stops, count, parts);
      duration = from < 0 ? kNever : parts.finish(type, from);
      if (!parts.is_full) return duration <= longest && duration < kNever;
    }
    const double end = end_of(*problem_, type, stops, count, earliest);
    if (end == kNever || !terms.is_timed) return end < kNever;
    const bool free = terms.per_duration == 0.0 && problem_->in.balance[0] == 0.0;
    duration = end - earliest;
    if (free && !problem_->is_open(type) && duration <= longest) return true;
    DayCost least;
    if (!day_.measure(type, stops, count, kNever, least)) return false;
    duration = least.duration;
    return duration <= longest;
  }

  // The distance of a route whose legs have given costs.
  double length_of(int type, const std::int32_t* stops, int count) const {
    const RichInput& in = problem_->in;
    double total = 0.0;
    int from = in.start[type];
    for (int at = 0; at <= count; ++at) {
      const int to = at < count ? problem_->node_of_visit(stops[at]) : in.end[type];
      total += true_length(type, from, to);
      from = to;
    }
    return total;
  }

  // Skills, and the order of deliveries and pickups.
  bool is_orderly(int type, const std::int32_t* stops, int count) const {
    const RichInput& in = problem_->in;
    int kinds = 0, before = 0;  // in this trip; in those before it
    for (int at = 0; at < count; ++at) {
      const int kind = problem_->kind[stops[at]];
      if (!problem_->is_allowed(type, stops[at])) return false;
      if (problem_->is_reload(stops[at])) {
        before |= kinds;
        kinds = 0;
      }
      if (in.backhauls_last && (kind & 1) && (kinds & 2)) return false;
      kinds |= kind;
    }
    if (problem_->boards && !are_trips(*problem_, type, stops, count)) return false;
    if (problem_->terms[type].lifo && !are_nested(*problem_, stops, count)) return false;
    if (in.num_relations > 0 && !relations_.hold(stops, count)) return false;
    return in.pickup_only || (kinds | before) != 2;
  }

  void measure(int type, const std::int32_t* stops, int count, RouteTotals& totals) const {
    const RichInput& in = problem_->in;
    totals = RouteTotals();
    int from = in.start[type];
    for (int at = 0; at <= count; ++at) {
      const int to = at < count ? problem_->node_of_visit(stops[at]) : in.end[type];
      totals.distance += problem_->distance(in.profile[type], from, to);
      totals.travel += problem_->leg(in.profile[type], from, to);
      from = to;
    }
    for (int at = 0; in.vehicle_costs && at < count; ++at) {
      totals.extra += problem_->vehicle_cost(type, stops[at]);
    }
  }

  // Times of any other route.
  bool link(int type, const std::int32_t* stops, int count, RouteTotals& totals) const {
    const RichInput& in = problem_->in;
    Segment whole = problem_->start_of(type);
    int from = in.start[type];
    for (int at = 0; at <= count; ++at) {
      const int to = at < count ? problem_->node_of_visit(stops[at]) : in.end[type];
      Segment next = at < count ? problem_->visit[stops[at]] : problem_->end_of(type);
      if (at < count && problem_->is_reload(stops[at])) {
        next = reload_at(*problem_, stops[at], earliest_of_trip(*problem_, stops, count, at + 1));
        if (next.early > next.late + in.slack) return false;
      }
      if (!join(whole, problem_->leg(in.profile[type], from, to), next, in.slack, whole)) {
        return false;
      }
      from = to;
    }
    totals.duration = whole.duration;
    return earliest_of_route(*problem_, type, stops, count) <= whole.late + in.slack;
  }

  const RichProblem* problem_;
  DayTimes day_;
  Relations relations_;
  RouteRides rides_;
};

}  // namespace vrp
