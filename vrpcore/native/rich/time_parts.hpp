// The times of a vehicle under way, for all its departures at once.
#pragma once

#include <algorithm>

#include "rich_problem.hpp"

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

// What is done at a position: after a leg there, within windows, for so long. `back`: the same with
// time running backwards from the end of a route, so that departures are negative ends; then
// `leg` and `time` have changed places.
struct Doing {
  const double* windows;
  int num_windows;
  double leg, time;
  bool back;
};

class TimeParts {
 public:
  explicit TimeParts(double slack) : slack_(slack) {}

  // Adds what becomes of parts. `exact`: nobody waits there. False if there are too many.
  bool go_on(const Parts& parts, const Doing& doing, bool exact, Parts& after) const {
    for (int index = 0; index < parts.count; ++index) {
      const Part& part = parts.list[index];
      const double there = part.elapsed + doing.leg;
      for (int each = 0; each < doing.num_windows; ++each) {
        const double* window = doing.windows + 2 * each;
        const double opens = doing.back ? -(window[1] + kShareOfSlack * slack_) : window[0];
        const double closes = doing.back ? -window[0] : window[1] + slack_;
        const double meets = opens - there;  // who leaves then
        if (!exact && part.first < meets) {
          const double leave = std::min(part.last, meets);
          if (!add(after, {leave, leave, opens - leave + doing.time})) return false;
        }
        const double first = std::max(part.first, meets);
        const double last = std::min(part.last, closes - there);
        if (first <= last && !add(after, {first, last, there + doing.time})) return false;
      }
    }
    return true;
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

 private:
  // Adds a part unless another one replaces it; takes away those that it replaces. Who has not
  // waited has taken the same time for the same positions and breaks: such parts are joined.
  bool add(Parts& parts, Part part) const {
    int kept = 0;
    for (int index = 0; index < parts.count; ++index) {
      const Part& other = parts.list[index];
      if (replaces(other, part)) return true;
      if (meets(other, part)) {
        part = {std::min(part.first, other.first), std::max(part.last, other.last),
                std::max(part.elapsed, other.elapsed)};
      }
    }
    for (int index = 0; index < parts.count; ++index) {
      if (!replaces(part, parts.list[index])) parts.list[kept++] = parts.list[index];
    }
    parts.count = kept;
    if (kept == kMostParts) return false;
    parts.list[parts.count++] = part;
    return true;
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

  double slack_;
};

}  // namespace vrp
