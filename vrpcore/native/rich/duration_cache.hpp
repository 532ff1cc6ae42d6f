// What is known of the durations of routes: parts before and behind each of their positions, so
// that a position for one more stop is judged without walking through the whole route.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plan_route.hpp"
#include "time_parts.hpp"

namespace vrp {

constexpr int kKeptParts = 4;  // for each position and set of breaks; a route with more is walked

// A vehicle under way.
struct Carried : PartSets {
  using PartSets::PartSets;
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
        width_(static_cast<std::size_t>(problem->max_kept_sets)) {}

  // Fills the rows of a route and returns its least duration; infinite if it is late, negative if
  // there are too many parts to keep.
  double fill(const PlanRoute& route, const Arc* arcs) {
    const int type = route.type;
    const TypeTerms& terms = problem_->terms[type];
    Carried carried(problem_);
    carried.node = arcs[0].node;
    carried.begin(type, route.earliest);
    rest(*problem_, terms, nullptr, problem_->is_open(type), carried);
    for (int at = 0; at <= route.count; ++at) {
      if (at > 0) visit(type, arcs[at].node - problem_->in.num_depots, at == 1, carried);
      if (!keep(type, carried, before_ + row_of(route, at))) return -1.0;
    }
    const double duration = carried.finish(type, carried.node);
    PartSets behind(problem_, true);
    behind.begin_back(type, carried.node);
    for (int at = route.count; at > 0; --at) {
      if (at < route.count) {
        const int next = arcs[at].next - problem_->in.num_depots;
        vrp::visit(behind, terms.num_sets, problem_->step_of(type, arcs[at].node, next), false);
      }
      rest_before(*problem_, terms, behind);
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

  // Goes on to a stop, serves it and maybe rests. `first`: nothing was served before. False if
  // there are too many parts.
  bool visit(int type, int stop, bool first, Carried& carried) const {
    const TypeTerms& terms = problem_->terms[type];
    const Step step = problem_->step_of(type, carried.node, stop);
    carried.node = problem_->node_of(stop);
    vrp::visit(carried, terms.num_sets, step, first && problem_->is_open(type));
    rest(*problem_, terms, nullptr, false, carried);
    return !carried.is_full;
  }

  // The least duration of a route with a detour, from which it goes on to the next position of the
  // one at `at`; infinite if it is late, negative if there are too many parts.
  double duration(const PlanRoute& route, int at, int next, Carried& carried) const {
    const int type = route.type;
    if (at == route.count) return carried.finish(type, carried.node);
    const Kept* row = behind_ + row_of(route, at + 1);
    const Step step = problem_->step_of(type, carried.node, next - problem_->in.num_depots);
    double least = kNever;
    for (int taken = 0; taken < problem_->terms[type].num_sets; ++taken) {
      if (row[taken].count == 0 || !carried.has(taken)) continue;
      Parts there;
      carried.reach(taken, step, there);
      least = std::min(least, PartSets::least(there, row[taken].list, row[taken].count));
    }
    return carried.is_full ? -1.0 : least;
  }

 private:
  struct Kept {
    Part list[kKeptParts];
    int count;
  };

  std::size_t row_of(const PlanRoute& route, int at) const {
    return static_cast<std::size_t>(route.row + at) * width_;
  }

  bool keep(int type, const PartSets& parts, Kept* row) const {
    if (parts.is_full) return false;
    for (int taken = 0; taken < problem_->terms[type].num_sets; ++taken) {
      const Parts& own = parts.sets[taken];
      if (own.count > kKeptParts) return false;
      std::copy(own.list, own.list + own.count, row[taken].list);
      row[taken].count = own.count;
    }
    return true;
  }

  const RichProblem* problem_;
  std::size_t width_;        // sets of breaks, W
  Kept* before_ = nullptr;   // [C, W] when a position has been left
  Kept* behind_ = nullptr;   // [C, W] when its stop has been served with a set of breaks taken
                             // before, backwards from the end
};

}  // namespace vrp
