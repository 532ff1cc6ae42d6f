// What relations between stops ask of routes; they hold among those that are served.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rich_problem.hpp"

namespace vrp {

enum RelationKind { kTogether, kApart, kOrder, kChain };
enum ChainEnd { kAnywhere, kAtStart, kAtEnd };

class Relations {
 public:
  static Relations lay_out(Arena& arena, const RichProblem* problem) {
    Relations made(problem);
    const auto count = static_cast<std::size_t>(problem->in.num_relations);
    made.seen_ = arena.take<Seen>(count);
    return made;
  }

  explicit Relations(const RichProblem* problem) : problem_(problem) {}

  void begin() {
    for (int each = 0; each < problem_->in.num_relations; ++each) seen_[each] = {0, 0, 0};
    now_ = 0;
  }

  // Whether a route keeps all relations among its own stops.
  bool hold(const std::int32_t* visits, int count) const {
    const RichInput& in = problem_->in;
    ++now_;
    int stops = 0;
    bool ends = false;
    for (int at = 0; at < count; ++at) {
      const int stop = visits[at];
      if (problem_->is_reload(stop)) continue;
      for (int own = in.own_from[stop]; own < in.own_from[stop + 1]; ++own) {
        const int relation = in.own_relation[own], rank = in.own_rank[own];
        Seen& seen = seen_[relation];
        const int kind = in.relation_kind[relation];
        if (seen.now == now_) {
          if (kind == kApart || (kind >= kOrder && rank < seen.rank)) return false;
          if (kind == kChain && stops != seen.at + 1) return false;
        } else if (in.relation_at[relation] == kAtStart && stops > 0) {
          return false;
        }
        ends = ends || in.relation_at[relation] == kAtEnd;
        seen = {now_, rank, stops};
      }
      ++stops;
    }
    return !ends || ends_hold(visits, count, stops);
  }

  // The route that a unit has to be in because of those that are served, -1 if any will do, -2 if
  // none does.
  int bound_route(int unit, const std::int32_t* route_of) const {
    int found = bound_stop(unit, route_of, -1);
    const int partner = problem_->in.partner[unit];
    return partner >= 0 ? bound_stop(partner, route_of, found) : found;
  }

 private:
  struct Seen {
    std::int64_t now;
    std::int32_t rank, at;  // of its last stop in the route
  };

  bool ends_hold(const std::int32_t* visits, int count, int stops) const {
    const RichInput& in = problem_->in;
    for (int at = 0; at < count; ++at) {
      if (problem_->is_reload(visits[at])) continue;
      for (int own = in.own_from[visits[at]]; own < in.own_from[visits[at] + 1]; ++own) {
        const int relation = in.own_relation[own];
        if (in.relation_at[relation] == kAtEnd && seen_[relation].at != stops - 1) return false;
      }
    }
    return true;
  }

  int bound_stop(int stop, const std::int32_t* route_of, int found) const {
    const RichInput& in = problem_->in;
    for (int own = in.own_from[stop]; own < in.own_from[stop + 1]; ++own) {
      const int relation = in.own_relation[own];
      if (in.relation_kind[relation] == kApart) continue;
      for (int at = in.relation_from[relation]; at < in.relation_from[relation + 1]; ++at) {
        const int route = route_of[in.relation_stops[at]];
        if (route < 0 || route == found) continue;
        if (found != -1) return -2;
        found = route;
      }
    }
    return found;
  }

  const RichProblem* problem_;
  Seen* seen_ = nullptr;          // [R]
  mutable std::int64_t now_ = 0;  // the route that is looked at
};

}  // namespace vrp
