// Times of a route that are known only by walking through it: with breaks, with setups, with
// several windows of a stop, with services that differ by vehicle type.
#pragma once

#include <algorithm>
#include <cstdint>

#include "day_times.hpp"
#include "route_parts.hpp"

namespace vrp {

class RouteWalk {
 public:
  explicit RouteWalk(const RichProblem* problem)
      : problem_(problem), parts_(problem), day_(problem) {}

  // The least duration of a route over all departures and all positions of its breaks, and the time
  // of setups and services. Where durations cost nothing, it is some duration that is short
  // enough. `duration` is the longest one that is of use, before. False if there is none.
  bool measure(int type, const std::int32_t* stops, int count, double earliest,
               double& duration, double& work) const {
    const TypeTerms& terms = problem_->terms[type];
    work = 0.0;
    double busy = problem_->rest_time(terms);
    int from = problem_->in.start[type];
    for (int at = 0; at < count; ++at) {
      const int to = problem_->node_of(stops[at]);
      work += problem_->action(type, from, stops[at]);
      busy += terms.leg(from, to);
      from = to;
    }
    busy += work + terms.leg(from, problem_->in.end[type]);
    if (terms.is_timed && busy > duration + problem_->in.slack) return false;
    if (terms.is_timed && terms.has_few_sets) {
      const double least = parts_.least(type, stops, count, earliest);
      if (least > duration || least == kNever) return false;
      duration = least >= 0.0 ? least : duration;
      if (least >= 0.0) return true;
    }
    const double end = run(type, stops, count, earliest);
    if (end == kNever) return false;
    return !terms.is_timed || find_least(type, stops, count, earliest, end, duration);
  }

 private:
  // When the route ends that leaves at a time; infinite if it is late. It takes its breaks so
  // that it ends first: an earlier arrival, with the same breaks taken, is never worse off.
  double run(int type, const std::int32_t* stops, int count, double departure) const {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[type];
    const int all = RichProblem::count_sets(terms) - 1;
    double times[kMostRestSets];
    std::fill(times, times + all + 1, kNever);
    times[0] = departure;
    Board board(problem_);
    if (terms.rests_by_load) board.fill(type, stops, count, 0);
    int from = in.start[type];
    for (int at = 0;; ++at) {
      if (all > 0) rest(type, times, board);
      if (at == count) break;
      const int to = problem_->node_of(stops[at]);
      const double leg = problem_->leg(in.profile[type], from, to);
      const double action = problem_->action(type, from, stops[at]);
      bool late = true;
      for (int taken = 0; taken <= all; ++taken) {
        if (times[taken] == kNever) continue;
        times[taken] = problem_->begin(stops[at], times[taken] + leg) + action;
        late = late && times[taken] == kNever;
      }
      if (late) return kNever;
      if (terms.rests_by_load) board.move(type, stops, count, at);
      from = to;
    }
    const double now = times[all] + problem_->leg(in.profile[type], from, in.end[type]);
    return now <= in.end_late[type] + in.slack ? std::max(now, in.end_early[type]) : kNever;
  }

  // Takes breaks at a position; the least time for each set of breaks that may have been taken.
  void rest(int type, double* times, const Board& board) const {
    const TypeTerms& terms = problem_->terms[type];
    const int all = RichProblem::count_sets(terms) - 1;
    for (int taken = 0; taken < all; ++taken) {
      if (times[taken] == kNever) continue;
      const int last = terms.in_order ? taken + 1 : terms.num_breaks;
      for (int each = terms.in_order ? taken : 0; each < last; ++each) {
        const int own = terms.first_break + each, more = problem_->with_break(terms, taken, each);
        if (more < 0) continue;
        if (terms.rests_by_load && !board.allows(own)) continue;
        const double begin = problem_->begin_break(own, times[taken]);
        times[more] = std::min(times[more], begin + problem_->in.break_time[own]);
      }
    }
  }

  // The least duration over all departures, where the earliest one ends at a time; or that one's,
  // where durations cost nothing.
  bool find_least(int type, const std::int32_t* stops, int count, double earliest, double end,
                  double& duration) const {
    const RichInput& in = problem_->in;
    const double most = duration, first = end - earliest;
    const bool free = problem_->terms[type].per_duration == 0.0 && in.balance[0] == 0.0;
    if (free && !problem_->is_open(type) && first <= most) {
      duration = first;
      return true;
    }
    DayCost least;
    if (!day_.measure(type, stops, count, kNever, least)) return false;
    duration = least.duration;
    return duration <= most;
  }

  const RichProblem* problem_;
  RouteParts parts_;
  DayTimes day_;
};

}  // namespace vrp
