// All departures of a vehicle, followed at once from position to position.
//
// A piece is a range of departures that fare alike: either the vehicle is somewhere so much later,
// or, having waited, at one time. What is late so far costs a linear function of the departure. Of
// the ends of pieces, and where a price begins, one is best.
#pragma once

#include <algorithm>
#include <cstdint>

#include "steps.hpp"

namespace vrp {

struct Piece {
  double first, last;  // departures
  double at;           // time, if it is fixed; else how much later than the departure
  double cost, slope;  // of the first departure, and for each unit later
  std::int32_t trail;  // the last break taken: see `Schedule`
  bool fixed;
  double time(double departure) const { return fixed ? at : departure + at; }
  double cost_of(double departure) const { return cost + slope * (departure - first); }
};

// What the end of a route allows, and what its times cost.
struct Ending {
  double latest, longest;
  double late_from, late_cost, overtime_from, overtime_cost, duration_cost;
};

// What the times of a route must keep.
struct Limits {
  double slack;                 // by how much a time may be missed
  double same_time, same_cost;  // what rounding makes of equal ones
  double earliest, latest_start, loading;
  Ending ending;
};

// What a departure costs, and how long its route takes.
struct Departure {
  double cost, duration, time;
  std::int32_t trail;
};

// Pieces for each set of breaks that may have been taken, as many as there is room for.
class Pieces {
 public:
  // Memory of `num_sets` times `own_room`, and of `own_room`.
  Pieces(Piece* own_list, Piece* own_old, int num_sets, int own_room, double own_slack)
      : sets(num_sets), room(own_room), slack(own_slack), list_(own_list), old_(own_old) {
    std::fill(counts, counts + sets, 0);
  }

  Piece* of(int set) { return list_ + set * room; }
  bool has(int set) const { return counts[set] > 0; }

  void add(int set, const Piece& piece) {
    if (!(piece.first <= piece.last) || piece.cost > most) return;  // lateness stays
    Piece* own = of(set);
    int count = counts[set];
    if (prunes) {
      for (int index = 0; index < count; ++index) {
        if (replaces(own[index], piece)) return;
      }
      int kept = 0;
      for (int index = 0; index < count; ++index) {
        if (replaces(piece, own[index])) continue;
        if (kept < index) own[kept] = own[index];
        ++kept;
      }
      count = kept;
    }
    if (count < room) {
      own[count++] = piece;
    } else {  // the cheaper ones stay, whatever `most` is
      is_full = true;
      const auto cheaper = [](const Piece& one, const Piece& two) { return one.cost < two.cost; };
      Piece* dearest = std::max_element(own, own + count, cheaper);
      if (piece.cost < dearest->cost) *dearest = piece;
    }
    counts[set] = count;
  }

  // What becomes of the pieces of a set; they replace those of the same set.
  void go_on(int set, int after, const Step& step) {
    const int count = counts[set];
    std::copy(of(set), of(set) + count, old_);
    if (after == set) counts[set] = 0;
    for (int index = 0; index < count; ++index) {
      Piece piece = old_[index];
      piece.at += step.leg;
      if (step.trail >= 0) piece.trail = step.trail + index;
      if (piece.fixed) {
        add_fixed(after, piece, step);
      } else {
        add_moving(after, piece, step);
      }
    }
  }

  // Gives `take` the departures of a piece that may be best: the first and the last, and where
  // overtime or lateness begins.
  template <class Take>
  void close(const Piece& piece, const Ending& ending, const Take& take) const {
    double first = piece.first, last = piece.last, turn;
    if (piece.fixed) {
      if (piece.at > ending.latest + slack || piece.at - last > ending.longest + slack) return;
      first = std::max(first, std::min(last, piece.at - ending.longest));
      turn = piece.at - ending.overtime_from;
    } else {
      if (first + piece.at > ending.latest + slack || piece.at > ending.longest + slack) return;
      last = std::min(last, std::max(first, ending.latest - piece.at));
      turn = ending.late_from - piece.at;
    }
    for (const double time : {first, last, std::min(std::max(turn, first), last)}) {
      if (time - time == 0.0) take(departure_of(piece, ending, time));
    }
  }

  int counts[kMostRestSets];
  int sets, room;
  double slack;
  double most = kNever;  // that lateness may cost
  bool prunes = true;    // pieces that others replace go
  bool thorough = false;  // one departure also where a later one is there as early
  bool is_full = false;  // some had no room

 private:
  // Whether one is nowhere later than another, or leaves later, and its lateness costs no more.
  bool replaces(const Piece& piece, const Piece& other) const {
    if (thorough && other.first == other.last) {
      const double leave = std::max(piece.first, other.first);
      return leave <= piece.last && piece.time(leave) <= other.time(other.first) + tiny_ &&
             piece.cost_of(leave) <= other.cost;
    }
    if (piece.first > other.first || piece.last < other.last) return false;
    if (piece.time(other.first) > other.time(other.first) + tiny_) return false;
    if (piece.cost_of(other.first) > other.cost) return false;
    if (other.last == kNever) return piece.slope <= other.slope;
    return piece.time(other.last) <= other.time(other.last) + tiny_ &&
           piece.cost_of(other.last) <= other.cost_of(other.last);
  }

  void add_fixed(int set, Piece piece, const Step& step) {
    const double now = std::max(piece.at, step.earliest);
    for (int each = 0; each < step.num_windows; ++each) {
      if (now > step.windows[2 * each + 1] + slack) continue;
      const double begin = std::max(now, step.windows[2 * each]);
      if (!step.waits && begin > piece.at) return;
      piece.cost += step.late_cost * std::max(0.0, begin - step.due);
      piece.at = begin + step.time;
      add(set, piece);
      return;
    }
  }

  // Who can be in time does not use the slack.
  void add_moving(int set, const Piece& piece, const Step& step) {
    const double elapsed = piece.at;
    double first = piece.first;
    for (int each = 0; each < step.num_windows; ++each) {
      const double opens = std::max(step.windows[2 * each], step.earliest);
      const double closes = step.windows[2 * each + 1];
      if (std::max(opens, first + elapsed) > closes + slack) continue;
      const double last = std::min(piece.last, std::max(first, closes - elapsed));
      const double meets = opens - elapsed;  // who leaves then does not wait
      if (step.waits && first < meets) {
        Piece waits = piece;
        waits.first = first;
        waits.last = std::min(last, meets);
        waits.cost = piece.cost_of(first) + step.late_cost * std::max(0.0, opens - step.due);
        if (waits.slope == 0.0) waits.first = waits.last;  // who leaves last takes least
        waits.at = opens + step.time;
        waits.fixed = true;
        add(set, waits);
      }
      add_on_time(set, piece, std::max(first, meets), step.waits ? last : just(last, meets), step);
      if (last >= piece.last) return;
      first = last;
    }
  }

  // The last departure where nobody waits: one that is too early by rounding is in time.
  double just(double last, double meets) const {
    return last < meets && meets <= last + slack ? meets : last;
  }

  // Departures that do not wait, divided where lateness begins.
  void add_on_time(int set, const Piece& piece, double first, double last, const Step& step) {
    if (first > last) return;
    Piece moves = piece;
    moves.at += step.time;
    moves.first = first;
    moves.cost = piece.cost_of(first);
    const double late = step.late_cost > 0.0 ? step.due - piece.at : kNever;
    if (late > first) {
      moves.last = std::min(last, late);
      add(set, moves);
      if (late >= last) return;
      moves.first = late;
      moves.cost = piece.cost_of(late);
    } else {
      moves.cost += step.late_cost * (first - late);
    }
    moves.last = last;
    moves.slope += step.late_cost;
    add(set, moves);
  }

  Departure departure_of(const Piece& piece, const Ending& ending, double time) const {
    const double end = piece.time(time), duration = piece.fixed ? end - time : piece.at;
    double cost = piece.cost_of(time);
    if (ending.duration_cost != 0.0) cost += ending.duration_cost * duration;
    if (ending.overtime_cost > 0.0) {
      cost += ending.overtime_cost * std::max(0.0, duration - ending.overtime_from);
    }
    if (ending.late_cost > 0.0) {
      cost += ending.late_cost * std::max(0.0, end - ending.late_from);
    }
    return {cost, duration, time, piece.trail};
  }

  Piece *list_, *old_;
  double tiny_ = kTinyShare * slack;
};

}  // namespace vrp
