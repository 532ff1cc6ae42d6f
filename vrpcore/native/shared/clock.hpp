// Seconds on a monotonic clock.
#pragma once

#if defined(_WIN32)
extern "C" {
__declspec(dllimport) int __stdcall QueryPerformanceCounter(long long*);
__declspec(dllimport) int __stdcall QueryPerformanceFrequency(long long*);
}
#else
#include <time.h>
#endif

namespace vrp {

inline double clock_seconds() {
#if defined(_WIN32)
  long long ticks = 0, per_second = 1;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&per_second);
  return static_cast<double>(ticks) / static_cast<double>(per_second);
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
}

}  // namespace vrp
