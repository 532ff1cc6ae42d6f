// The times of a vehicle under way, for all its departures at once and without prices: parts for
// each set of breaks that it may have taken, few of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "route_walk.hpp"

namespace vrp {

constexpr int kMostParts = 12;  // for each set of breaks; beyond, `DayTimes` follows pieces

// Departures from `first` to `last`, after which the vehicle is somewhere so much later. One that
// is there earlier can wait.
struct Part {
  double first, last, elapsed;
};
struct Parts {
  Part list[kMostParts];
  int count = 0;

  Parts() = default;
  Parts(const Parts& other) { *this = other; }
  Parts& operator=(const Parts& other) {
    count = other.count;
    std::copy(other.list, other.list + count, list);
    return *this;
  }
};

class PartSets {
 public:
  // `back`: with time running backwards from the end of a route, so that departures are negative
  // ends; what comes after a leg then comes before it.
  explicit PartSets(const RichProblem* problem, bool back = false)
      : problem_(problem), slack_(problem->in.slack), back_(back) {}

  // For who leaves at a time or later, before it rests.
  void begin(int type, double earliest) {
    const double end = problem_->in.end_late[type] + slack_;
    const double latest = std::max(earliest, std::min(end, problem_->in.latest_start[type]));
    sets[0].list[sets[0].count++] = {earliest, latest, 0.0};
  }

  // Backwards, for who comes from the last stop, before it rests there.
  void begin_back(int type, int last) {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[type];
    const double first = -(in.end_late[type] + kShareOfSlack * slack_);
    const double soonest = std::max(in.end_early[type], in.start_early[type]);
    Parts& all = sets[terms.num_sets - 1];
    all.list[all.count++] = {first, std::max(first, -soonest), terms.leg(last, in.end[type])};
  }

  bool has(int set) const { return sets[set].count > 0; }

  void go_on(int set, int after, const Step& step) {
    if (set != after) return reach(set, step, sets[after]);
    const Parts before = sets[set];
    sets[set].count = 0;
    add_all(before, step, sets[set]);
  }

  // The same into other parts.
  void reach(int set, const Step& step, Parts& after) { add_all(sets[set], step, after); }

  // The least duration with the leg to the end of a route; infinite if it is late, negative if
  // there are too many parts to know.
  double finish(int type, int from) {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[type];
    const double hours[2] = {in.end_early[type], in.end_late[type]};
    Parts ends;
    reach(terms.num_sets - 1, {hours, 1, terms.leg(from, in.end[type]), 0.0}, ends);
    double shortest = kNever;
    for (int index = 0; index < ends.count; ++index) {
      shortest = std::min(shortest, ends.list[index].elapsed);
    }
    return is_full ? -1.0 : shortest;
  }

  // The least duration of a route whose first positions have parts, and the rest other ones with
  // time running backwards; infinite if they never meet.
  static double least(const Parts& parts, const Part* behind, int count) {
    double shortest = kNever;
    for (int index = 0; index < parts.count; ++index) {
      const Part& part = parts.list[index];
      for (int other = 0; other < count; ++other) {
        const Part& rest = behind[other];
        const double soonest = -rest.last - rest.elapsed, latest = -rest.first - rest.elapsed;
        if (part.first + part.elapsed > latest) continue;
        const double waits = std::max(soonest - (part.last + part.elapsed), 0.0);
        shortest = std::min(shortest, part.elapsed + waits + rest.elapsed);
      }
    }
    return shortest;
  }

  Parts sets[kMostSets];
  bool is_full = false;  // some had no room: nothing is known

 private:
  void add_all(const Parts& parts, const Step& step, Parts& after) {
    const double leg = back_ ? step.time : step.leg, time = back_ ? step.leg : step.time;
    for (int index = 0; index < parts.count && !is_full; ++index) {
      const Part& part = parts.list[index];
      const double there = part.elapsed + leg;
      for (int each = 0; each < step.num_windows; ++each) {
        const double* window = step.windows + 2 * each;
        const double opens = back_ ? -(window[1] + kShareOfSlack * slack_) : window[0];
        const double closes = back_ ? -window[0] : window[1] + slack_;
        const double meets = opens - there;  // who leaves then
        if (step.waits && part.first < meets) {
          const double leave = std::min(part.last, meets);
          add(after, {leave, leave, opens - leave + time});
        }
        const double first = std::max(part.first, meets);
        const double last = std::min(part.last, closes - there);
        if (first <= last) add(after, {first, last, there + time});
      }
    }
  }

  // Adds a part unless another one replaces it; takes away those that it replaces. Who has not
  // waited has taken the same time for the same positions and breaks: such parts are joined.
  void add(Parts& parts, Part part) {
    int kept = 0;
    for (int index = 0; index < parts.count; ++index) {
      const Part& other = parts.list[index];
      if (replaces(other, part)) return;
      if (meets(other, part)) {
        part = {std::min(part.first, other.first), std::max(part.last, other.last),
                std::max(part.elapsed, other.elapsed)};
      }
    }
    for (int index = 0; index < parts.count; ++index) {
      if (!replaces(part, parts.list[index])) parts.list[kept++] = parts.list[index];
    }
    parts.count = kept;
    if (kept == kMostParts) {
      is_full = true;
    } else {
      parts.list[parts.count++] = part;
    }
  }

  bool meets(const Part& part, const Part& other) const {
    const double apart = std::max(part.elapsed, other.elapsed) -
                         std::min(part.elapsed, other.elapsed);
    return part.first < part.last && other.first < other.last && part.first <= other.last &&
           other.first <= part.last && apart <= tiny();
  }

  // Whether a vehicle of another part can leave as late in this one, and be there.
  bool replaces(const Part& part, const Part& other) const {
    if (other.first < other.last) {
      return part.first <= other.first && part.last >= other.last &&
             part.elapsed <= other.elapsed + tiny();
    }
    const double leave = std::max(part.first, other.first);
    return leave <= part.last && leave + part.elapsed <= other.first + other.elapsed + tiny();
  }

  double tiny() const { return kTinyShare * slack_; }

  const RichProblem* problem_;
  double slack_;
  bool back_;
};

}  // namespace vrp
