// What is known of the durations of routes: parts before and behind each of their positions, so
// that a position for one more stop is judged without walking through the whole route.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plan_route.hpp"
#include "route_parts.hpp"

namespace vrp {

constexpr int kKeptParts = 4;  // for each position and set of breaks; a route with more is walked

// A vehicle under way, by sets of breaks that it has taken.
struct Carried {
  Parts sets[kMostSets];
  int node = 0;
};

class DurationCache {
 public:
  static DurationCache lay_out(Arena& arena, const RichProblem* problem, std::size_t cells) {
    DurationCache made(problem);
    made.before_ = arena.take<Kept>(cells * made.width_);
    made.behind_ = arena.take<Kept>(cells * made.width_);
    return made;
  }

  explicit DurationCache(const RichProblem* problem)
      : problem_(problem),
        parts_(problem),
        width_(static_cast<std::size_t>(problem->max_kept_sets)) {}

  // Fills the rows of a route and returns its least duration; infinite if it is late, negative if
  // there are too many parts to keep.
  double fill(const PlanRoute& route, const Arc* arcs) {
    const int type = route.type;
    Parts sets[kMostSets];
    if (!parts_.begin(type, route.earliest, sets)) return -1.0;
    int node = arcs[0].node;
    for (int at = 0; at <= route.count; ++at) {
      const int stop = arcs[at].node - problem_->in.num_depots;
      if (at > 0 && !parts_.visit(type, node, stop, at == 1, sets)) return -1.0;
      if (!keep(type, sets, before_ + row_of(route, at))) return -1.0;
      node = arcs[at].node;
    }
    const double duration = parts_.finish(type, node, sets);
    Parts behind[kMostSets];
    if (!parts_.begin_back(type, node, behind)) return -1.0;
    for (int at = route.count; at > 0; --at) {
      const int next = arcs[at].next - problem_->in.num_depots;
      if (at < route.count && !parts_.visit_back(type, arcs[at].node, next, behind)) return -1.0;
      if (!keep(type, behind, behind_ + row_of(route, at))) return -1.0;
    }
    return duration;
  }

  // A vehicle that leaves a position of a route.
  void leave(const PlanRoute& route, int at, int node, Carried& carried) const {
    const Kept* row = before_ + row_of(route, at);
    for (int taken = 0; taken < problem_->terms[route.type].num_sets; ++taken) {
      std::copy(row[taken].list, row[taken].list + row[taken].count, carried.sets[taken].list);
      carried.sets[taken].count = row[taken].count;
    }
    carried.node = node;
  }

  // Goes on to a stop, serves it and maybe rests. `first`: see `RouteParts`. False if there are
  // too many parts.
  bool visit(int type, int stop, bool first, Carried& carried) const {
    const int from = carried.node;
    carried.node = problem_->node_of(stop);
    return parts_.visit(type, from, stop, first, carried.sets);
  }

  // The least duration of a route with a detour, from which it goes on to the next position of the
  // one at `at`; infinite if it is late, negative if there are too many parts.
  double duration(const PlanRoute& route, int at, int next, const Carried& carried) const {
    const int type = route.type;
    if (at == route.count) return parts_.finish(type, carried.node, carried.sets);
    const Kept* row = behind_ + row_of(route, at + 1);
    double least = kNever;
    for (int taken = 0; taken < problem_->terms[type].num_sets; ++taken) {
      if (row[taken].count == 0 || carried.sets[taken].count == 0) continue;
      Parts there;
      const int stop = next - problem_->in.num_depots;
      if (!parts_.reach(type, carried.node, stop, carried.sets[taken], there)) return -1.0;
      least = std::min(least, TimeParts::least(there, row[taken].list, row[taken].count));
    }
    return least;
  }

 private:
  struct Kept {
    Part list[kKeptParts];
    int count;
  };

  std::size_t row_of(const PlanRoute& route, int at) const {
    return static_cast<std::size_t>(route.row + at) * width_;
  }

  bool keep(int type, const Parts* sets, Kept* row) const {
    for (int taken = 0; taken < problem_->terms[type].num_sets; ++taken) {
      if (sets[taken].count > kKeptParts) return false;
      std::copy(sets[taken].list, sets[taken].list + sets[taken].count, row[taken].list);
      row[taken].count = sets[taken].count;
    }
    return true;
  }

  const RichProblem* problem_;
  RouteParts parts_;
  std::size_t width_;        // sets of breaks, W
  Kept* before_ = nullptr;   // [C, W] when a position has been left
  Kept* behind_ = nullptr;   // [C, W] when its stop has been served with a set of breaks taken
                             // before, backwards from the end
};

}  // namespace vrp
