// What other threads see of a search, and how they end it early.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "clock.hpp"

namespace vrp {

// In memory that Python owns and reads: `WatchFields` in search/watch.py. All threads that search
// one instance share it. A search that nobody watches has none, and one that is watched finds the
// same plans until it is ended.
struct Watch {
  static constexpr double kNoEnd = std::numeric_limits<double>::infinity();

  std::atomic<std::int64_t> stopped;     // not 0: the search ends soon; 2: patience is over
  std::int64_t silent;                   // not 0: it searches parts, whose plans are not noted;
                                         // 2: nor does a better one of a part count as a gain
  double patience;                       // most seconds without a better plan; below 0: no limit
  double target;                         // a cost that is good enough
  std::atomic<double> end;               // when it ends, by `clock_seconds`
  std::atomic<std::int64_t> iterations;  // so far
  std::atomic<std::int64_t> gains;       // plans so far that were better than those before
  std::int64_t missing;                  // of the best plan: how much is not served,
  std::int64_t vehicles;                 // its vehicles where their number comes before cost,
  double cost;                           // and its cost
  std::atomic<double> gained_at;         // when it was found; 0: nothing was looked at yet
  std::atomic<std::int64_t> busy;        // a thread writes the best plan's numbers

  // `seconds` below 0: no time limit.
  void begin(double seconds) {
    end.store(seconds < 0.0 ? kNoEnd : clock_seconds() + seconds, std::memory_order_relaxed);
  }

  // Whether the search has to end: somebody stopped it, or a limit is reached.
  bool is_over() {
    if (stopped.load(std::memory_order_relaxed) != 0) return true;
    const double until = end.load(std::memory_order_relaxed);
    if (patience < 0.0 && until == kNoEnd) return false;
    const double now = clock_seconds();
    double last = gained_at.load(std::memory_order_relaxed);
    if (last == 0.0) gained_at.store(last = now, std::memory_order_relaxed);
    if (patience < 0.0 || now - last < patience) return now >= until;
    std::int64_t open = 0;  // whoever stopped it meanwhile comes first
    stopped.compare_exchange_strong(open, 2, std::memory_order_relaxed);
    return true;
  }

  // A thread has searched for so many iterations, and its best plan is this one; `gained`: it was
  // another one when the thread noted it before.
  void note(std::int64_t searched, std::int64_t missed, std::int64_t used, double costs,
            bool gained) {
    iterations.fetch_add(searched, std::memory_order_relaxed);
    if (silent != 0) {
      if (gained && silent == 1) gained_at.store(clock_seconds(), std::memory_order_relaxed);
      return;
    }
    while (busy.exchange(1, std::memory_order_acquire) != 0) {
    }
    if (vehicles == 0) used = 0;  // a search for fewer vehicles, of which only the cost counts
    const bool better = missed != missing  ? missed < missing
                        : used != vehicles ? used < vehicles
                                           : costs < cost;
    if (better) {
      missing = missed;
      vehicles = used;
      cost = costs;
      gained_at.store(clock_seconds(), std::memory_order_relaxed);
      gains.fetch_add(1, std::memory_order_relaxed);
      if (missed == 0 && costs <= target) stopped.store(1, std::memory_order_relaxed);
    }
    busy.store(0, std::memory_order_release);
  }
};

static_assert(std::atomic<double>::is_always_lock_free, "needs no library");
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "needs no library");
static_assert(sizeof(Watch) == 12 * sizeof(std::int64_t), "as Python has it");

inline bool is_over(Watch* watch) { return watch && watch->is_over(); }

}  // namespace vrp
