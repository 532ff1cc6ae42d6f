// Sorting by the upper half of keys, in time that grows with their number alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vrp {

// Sorts `keys` by their upper 32 bits; equal ones keep their order. `spare` has as much room.
inline void radix_sort(std::uint64_t* keys, std::uint64_t* spare, std::int64_t count) {
  constexpr int kBits = 11, kPasses = 3, kDigits = 1 << kBits;
  std::uint32_t place[kPasses][kDigits] = {};
  const auto digit = [](std::uint64_t key, int pass) {
    return static_cast<std::uint32_t>(key >> (32 + kBits * pass)) & (kDigits - 1);
  };
  for (std::int64_t index = 0; index < count; ++index) {
    for (int pass = 0; pass < kPasses; ++pass) ++place[pass][digit(keys[index], pass)];
  }
  std::uint64_t *from = keys, *into = spare;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::uint32_t before = 0;
    for (std::uint32_t& each : place[pass]) before += std::exchange(each, before);
    for (std::int64_t index = 0; index < count; ++index) {
      into[place[pass][digit(from[index], pass)]++] = from[index];
    }
    std::swap(from, into);
  }
  std::copy(from, from + count, keys);
}

}  // namespace vrp
