// How many strings of neighbours a ruin takes out of routes, and how long each is.
//
// Source: Christiaens and Vanden Berghe 2020, "Slack Induction by String Removals for Vehicle
// Routing Problems", Transportation Science 54(2).
#pragma once

#include <algorithm>
#include <cstdint>

#include "random.hpp"

namespace vrp {

// Stops that one ruin removes on average, and at most from one route.
constexpr double kMeanRemoved = 10.0;
constexpr double kLongestString = 10.0;
// How often a string keeps some stops in its middle, and how often each further one.
constexpr std::uint64_t kSplit = std::uint64_t{1} << 31;

// `size` neighbours of a route that go, and `kept` among them that stay.
struct String {
  int size, kept;
};

// The strings of one ruin.
struct Strings {
  double longest;
  int count;

  // `mean`: stops of a route.
  static Strings draw(Random& random, double mean) {
    const double longest = std::min(kLongestString, mean);
    const double most = 4.0 * kMeanRemoved / (1.0 + longest) - 1.0;
    return {longest, static_cast<int>(random.unit() * most) + 1};
  }

  // From a route of `length` stops.
  String draw_string(Random& random, int length) const {
    const double most = std::min(static_cast<double>(length), longest);
    String string{std::min(length, 1 + static_cast<int>(random.unit() * most)), 0};
    if (1 < string.size && string.size < length && random.chance(kSplit)) {
      string.kept = 1;
      while (string.size + string.kept < length && random.chance(kSplit)) ++string.kept;
    }
    return string;
  }
};

}  // namespace vrp
