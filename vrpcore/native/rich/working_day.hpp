// Whether the working day is compiled in: trips, prices of lateness, alternatives, relations.
//
// The search is compiled twice. In the library of instances that use nothing of it, all of this is
// known to be absent, so that the compiler leaves it out of every loop.
#pragma once

#include <cstdint>

namespace vrp {

#ifdef VRP_WORKING_DAY
constexpr bool kWorkingDay = true;
using DayFlag = bool;
using DayCount = std::int32_t;
#else
constexpr bool kWorkingDay = false;

// Always false.
struct DayFlag {
  constexpr DayFlag() = default;
  constexpr DayFlag(bool) {}
  constexpr operator bool() const { return false; }
};

// Always 0, whatever is in memory.
struct DayCount {
  std::int32_t unused;
  DayCount& operator=(std::int32_t) { return *this; }
  DayCount& operator++() { return *this; }
  constexpr operator std::int32_t() const { return 0; }
};
#endif

}  // namespace vrp
