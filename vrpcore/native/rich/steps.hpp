// What a vehicle does on its way, one step after the other, and the breaks that may be next.
//
// Times of a vehicle are kept in several ways: by `Segment` (rich_input.hpp) where nothing has to
// be followed, else by `Arrivals`, `Deadlines`, `PartSets`, `Pieces`, as `set_terms` says. Each of
// these keeps them by sets of breaks that have been taken, and says only what becomes of them in a
// step: `has(set)` and `go_on(set, after, step)`.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rich_input.hpp"

namespace vrp {

// What is done at a position, or as a break.
struct Step {
  const double* windows;
  int num_windows;
  double leg, time;
  double due = kNever, late_cost = 0.0;  // a begin after `due` costs
  double earliest = -kNever;             // it begins no earlier
  bool waits = true;                     // false: nobody does
  std::int32_t trail = -1;               // of the first piece that takes a break, and so on

  // When it begins, from a time on; infinite if that is too late.
  [[gnu::always_inline]] double begin(double now, double slack) const {
    int low = 0, count = num_windows;
    while (count - low > kFewWindows) {
      const int middle = (low + count) / 2;
      if (now <= windows[2 * middle + 1] + slack) {
        count = middle + 1;
      } else {
        low = middle + 1;
      }
    }
    for (; low < count; ++low) {
      if (now <= windows[2 * low + 1] + slack) return std::max(now, windows[2 * low]);
    }
    return kNever;
  }
};

// The breaks of a vehicle. Sets of them have a bit for each; of breaks in order a set is the number
// of those taken.
struct Breaks {
  std::int32_t count, in_order;
  const std::int32_t* before;  // [count] which of them come before each, a bit each
  std::uint32_t possible = 0;  // a bit for each set with all that come before its breaks, if few

  int num_sets() const { return in_order ? count + 1 : 1 << count; }

  // A set with one break more, which is larger; -1 if that cannot be the next one.
  int with(int taken, int each) const {
    if (in_order) return each == taken ? taken + 1 : -1;
    return (taken >> each & 1) || (before[each] & ~taken) ? -1 : taken | 1 << each;
  }

  // Fills which of few sets are possible.
  void set_possible() {
    for (int taken = 0; taken < num_sets(); ++taken) {
      bool whole = true;
      for (int each = 0; each < count; ++each) {
        whole = whole && !((taken >> each & 1) && (before[each] & ~taken));
      }
      possible |= static_cast<std::uint32_t>(whole) << taken;
    }
  }

  // Calls `take` with each set, a break that may be next and the set with it: smaller sets first.
  template <class Take>
  [[gnu::always_inline]] void forward(const Take& take) const {
    for (int taken = 0; taken + 1 < num_sets(); ++taken) next(taken, take);
  }

  // The same of few sets, with larger ones first.
  template <class Take>
  [[gnu::always_inline]] void backward(const Take& take) const {
    for (int taken = num_sets() - 2; taken >= 0; --taken) {
      if (possible >> taken & 1) next(taken, take);
    }
  }

 private:
  template <class Take>
  [[gnu::always_inline]] void next(int taken, const Take& take) const {
    const int last = in_order ? taken + 1 : count;
    for (int each = in_order ? taken : 0; each < last; ++each) {
      const int more = with(taken, each);
      if (more >= 0) take(taken, each, more);
    }
  }
};

// Goes on to a position. `begins`: a route without a start begins there, or with a break before it.
// Returns whether that is in time with any set of breaks.
template <class Times>
[[gnu::always_inline]] inline bool visit(Times& times, int num_sets, Step step, bool begins) {
  bool any = false;
  for (int set = 0; set < num_sets; ++set) {
    if (!times.has(set)) continue;
    step.waits = !(begins && set == 0);
    times.go_on(set, set, step);
    any = any || times.has(set);
  }
  return any;
}

}  // namespace vrp
