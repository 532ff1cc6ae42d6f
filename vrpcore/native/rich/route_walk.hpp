// Times of a route that are known only by walking through it: with breaks, with setups, with
// several windows of a stop, with services that differ by vehicle type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "board.hpp"
#include "route_parts.hpp"

namespace vrp {

// Steps (see `RichProblem::steps_of`) that are taken for the least duration of a route; where more
// would have to be, it is the least of the departures tried so far.
constexpr std::int64_t kMostSteps = 100'000;
constexpr double kLongest = std::numeric_limits<double>::max();  // duration that is none too long

class RouteWalk {
 public:
  explicit RouteWalk(const RichProblem* problem) : problem_(problem), parts_(problem) {}

  // The least duration of a route over all departures and all positions of its breaks, and the time
  // of setups and services. Where durations cost nothing, it is some duration that is short
  // enough. `duration` is the longest one that is of use, before. False if there is none.
  bool measure(int type, const std::int32_t* stops, int count, double earliest,
               double& duration, double& work) const {
    work = 0.0;
    int from = problem_->in.start[type];
    for (int at = 0; at < count; ++at) {
      work += problem_->action(type, from, stops[at]);
      from = problem_->node_of(stops[at]);
    }
    const TypeTerms& terms = problem_->terms[type];
    if (terms.is_timed && terms.has_few_sets) {
      const double least = parts_.least(type, stops, count, earliest);
      if (least > duration || least == kNever) return false;
      duration = least >= 0.0 ? least : duration;
      if (least >= 0.0) return true;
    }
    const double end = run(type, stops, count, earliest, false);
    if (end == kNever) return false;
    return !terms.is_timed || find_least(type, stops, count, earliest, end, duration);
  }

 private:
  // When the route ends that leaves at a time; infinite if it is late. It takes its breaks so
  // that it ends first: an earlier arrival, with the same breaks taken, is never worse
  // off. `exact`: nobody waits for what a route without a start begins with.
  double run(int type, const std::int32_t* stops, int count, double departure, bool exact) const {
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
      if (all > 0) rest(type, times, board, exact && at == 0);
      if (at == count) break;
      const int to = problem_->node_of(stops[at]);
      const double leg = problem_->leg(in.profile[type], from, to);
      const double action = problem_->action(type, from, stops[at]);
      bool late = true;
      for (int taken = 0; taken <= all; ++taken) {
        if (times[taken] == kNever) continue;
        const double arrival = times[taken] + leg, begin = problem_->begin(stops[at], arrival);
        const bool waits = exact && at == 0 && taken == 0 && begin > arrival;
        times[taken] = waits ? kNever : begin + action;
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
  void rest(int type, double* times, const Board& board, bool exact) const {
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
        if (exact && taken == 0 && begin > times[taken]) continue;
        times[more] = std::min(times[more], begin + problem_->in.break_time[own]);
      }
    }
  }

  // The end is a function of the departure, of slopes 0 and 1 with jumps upwards: the duration is
  // least at the earliest departure, or where something that nothing delays meets an end of one
  // of its windows.
  bool find_least(int type, const std::int32_t* stops, int count, double earliest, double end,
                  double& duration) const {
    const RichInput& in = problem_->in;
    const double rests = problem_->rest_time(problem_->terms[type]);
    Least least{type,     stops, count,                   earliest,  end, kNever, kNever,
                duration, rests, problem_->is_open(type), kMostSteps};
    int from = in.start[type];
    for (int at = 0; at <= count; ++at) {
      const int to = at < count ? problem_->node_of(stops[at]) : in.end[type];
      least.total += problem_->leg(in.profile[type], from, to);
      if (at < count) least.total += problem_->action(type, from, stops[at]);
      from = to;
    }
    if (least.total > least.most + in.slack) return false;
    const bool free = problem_->terms[type].per_duration == 0.0 && in.balance[0] == 0.0;
    if (free) least.total = std::min(least.most, kLongest);
    try_departure(least, earliest);
    try_time(least, in.latest_start[type]);
    double passed = 0.0;
    from = in.start[type];
    for (int at = 0; at <= count && !is_done(least); ++at) {
      const int to = at < count ? problem_->node_of(stops[at]) : in.end[type];
      try_breaks(least, passed);
      passed += problem_->leg(in.profile[type], from, to);
      const double ends[2] = {in.end_early[type], in.end_late[type]};
      const double* times = at < count ? problem_->windows_of(stops[at]) : ends;
      try_all(least, times, at < count ? problem_->num_windows[stops[at]] : 1, passed);
      if (at < count) passed += problem_->action(type, from, stops[at]);
      from = to;
    }
    duration = least.duration;
    return duration <= least.most && duration < kNever;
  }

  // The search for the least duration of a route.
  struct Least {
    int type;
    const std::int32_t* stops;
    int count;
    double earliest, soonest_end;
    double late;      // who leaves then, or later, is late
    double duration;  // the least so far
    double most;      // that is of use
    double total;     // that is enough: no route is shorter, or durations cost nothing
    bool open;
    std::int64_t steps;  // that are left
  };

  static bool is_done(const Least& least) {
    return least.duration <= least.total || least.steps < 0;
  }

  void try_departure(Least& least, double departure) const {
    if (is_done(least)) return;
    const double shortest = least.soonest_end - departure;
    if (departure >= least.late || shortest >= least.duration || shortest > least.most) return;
    least.steps -= problem_->steps_of(problem_->terms[least.type], least.count);
    const double end = run(least.type, least.stops, least.count, departure, least.open);
    if (end < kNever) {
      least.duration = std::min(least.duration, end - departure);
    } else if (!least.open) {
      least.late = departure;
    }
  }

  // Departures that meet the windows of a position, for each set of breaks taken before.
  void try_all(Least& least, const double* windows, int num_windows, double passed) const {
    const TypeTerms& terms = problem_->terms[least.type];
    for (int taken = 0; taken < RichProblem::count_sets(terms); ++taken) {
      if (!problem_->is_possible(terms, taken)) continue;
      try_windows(least, windows, num_windows, passed + problem_->rest_time(terms, taken));
    }
  }

  // Departures that meet the windows of breaks at a position.
  void try_breaks(Least& least, double passed) const {
    const TypeTerms& terms = problem_->terms[least.type];
    for (int each = 0; each < terms.num_breaks; ++each) {
      const int own = terms.first_break + each;
      const double* windows = problem_->break_windows_of(own);
      for (int taken = 0; taken < RichProblem::count_sets(terms); ++taken) {
        if (problem_->with_break(terms, taken, each) < 0) continue;
        if (!problem_->is_possible(terms, taken)) continue;
        try_windows(least, windows, problem_->num_break_windows(own),
                    passed + problem_->rest_time(terms, taken));
      }
    }
  }

  void try_windows(Least& least, const double* windows, int count, double passed) const {
    for (int index = 0; index < 2 * count; ++index) try_time(least, windows[index] - passed);
  }

  void try_time(Least& least, double departure) const {
    const RichInput& in = problem_->in;
    if (!(departure > least.earliest) || departure >= in.end_late[least.type]) return;
    if (departure <= in.latest_start[least.type]) try_departure(least, departure);
  }

  const RichProblem* problem_;
  RouteParts parts_;
};

}  // namespace vrp
