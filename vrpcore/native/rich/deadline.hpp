// When the insertion of stops ends, whoever is left out then.
#pragma once

#include <atomic>

#include "../shared/watch.hpp"

namespace vrp {

// Between two stops; patience ends whole iterations only. By `clock_seconds`.
struct Deadline {
  const Watch* watch = nullptr;       // ends it once somebody has stopped the search
  double earliest = 0.0;              // but not before
  double latest = Watch::kNoEnd;      // the time limit

  bool is_over() const {
    const bool stopped = watch && watch->stopped.load(std::memory_order_relaxed) == 1;
    if (!stopped && latest == Watch::kNoEnd) return false;
    const double now = clock_seconds();
    return now >= earliest && (stopped || now >= latest);
  }
};

}  // namespace vrp
