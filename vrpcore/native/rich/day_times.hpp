// The least cost of a route's times where lateness or overtime has a price, or where trips meet
// breaks, setups or several windows; or the least duration, where known parts do not tell it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "board.hpp"
#include "pieces.hpp"
#include "trips.hpp"

namespace vrp {

// Of all sets of breaks together. Routes with more may count as dearer than they are.
constexpr int kMostPieces = 1024;

// What a route's times cost, and how long it takes.
struct DayCost {
  double cost, duration;
};

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
    const int sets = RichProblem::count_sets(terms);
    Pieces pieces(list, old, sets, kMostPieces / sets, in.slack);
    pieces.most = most;
    pieces.prunes = sets > 1 || !terms.by_day;
    pieces.thorough = !terms.by_day;
    const double earliest = earliest_of_route(*problem_, type, visits, count);
    const double latest = in.latest_start[type];
    if (earliest > latest) return false;
    const bool open = problem_->is_open(type);
    pieces.add(0, {earliest, terms.is_timed || open ? latest : earliest,
                   open ? 0.0 : in.depot_service[problem_->loading_at(type)], 0.0, 0.0, -1, false});
    Board board(problem_);
    if (terms.rests_by_load) board.fill(type, visits, count, 0);
    int from = in.start[type];
    for (int at = 0;; ++at) {
      if (terms.num_breaks > 0) rest(type, pieces, board, open && at == 0);
      if (at == count) break;
      if (!visit(type, visits, count, at, from, pieces)) return false;
      if (terms.rests_by_load) board.move(type, visits, count, at);
      from = problem_->node_of_visit(visits[at]);
    }
    return finish(type, from, pieces, found);
  }

 private:
  bool visit(int type, const std::int32_t* visits, int count, int at, int from,
             Pieces& pieces) const {
    const RichInput& in = problem_->in;
    const int own = visits[at], node = problem_->node_of_visit(own);
    const bool reload = problem_->is_reload(own);
    Step step{problem_->windows_of(own), problem_->num_windows[own],
              problem_->leg(in.profile[type], from, node), problem_->action(type, from, own),
              in.stop_due[own], in.stop_late_cost[own],
              reload ? earliest_of_trip(*problem_, visits, count, at + 1) : -kNever};
    bool any = false;
    for (int set = 0; set < pieces.sets; ++set) {
      if (pieces.counts[set] == 0) continue;
      // A route without a start begins with its first service or break.
      step.waits = !(at == 0 && set == 0 && problem_->is_open(type));
      pieces.go_on(set, set, step);
      any = any || pieces.counts[set] > 0;
    }
    return any;
  }

  void rest(int type, Pieces& pieces, const Board& board, bool begins) const {
    const TypeTerms& terms = problem_->terms[type];
    for (int taken = 0; taken + 1 < pieces.sets; ++taken) {
      if (pieces.counts[taken] == 0) continue;
      const int last = terms.in_order ? taken + 1 : terms.num_breaks;
      for (int each = terms.in_order ? taken : 0; each < last; ++each) {
        const int own = terms.first_break + each, more = problem_->with_break(terms, taken, each);
        if (more < 0 || (terms.rests_by_load && !board.allows(own))) continue;
        Step step{problem_->break_windows_of(own), problem_->num_break_windows(own), 0.0,
                  problem_->in.break_time[own]};
        step.waits = !(begins && taken == 0);
        pieces.go_on(taken, more, step);
      }
    }
  }

  bool finish(int type, int from, Pieces& pieces, DayCost& found) const {
    const RichInput& in = problem_->in;
    const int all = pieces.sets - 1;
    const double hours[2] = {in.end_early[type], in.end_late[type]};
    pieces.prunes = false;  // looking at all of them once is faster
    pieces.go_on(all, all, {hours, 1, problem_->leg(in.profile[type], from, in.end[type]), 0.0});
    const Ending ending{kNever, in.max_duration[type] - in.slack, in.late_from[type],
                        in.late_cost[type], in.overtime_from[type], in.overtime_cost[type],
                        in.duration_cost[type]};
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
