// What is known of each unit's best position in a route.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rich_problem.hpp"

namespace vrp {

constexpr int kFewestKnown = 21;  // fewer stops are looked at as fast
// Routes that are known of each unit, powers of two: where there are few stops, and many.
constexpr std::uint64_t kKnownOfFew = 128, kKnownOfMany = 32;
constexpr int kFewKnown = 200;

// A search meets the same routes again and again: most of its changes are undone or change
// nothing. So what was found is kept under a route's content; later routes displace earlier ones.
class InsertionCache {
 public:
  struct Entry {
    double cost;
    std::uint64_t content;    // of the route, see `FleetPlan`; 0: none
    std::int32_t at, to;      // positions; -1: all positions cost as much or more

    // Whether a route's best position is known, or known not to be better than `best`.
    bool tells(std::uint64_t route, double best) const {
      return content == route && (at >= 0 || cost >= best);
    }
  };

  static InsertionCache lay_out(Arena& arena, const RichProblem& problem) {
    InsertionCache made;
    const int stops = problem.in.num_stops;
    // Where uneven work has a price, costs depend on other routes.
    if (stops < kFewestKnown || problem.balanced) return made;
    made.routes_ = stops > kFewKnown ? kKnownOfMany : kKnownOfFew;
    made.size_ = static_cast<std::size_t>(stops) * made.routes_;
    made.entries_ = arena.take<Entry>(made.size_);
    return made;
  }

  bool is_kept() const { return size_ > 0; }

  void clear() { std::fill(entries_, entries_ + size_, Entry{0.0, 0, 0, 0}); }

  // Where a route of this content, which is odd, is kept.
  Entry& of(int unit, std::uint64_t content) const {
    return entries_[static_cast<std::size_t>(unit) * routes_ + (content >> 1 & (routes_ - 1))];
  }

  void expect(int unit, std::uint64_t content) const { __builtin_prefetch(&of(unit, content)); }

 private:
  Entry* entries_ = nullptr;  // [N, routes]
  std::uint64_t routes_ = 0;
  std::size_t size_ = 0;
};

}  // namespace vrp
