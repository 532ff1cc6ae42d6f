// What is known of each unit's best place in a route.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rules.hpp"

namespace vrp {

// Fewer stops are looked at as fast; more have too many routes.
constexpr int kFewestKnown = 21;
constexpr int kMostKnown = 200;
constexpr std::size_t kKnownRoutes = 256;  // of each unit; a power of two

// A search meets the same routes again and again: most of its changes are undone or change
// nothing. So what was found is kept under a route's content; later routes displace earlier ones.
class KnownPlaces {
 public:
  struct Entry {
    double cost;
    std::uint64_t content;    // of the route, see `FleetPlan`; 0: none
    std::int32_t at, to;      // positions; -1: all places cost as much or more

    // Whether a route's best place is known, or known not to be better than `best`.
    bool tells(std::uint64_t route, double best) const {
      return content == route && (at >= 0 || cost >= best);
    }
  };

  static KnownPlaces lay_out(Arena& arena, const RuleSet& rules) {
    KnownPlaces made;
    const int stops = rules.in.num_stops;
    if (stops < kFewestKnown || stops > kMostKnown) return made;
    made.size_ = static_cast<std::size_t>(stops) * kKnownRoutes;
    made.entries_ = arena.take<Entry>(made.size_);
    return made;
  }

  bool is_kept() const { return size_ > 0; }

  void clear() { std::fill(entries_, entries_ + size_, Entry{0.0, 0, 0, 0}); }

  // Where a route of this content is kept.
  Entry& of(int unit, std::uint64_t content) const {
    const std::size_t row = static_cast<std::size_t>(unit) * kKnownRoutes;
    return entries_[row + content % kKnownRoutes];
  }

  void expect(int unit, std::uint64_t content) const { __builtin_prefetch(&of(unit, content)); }

 private:
  Entry* entries_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace vrp
