// When a vehicle leaves, arrives, rests and is back on a route whose positions are known: so that
// its times cost least, of those so that it takes least time, of those earliest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "pieces.hpp"

namespace vrp {

// P: stops and reloads, and the end depot if there is one; K: breaks.
struct Sizes {
  std::int32_t positions, visits, breaks;
  std::int32_t open;      // 1: it begins with its first service or break
  std::int32_t in_order;  // 1: breaks are taken in the order that they have
};

struct Limits {
  double slack;                 // by how much a time may be missed
  double same_time, same_cost;  // what rounding makes of equal ones
  double earliest, latest_start, loading;
  Ending ending;
};

// Filled by Python, which owns it: first `Sizes`, then where the windows of each position and break
// begin [P + K + 1], which breaks come before each, a bit each [K], and whether it may come behind
// so many visits [K, V + 1]. Of numbers, first `Limits`, then of each position and break the leg,
// the time, when a later begin costs and how much [P + K, 4], then all windows.
class Itinerary {
 public:
  Itinerary(const std::int32_t* counts, const double* numbers)
      : in(*reinterpret_cast<const Sizes*>(counts)),
        limits(*reinterpret_cast<const Limits*>(numbers)),
        window_from_(counts + sizeof(Sizes) / sizeof(std::int32_t)),
        before_(window_from_ + in.positions + in.breaks + 1), fits_(before_ + in.breaks),
        steps_(numbers + sizeof(Limits) / sizeof(double)),
        windows_(steps_ + 4 * (in.positions + in.breaks)) {}

  Step step_at(int at) const {
    const double* own = steps_ + 4 * at;
    const std::int32_t from = window_from_[at];
    return {windows_ + 2 * from, window_from_[at + 1] - from, own[0], own[1], own[2], own[3]};
  }
  Step break_at(int number) const { return step_at(in.positions + number); }

  bool fits(int number, int after) const { return fits_[number * (in.visits + 1) + after] != 0; }

  Breaks breaks() const { return {in.breaks, in.in_order, before_}; }

  const Sizes& in;
  const Limits& limits;

 private:
  const std::int32_t *window_from_, *before_, *fits_;
  const double *steps_, *windows_;
};

// A break in a route.
struct Rest {
  std::int32_t before;         // the one before it, or -1
  std::int32_t number, after;  // which one, and how many visits come before it
};

// Filled for Python: departure, end, arrivals and begins [P], begins of breaks [K]; of breaks which
// ones, in their order, and behind how many visits [K].
struct Times {
  double* numbers;
  std::int32_t* rests;
};

class Schedule {
 public:
  static Schedule* lay_out(Arena& arena, const Itinerary& in, int room) {
    const int sets = in.breaks().num_sets();
    const auto all = static_cast<std::size_t>(sets) * static_cast<std::size_t>(room);
    Schedule* made = arena.take<Schedule>(1);
    Piece* list = arena.take<Piece>(all);
    Piece* old = arena.take<Piece>(2 * static_cast<std::size_t>(room));
    Rest* rests = arena.take<Rest>(all);
    Departure* departures = arena.take<Departure>(3 * static_cast<std::size_t>(room));
    const Pieces pieces(list, old, sets, room, in.limits.slack);
    return made ? new (made) Schedule(in, pieces, old + room, rests, departures) : nullptr;
  }

  // Returns 1 and fills what follows from the best departure; 0 where none is in time; -1 where
  // there were more pieces than room.
  int find(const Times& times) {
    follow();
    const int all = pieces_.sets - 1;
    for (int index = 0; index < pieces_.counts[all]; ++index) {
      pieces_.close(pieces_.of(all)[index], limits_.ending,
                    [this](const Departure& own) { departures_[num_departures_++] = own; });
    }
    if (pieces_.is_full) return -1;
    if (num_departures_ == 0) return 0;
    const Departure& best = choose();
    int trail = best.trail;
    for (int at = in_.breaks; at-- > 0; trail = rests_[trail].before) {
      times.rests[at] = rests_[trail].number;
      times.rests[in_.breaks + at] = rests_[trail].after;
    }
    return run(best.time, times) ? 1 : 0;
  }

 private:
  Schedule(const Itinerary& itinerary, const Pieces& pieces, Piece* rested, Rest* rests,
           Departure* departures)
      : itinerary_(itinerary), in_(itinerary.in), limits_(itinerary.limits), pieces_(pieces),
        rested_(rested), rests_(rests), departures_(departures) {
    pieces_.thorough = true;
  }

  // Fills the pieces at the end of the route, of vehicles that have taken all breaks.
  void follow() {
    const double last = std::max(limits_.earliest, limits_.latest_start);
    if (last > limits_.latest_start + limits_.slack) return;
    pieces_.add(0, {limits_.earliest, last, limits_.loading, 0.0, 0.0, -1, false});
    for (int at = 0; at < in_.positions; ++at) {
      if (at <= in_.visits) rest(at);
      visit(pieces_, pieces_.sets, itinerary_.step_at(at), in_.open && at == 0);
    }
    if (in_.positions == in_.visits) rest(in_.visits);
  }

  // Takes breaks behind so many visits.
  void rest(int after) {
    itinerary_.breaks().forward([&](int taken, int each, int more) {
      if (pieces_.is_full || pieces_.counts[taken] == 0 || !itinerary_.fits(each, after)) return;
      if (num_rests_ + pieces_.counts[taken] > pieces_.sets * pieces_.room) {
        pieces_.is_full = true;
        return;
      }
      Step step = itinerary_.break_at(each);
      step.waits = !(in_.open && after == 0 && taken == 0);
      step.trail = num_rests_;
      for (int index = 0; index < pieces_.counts[taken]; ++index) {
        rests_[num_rests_++] = {pieces_.of(taken)[index].trail, each, after};
      }
      // Of equal pieces the first stays: who rests later.
      const int count = pieces_.counts[more];
      std::copy(pieces_.of(more), pieces_.of(more) + count, rested_);
      pieces_.counts[more] = 0;
      pieces_.go_on(taken, more, step);
      for (int index = 0; index < count; ++index) pieces_.add(more, rested_[index]);
    });
  }

  // The cheapest departure, of those the shortest, of those the earliest; of those the one with
  // the latest breaks.
  const Departure& choose() {
    keep_least([](const Departure& own) { return own.cost; }, limits_.same_cost);
    keep_least([](const Departure& own) { return own.duration; }, limits_.same_time);
    keep_least([](const Departure& own) { return own.time; }, limits_.same_time);
    const Departure* best = departures_;
    for (int at = 1; at < num_departures_; ++at) {
      if (rests_later(departures_[at].trail, best->trail)) best = departures_ + at;
    }
    return *best;
  }

  // Keeps the departures of which something is least, but for rounding.
  template <class Value>
  void keep_least(const Value& value, double same) {
    double least = kNever;
    for (int at = 0; at < num_departures_; ++at) least = std::min(least, value(departures_[at]));
    Departure* end = std::remove_if(
        departures_, departures_ + num_departures_,
        [&](const Departure& own) { return value(own) > least + same; });
    num_departures_ = static_cast<int>(end - departures_);
  }

  // Whether the first break is later, of those behind as many visits the second, and so on.
  bool rests_later(int trail, int other) const {
    int later = 0;
    for (; trail >= 0; trail = rests_[trail].before, other = rests_[other].before) {
      const int more = rests_[trail].after - rests_[other].after;
      if (more != 0) later = more;  // of the first that differs
    }
    return later > 0;
  }

  // What follows from a departure and the breaks that are known. False if something is missed.
  bool run(double departure, const Times& times) const {
    double now = departure + limits_.loading, *arrivals = times.numbers + 2;
    double *begins = arrivals + in_.positions, *rests = begins + in_.positions;
    for (int at = 0, rest = 0;; ++at) {
      for (; rest < in_.breaks && times.rests[in_.breaks + rest] == at; ++rest) {
        const Step step = itinerary_.break_at(times.rests[rest]);
        if (!begin(step, now)) return false;
        rests[rest] = now;
        now += step.time;
      }
      if (at == in_.positions) break;
      const Step step = itinerary_.step_at(at);
      now += step.leg;
      arrivals[at] = now;
      if (!begin(step, now)) return false;
      begins[at] = now;
      now += step.time;
    }
    times.numbers[0] = departure;
    times.numbers[1] = now;
    return now - limits_.ending.latest <= limits_.slack;
  }

  // Waits for a window; false if the last one is missed.
  bool begin(const Step& step, double& now) const {
    now = step.begin(now, limits_.slack);
    return now < kNever;
  }

  Itinerary itinerary_;
  const Sizes& in_;
  const Limits& limits_;
  Pieces pieces_;
  Piece* rested_;
  Rest* rests_;
  Departure* departures_;
  int num_rests_ = 0, num_departures_ = 0;
};

}  // namespace vrp
