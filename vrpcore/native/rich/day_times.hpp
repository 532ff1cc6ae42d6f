// The least cost of a route's times where lateness or overtime has a price, or where trips meet
// breaks, setups or several windows; or the least duration, where known parts do not tell it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pieces.hpp"
#include "route_walk.hpp"

namespace vrp {

// Of all sets of breaks together. Routes with more may count as dearer than they are.
constexpr int kMostPieces = 1024;

// What a route's times cost, and how long it takes.
struct DayCost {
  double cost, duration;
};

// The end depot's hours are a step.
inline Ending ending_of(const RichProblem& problem, int type) {
  const RichInput& in = problem.in;
  return {kNever, in.max_duration[type] - in.slack, in.late_from[type], in.late_cost[type],
          in.overtime_from[type], in.overtime_cost[type], in.duration_cost[type]};
}

class DayTimes {
 public:
  explicit DayTimes(const RichProblem* problem) : problem_(problem) {}

  // Fills what the times cost: `duration_cost`, lateness, overtime. Returns false if all departures
  // are late, or cost more than `most`.
  bool measure(int type, const std::int32_t* visits, int count, double most,
               DayCost& found) const {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[type];
    Piece list[kMostPieces], old[kMostPieces];
    const int sets = terms.breaks.num_sets();
    Pieces pieces(list, old, sets, kMostPieces / sets, in.slack);
    pieces.most = most;
    pieces.prunes = sets > 1 || !terms.by_day;
    pieces.thorough = !terms.by_day;
    const double earliest = earliest_of_route(*problem_, type, visits, count);
    if (earliest > in.latest_start[type] + in.slack) return false;
    const double latest = std::max(earliest, in.latest_start[type]);
    const bool open = problem_->is_open(type);
    pieces.add(0, {earliest, terms.is_timed || open ? latest : earliest,
                   in.depot_service[problem_->loading_at(type)], 0.0, 0.0, -1, false});
    const int from = follow(*problem_, type, visits, count, pieces);
    return from >= 0 && finish(type, from, pieces, found);
  }

 private:
  bool finish(int type, int from, Pieces& pieces, DayCost& found) const {
    const RichInput& in = problem_->in;
    const int all = pieces.sets - 1;
    const double hours[2] = {in.end_early[type], in.end_late[type]};
    pieces.prunes = false;  // looking at all of them once is faster
    pieces.go_on(all, all, {hours, 1, problem_->leg(in.profile[type], from, in.end[type]), 0.0});
    const Ending ending = ending_of(*problem_, type);
    found = {kNever, kNever};
    for (int index = 0; index < pieces.counts[all]; ++index) {
      pieces.close(pieces.of(all)[index], ending, [&found](const Departure& own) {
        if (own.cost < found.cost ||
            (own.cost == found.cost && own.duration < found.duration)) {
          found = {own.cost, own.duration};
        }
      });
    }
    return found.cost < kNever;
  }

  const RichProblem* problem_;
};

}  // namespace vrp
