// When a vehicle leaves, arrives, rests and is back on a route whose positions are known: so that
// its times cost least, of those so that it takes least time, of those earliest.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "ride_times.hpp"

namespace vrp {

// P: stops and reloads, and the end depot if there is one; K: breaks.
struct Sizes {
  std::int32_t positions, visits, breaks;
  std::int32_t open;      // 1: it begins with its first service or break
  std::int32_t in_order;  // 1: breaks are taken in the order that they have
  std::int32_t limited;   // 1: rides or waits have limits; 2: and lateness a price
};

// Filled by Python, which owns it: first `Sizes`, then where the windows of each position and break
// begin [P + K + 1], which breaks come before each, a bit each [K], and whether it may come behind
// so many visits [K, V + 1]. Of numbers, first `Limits`, then of each position and break the leg,
// the time, when a later begin costs and how much [P + K, 4], then all windows; where rides or
// waits have limits, of each position its longest wait and ride, and the position of the pickup of
// that ride or -1 [P, 3], and the longest wait of a break behind so many visits [V + 1].
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

  // The calls of a route whose rides or waits have limits, and its breaks.
  void fill(RideTimes& rides) const {
    const double* limit = windows_ + 2 * window_from_[in.positions + in.breaks];
    for (int at = 0; at < in.positions; ++at, limit += 3) {
      rides.calls[at] = {step_at(at), limit[0], limit[1], static_cast<std::int32_t>(limit[2])};
    }
    for (int row = 0; row < in.breaks * (in.visits + 1); ++row) {
      rides.rests[row] = {break_at(row / (in.visits + 1)), limit[row % (in.visits + 1)]};
      if (!fits_[row]) rides.rests[row].step.num_windows = 0;
    }
  }

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
    RideTimes rides;
    if (in.in.limited) {
      rides = RideTimes::lay_out(arena, static_cast<std::size_t>(in.in.positions),
                                 static_cast<std::size_t>(in.in.breaks));
    }
    Piece* list = arena.take<Piece>(all);
    Piece* old = arena.take<Piece>(2 * static_cast<std::size_t>(room));
    Rest* rests = arena.take<Rest>(all);
    Departure* departures = arena.take<Departure>(3 * static_cast<std::size_t>(room));
    const Pieces pieces(list, old, sets, room, in.limits.slack);
    return made ? new (made) Schedule(in, pieces, old + room, rests, departures, rides) : nullptr;
  }

  // Returns 1 and fills what follows from the best departure; 0 where none is in time; -1 where
  // there were more pieces than room.
  int find(const Times& times) {
    if (in_.limited) return find_begins(times) ? 1 : 0;
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
           Departure* departures, const RideTimes& rides)
      : itinerary_(itinerary), in_(itinerary.in), limits_(itinerary.limits), pieces_(pieces),
        rested_(rested), rests_(rests), departures_(departures), rides_(rides) {
    pieces_.thorough = true;
  }

  bool find_begins(const Times& times) {
    itinerary_.fill(rides_);
    const bool priced = in_.limited > 1;
    if (!rides_.find({limits_, itinerary_.breaks(), in_.positions, in_.visits, in_.open != 0, true,
                      priced, kMostPlaced})) {
      return false;
    }
    double *arrivals = times.numbers + 2, *begins = arrivals + in_.positions;
    double* rests = begins + in_.positions;
    double now = times.numbers[0] = rides_.best[0].begin;
    now += limits_.loading;
    for (int at = 1, visit = 0, rest = 0; at < rides_.best_size; ++at) {
      const RideTimes::Moment& own = rides_.best[at];
      if (own.call >= 0) {
        arrivals[visit] = now + own.step.leg;
        begins[visit++] = own.begin;
      } else {
        times.rests[rest] = -1 - own.call;
        times.rests[in_.breaks + rest] = visit;
        rests[rest++] = own.begin;
      }
      now = own.begin + own.step.time;
    }
    times.numbers[1] = now;
    return true;
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
  RideTimes rides_;
  int num_rests_ = 0, num_departures_ = 0;
};

}  // namespace vrp
