// When a vehicle can be somewhere at the earliest, and must be at the latest.
#pragma once

#include <algorithm>

#include "route_walk.hpp"

namespace vrp {

// When it can leave at the earliest, for each set of breaks that it has taken; infinite: not at
// all. An earlier arrival, with the same breaks taken, is never worse off.
struct Arrivals {
  double* times;
  double slack;

  bool has(int set) const { return times[set] < kNever; }

  [[gnu::always_inline]] void go_on(int set, int after, const Step& step) {
    const double end = step.begin(times[set] + step.leg, slack) + step.time;
    times[after] = set == after ? end : std::min(times[after], end);
  }
};

// The same backwards: until when it must leave; -infinite: it is too late. `next`: of the position
// behind.
struct Deadlines {
  double* times;
  const double* next;
  double slack;

  bool has(int) const { return true; }

  [[gnu::always_inline]] void go_on(int set, int after, const Step& step) {
    const double end = set == after ? next[set] : times[set];
    const double latest = arrival(step, end - step.time) - step.leg;
    times[after] = set == after ? latest : std::max(times[after], latest);
  }

 private:
  // The latest arrival after which it begins no later than it may; -infinite: none.
  double arrival(const Step& step, double begin) const {
    for (int index = step.num_windows - 1; index >= 0; --index) {
      if (step.windows[2 * index] > begin) continue;
      return std::min(begin, step.windows[2 * index + 1] + slack);
    }
    return -kNever;
  }
};

// When a route ends that leaves at a time, with all breaks; infinite if it is late.
inline double end_of(const RichProblem& problem, int type, const std::int32_t* visits, int count,
                     double departure) {
  const RichInput& in = problem.in;
  const TypeTerms& terms = problem.terms[type];
  const int all = terms.breaks.num_sets() - 1;
  double times[kMostRestSets];
  std::fill(times, times + all + 1, kNever);
  times[0] = departure;
  Arrivals arrivals{times, in.slack};
  const int from = follow(problem, type, visits, count, arrivals);
  if (from < 0) return kNever;
  const double end = times[all] + terms.leg(from, in.end[type]);
  return end <= in.end_late[type] + in.slack ? std::max(end, in.end_early[type]) : kNever;
}

}  // namespace vrp
