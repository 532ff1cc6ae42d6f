// The least cost of a route's times where lateness or overtime has a price, or where trips meet
// breaks, setups or several windows.
//
// All departures are followed at once. A piece is a range of departures that fare alike: either
// the vehicle is somewhere so much later, or, having waited, at one time. What is late so far costs
// a linear function of the departure. Of the ends of pieces, and where a price begins, one is best.
#pragma once

#include <algorithm>
#include <cstdint>

#include "board.hpp"
#include "trips.hpp"

namespace vrp {

constexpr int kMostPieces = 1024;  // of all sets of breaks together

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
    Pieces pieces(RichProblem::count_sets(terms), most);
    const double earliest =
        std::max(in.start_early[type], trip_release(*problem_, visits, count, 0));
    const double latest = in.latest_start[type];
    if (earliest > latest) return false;
    const bool open = problem_->is_open(type);
    pieces.add(0, {earliest, terms.is_timed || open ? latest : earliest,
                   open ? 0.0 : in.depot_service[problem_->loading_at(type)], 0.0, 0.0, false});
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
  struct Piece {
    double first, last;  // departures
    double at;           // time, if it is fixed; else how much later than the departure
    double cost, slope;  // of the first departure, and for each unit later
    bool fixed;
    double time(double departure) const { return fixed ? at : departure + at; }
    double cost_of(double departure) const { return cost + slope * (departure - first); }
  };

  // Pieces for each set of breaks, as many as there is room for.
  struct Pieces {
    Pieces(int count, double dearest) : sets(count), room(kMostPieces / count), most(dearest) {
      std::fill(counts, counts + sets, 0);
    }
    Piece* of(int set) { return list + set * room; }

    void add(int set, const Piece& piece) {
      if (!(piece.first <= piece.last) || piece.cost > most) return;  // lateness stays
      Piece* own = of(set);
      int kept = 0;
      for (int index = 0; sets > 1 && index < counts[set]; ++index) {
        if (replaces(own[index], piece)) return;
      }
      for (int index = 0; sets > 1 && index < counts[set]; ++index) {
        if (!replaces(piece, own[index])) own[kept++] = own[index];
      }
      if (sets > 1) counts[set] = kept;
      if (counts[set] < room) own[counts[set]++] = piece;
    }

    static bool replaces(const Piece& piece, const Piece& other) {
      if (piece.first > other.first || piece.last < other.last) return false;
      return piece.time(other.first) <= other.time(other.first) &&
             piece.time(other.last) <= other.time(other.last) &&
             piece.cost_of(other.first) <= other.cost_of(other.first) &&
             piece.cost_of(other.last) <= other.cost_of(other.last);
    }

    Piece list[kMostPieces];
    int counts[kMostRestSets];
    int sets, room;
    double most;
  };

  // What is done at a position.
  struct Doing {
    const double* windows;
    int num_windows;
    double leg, time;
    double due, late_cost;  // a begin after `due` costs
    double released;        // it begins no earlier
    bool waits;             // false: nobody does
  };

  bool visit(int type, const std::int32_t* visits, int count, int at, int from,
             Pieces& pieces) const {
    const RichInput& in = problem_->in;
    const int own = visits[at], node = problem_->node_of_visit(own);
    const bool reload = problem_->is_reload(own);
    const Doing doing{problem_->windows_of(own), problem_->num_windows[own],
                      problem_->leg(in.profile[type], from, node),
                      problem_->action(type, from, own), in.stop_due[own], in.stop_late_cost[own],
                      reload ? trip_release(*problem_, visits, count, at + 1) : -kNever, true};
    bool any = false;
    for (int set = 0; set < pieces.sets; ++set) {
      const int before = pieces.counts[set];
      if (before == 0) continue;
      // A route without a start begins with its first service or break.
      Doing now = doing;
      now.waits = !(at == 0 && set == 0 && problem_->is_open(type));
      go_on(pieces, set, set, now);
      any = any || pieces.counts[set] > 0;
    }
    return any;
  }

  // What becomes of the pieces of a set; they replace those of the same set.
  void go_on(Pieces& pieces, int set, int after, const Doing& doing) const {
    Piece old[kMostPieces];
    const int count = pieces.counts[set];
    std::copy(pieces.of(set), pieces.of(set) + count, old);
    if (after == set) pieces.counts[set] = 0;
    for (int index = 0; index < count; ++index) {
      Piece piece = old[index];
      piece.at += doing.leg;
      if (piece.fixed) {
        add_fixed(pieces, after, piece, doing);
      } else {
        add_moving(pieces, after, piece, doing);
      }
    }
  }

  void add_fixed(Pieces& pieces, int set, Piece piece, const Doing& doing) const {
    const double now = std::max(piece.at, doing.released);
    const double slack = problem_->in.slack;
    for (int each = 0; each < doing.num_windows; ++each) {
      if (now > doing.windows[2 * each + 1] + slack) continue;
      const double begin = std::max(now, doing.windows[2 * each]);
      if (!doing.waits && begin > piece.at) return;
      piece.cost += doing.late_cost * std::max(0.0, begin - doing.due);
      piece.at = begin + doing.time;
      pieces.add(set, piece);
      return;
    }
  }

  void add_moving(Pieces& pieces, int set, const Piece& piece, const Doing& doing) const {
    const double slack = problem_->in.slack, elapsed = piece.at;
    double first = piece.first;
    for (int each = 0; each < doing.num_windows && first <= piece.last; ++each) {
      const double opens = std::max(doing.windows[2 * each], doing.released);
      const double closes = doing.windows[2 * each + 1] + slack;
      if (opens > closes) continue;
      const double last = std::min(piece.last, closes - elapsed);
      if (first > last) continue;
      const double meets = opens - elapsed;  // who leaves then does not wait
      if (doing.waits && first < meets) {
        Piece waits = piece;
        waits.first = first;
        waits.last = std::min(last, meets);
        waits.cost = piece.cost_of(first) + doing.late_cost * std::max(0.0, opens - doing.due);
        if (waits.slope == 0.0) waits.first = waits.last;  // who leaves last takes least
        waits.at = opens + doing.time;
        waits.fixed = true;
        pieces.add(set, waits);
      }
      add_on_time(pieces, set, piece, {std::max(first, meets), last}, doing);
      if (last >= piece.last) return;
      first = last;
    }
  }

  struct Range {
    double first, last;
  };

  // Departures that do not wait, divided where lateness begins.
  void add_on_time(Pieces& pieces, int set, const Piece& piece, Range range,
                   const Doing& doing) const {
    if (range.first > range.last) return;
    Piece moves = piece;
    moves.at += doing.time;
    moves.first = range.first;
    moves.cost = piece.cost_of(range.first);
    const double late = doing.late_cost > 0.0 ? doing.due - piece.at : kNever;
    if (late > range.first) {
      moves.last = std::min(range.last, late);
      pieces.add(set, moves);
      if (late >= range.last) return;
      moves.first = late;
      moves.cost = piece.cost_of(late);
    } else {
      moves.cost += doing.late_cost * (range.first - late);
    }
    moves.last = range.last;
    moves.slope += doing.late_cost;
    pieces.add(set, moves);
  }

  void rest(int type, Pieces& pieces, const Board& board, bool begins) const {
    const TypeTerms& terms = problem_->terms[type];
    for (int taken = 0; taken + 1 < pieces.sets; ++taken) {
      if (pieces.counts[taken] == 0) continue;
      const int last = terms.in_order ? taken + 1 : terms.num_breaks;
      for (int each = terms.in_order ? taken : 0; each < last; ++each) {
        const int own = terms.first_break + each, more = problem_->with_break(terms, taken, each);
        if (more < 0 || (terms.rests_by_load && !board.allows(own))) continue;
        const Doing doing{problem_->break_windows_of(own), problem_->num_break_windows(own), 0.0,
                          problem_->in.break_time[own], kNever, 0.0, -kNever,
                          !(begins && taken == 0)};
        go_on(pieces, taken, more, doing);
      }
    }
  }

  bool finish(int type, int from, Pieces& pieces, DayCost& found) const {
    const RichInput& in = problem_->in;
    const double leg = problem_->leg(in.profile[type], from, in.end[type]);
    Ending ending{type, {kNever, kNever}};
    const int all = pieces.sets - 1;
    for (int index = 0; index < pieces.counts[all]; ++index) {
      Piece piece = pieces.of(all)[index];
      piece.at += leg;
      const double meets = in.end_early[type] - piece.at;  // who leaves later is back later
      if (piece.fixed || piece.first >= meets || meets == -kNever) {
        piece.at = piece.fixed ? std::max(piece.at, in.end_early[type]) : piece.at;
        close(piece, ending);
        continue;
      }
      Piece waits = piece;
      waits.last = std::min(piece.last, meets);
      waits.at = in.end_early[type];
      waits.fixed = true;
      close(waits, ending);
      if (piece.last <= meets) continue;
      piece.cost = piece.cost_of(meets);
      piece.first = meets;
      close(piece, ending);
    }
    found = ending.best;
    return found.cost < kNever;
  }

  struct Ending {
    int type;
    DayCost best;
  };

  // Tries the ends of a piece, and where overtime or lateness begins.
  void close(const Piece& piece, Ending& ending) const {
    const RichInput& in = problem_->in;
    const int type = ending.type;
    double first = piece.first, last = piece.last;
    const double ends = in.end_late[type] + in.slack;
    if (piece.fixed) {
      if (piece.at > ends) return;
      first = std::max(first, piece.at - in.max_duration[type]);
    } else {
      if (piece.at > in.max_duration[type]) return;
      last = std::min(last, ends - piece.at);
    }
    if (first > last) return;
    const double turn = piece.fixed ? piece.at - in.overtime_from[type]
                                    : in.late_from[type] - piece.at;
    for (const double departure : {first, last, std::min(std::max(turn, first), last)}) {
      if (departure - departure == 0.0) try_departure(piece, departure, ending);
    }
  }

  void try_departure(const Piece& piece, double departure, Ending& ending) const {
    const RichInput& in = problem_->in;
    const int type = ending.type;
    const double end = piece.time(departure), duration = piece.fixed ? end - departure : piece.at;
    double cost = piece.cost_of(departure);
    if (in.duration_cost[type] != 0.0) cost += in.duration_cost[type] * duration;
    if (in.overtime_cost[type] > 0.0) {
      cost += in.overtime_cost[type] * std::max(0.0, duration - in.overtime_from[type]);
    }
    if (in.late_cost[type] > 0.0) {
      cost += in.late_cost[type] * std::max(0.0, end - in.late_from[type]);
    }
    DayCost& best = ending.best;
    if (cost < best.cost || (cost == best.cost && duration < best.duration)) {
      best = {cost, duration};
    }
  }

  const RichProblem* problem_;
};

}  // namespace vrp
