// The search's random numbers, the same on every platform.
#pragma once

#include <cstdint>

#include "arithmetic.hpp"

namespace vrp {

// xorshift64*: Vigna 2016, "An experimental exploration of Marsaglia's xorshift generators,
// scrambled". Seeds go through a finalizer (Steele, Lea and Flood 2014, SplitMix), so that
// neighbouring seeds give different streams.
class Random {
 public:
  void seed(std::uint64_t number) {
    std::uint64_t mixed = number + 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    mixed ^= mixed >> 31;
    state_ = mixed ? mixed : 1;
  }

  // A whole number >= 0 and < `count`, count >= 1.
  int below(int count) {
    return static_cast<int>((bits() * static_cast<std::uint64_t>(count)) >> 32);
  }

  // A number in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * (1.0 / 9007199254740992.0); }

  // True once in `2^32 / share` times.
  bool chance(std::uint64_t share) { return bits() < share; }

  // From the exponential distribution of mean 1.
  double exponential() { return -log_of(1.0 - unit()); }

 private:
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dULL;
  }

  std::uint64_t bits() { return next() >> 32; }

  std::uint64_t state_ = 1;
};

}  // namespace vrp
