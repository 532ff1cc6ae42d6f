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

  // Sets of breaks: see `RichProblem`.
  int count_sets() const { return in.in_order ? in.breaks + 1 : 1 << in.breaks; }
  int with_break(int taken, int each) const {
    if (in.in_order) return each == taken ? taken + 1 : -1;
    return (taken >> each & 1) || (before_[each] & ~taken) ? -1 : taken | 1 << each;
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
class Times {
 public:
  Times(const Sizes& sizes, double* own, std::int32_t* own_rests)
      : departure(own[0]), end(own[1]), arrivals(own + 2), begins(arrivals + sizes.positions),
        rests(begins + sizes.positions), numbers(own_rests), afters(own_rests + sizes.breaks) {}

  double &departure, &end;
  double *arrivals, *begins, *rests;
  std::int32_t *numbers, *afters;
};

class Schedule {
 public:
  static Schedule* lay_out(Arena& arena, const Itinerary& in, int room) {
    const int sets = in.count_sets();
    const auto all = static_cast<std::size_t>(sets) * static_cast<std::size_t>(room);
    Schedule* made = arena.take<Schedule>(1);
    Piece* list = arena.take<Piece>(all);
    Piece* old = arena.take<Piece>(static_cast<std::size_t>(room));
    Rest* rests = arena.take<Rest>(all);
    Departure* departures = arena.take<Departure>(3 * static_cast<std::size_t>(room));
    const Pieces pieces(list, old, sets, room, in.limits.slack);
    return made ? new (made) Schedule(in, pieces, rests, departures) : nullptr;
  }

  // Whether there is a departure that is in time; fills what follows from the best one.
  bool find(double* own, std::int32_t* rests) {
    follow();
    const int all = pieces_.sets - 1;
    for (int index = 0; index < pieces_.counts[all]; ++index) {
      pieces_.close(pieces_.of(all)[index], limits_.ending,
                    [this](const Departure& own) { departures_[num_departures_++] = own; });
    }
    if (num_departures_ == 0) return false;
    const Departure* best = choose();
    Times times(in_, own, rests);
    write_rests(best->trail, times);
    double late;
    return run(best->time, in_.breaks, times, late) < 0;
  }

  // Whether pieces were dropped for want of room: more of it finds more.
  bool is_full() const { return pieces_.is_full; }

  // The first position at which a vehicle is too late that leaves as early as it may and takes no
  // breaks; the number of visits: at the end. Else -1, and how much too late it starts.
  static int missed(const Itinerary& itinerary, double* own, double& late) {
    const Sizes& in = itinerary.in;
    const Limits& limits = itinerary.limits;
    const Schedule bare(itinerary, {nullptr, nullptr, 0, 0, limits.slack}, nullptr, nullptr);
    Times times(in, own, nullptr);
    const int at = bare.run(limits.earliest, 0, times, late);
    if (at >= 0) return std::min(at, in.visits);
    late = std::max(0.0, (in.open ? times.begins[0] : limits.earliest) - limits.latest_start);
    return -1;
  }

 private:
  Schedule(const Itinerary& itinerary, const Pieces& pieces, Rest* rests, Departure* departures)
      : itinerary_(itinerary), in_(itinerary.in), limits_(itinerary.limits), pieces_(pieces),
        rests_(rests), departures_(departures) {}

  // Fills the pieces at the end of the route, of vehicles that have taken all breaks.
  void follow() {
    const double last = std::max(limits_.earliest, limits_.latest_start);
    if (last > limits_.latest_start + limits_.slack) return;
    pieces_.add(0, {limits_.earliest, last, limits_.loading, 0.0, 0.0, -1, false});
    for (int at = 0; at < in_.positions; ++at) {
      if (at <= in_.visits) rest(at);
      Step step = itinerary_.step_at(at);
      for (int set = 0; set < pieces_.sets; ++set) {
        step.waits = !(in_.open && at == 0 && set == 0);
        pieces_.go_on(set, set, step);
      }
    }
    if (in_.positions == in_.visits) rest(in_.visits);
  }

  // Takes breaks behind so many visits.
  void rest(int after) {
    for (int taken = 0; taken + 1 < pieces_.sets; ++taken) {
      for (int each = 0; each < in_.breaks && pieces_.counts[taken] > 0; ++each) {
        const int more = itinerary_.with_break(taken, each);
        if (more < 0 || !itinerary_.fits(each, after)) continue;
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
        pieces_.go_on(taken, more, step);
      }
    }
  }

  // The cheapest departure, of those the shortest, of those the earliest; of those that takes its
  // breaks as late as it can.
  const Departure* choose() const {
    const Departure* end = departures_ + num_departures_;
    double cost = kNever, duration = kNever, time = kNever;
    for (const Departure* own = departures_; own < end; ++own) cost = std::min(cost, own->cost);
    cost += limits_.same_cost;
    for (const Departure* own = departures_; own < end; ++own) {
      if (own->cost <= cost) duration = std::min(duration, own->duration);
    }
    duration += limits_.same_time;
    const auto is_short = [&](const Departure& own) {
      return own.cost <= cost && own.duration <= duration;
    };
    for (const Departure* own = departures_; own < end; ++own) {
      if (is_short(*own)) time = std::min(time, own->time);
    }
    time += limits_.same_time;
    const Departure* best = nullptr;
    for (const Departure* own = departures_; own < end; ++own) {
      if (!is_short(*own) || own->time > time) continue;
      if (!best || rests_later(own->trail, best->trail)) best = own;
    }
    return best;
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

  void write_rests(int trail, Times& times) const {
    for (int at = in_.breaks; at-- > 0; trail = rests_[trail].before) {
      times.numbers[at] = rests_[trail].number;
      times.afters[at] = rests_[trail].after;
    }
  }

  // What follows from a departure with some breaks. Returns the first position that is missed, or
  // before which a break is, and how late that is; -1 if none is.
  int run(double departure, int num_rests, Times& times, double& late) const {
    double now = departure + limits_.loading;
    times.departure = departure;
    for (int at = 0, rest = 0;; ++at) {
      for (; rest < num_rests && times.afters[rest] == at; ++rest) {
        const Step step = itinerary_.break_at(times.numbers[rest]);
        if (!begin(step, now, late)) return at;
        times.rests[rest] = now;
        now += step.time;
      }
      if (at == in_.positions) break;
      const Step step = itinerary_.step_at(at);
      now += step.leg;
      times.arrivals[at] = now;
      if (!begin(step, now, late)) return at;
      times.begins[at] = now;
      now += step.time;
    }
    times.end = now;
    late = now - limits_.ending.latest;
    return late > limits_.slack ? in_.positions : -1;
  }

  // Waits for a window; false if the last one is missed, and by how much.
  bool begin(const Step& step, double& now, double& late) const {
    for (int each = 0; each < step.num_windows; ++each) {
      const double* window = step.windows + 2 * each;
      if (now > window[1] + limits_.slack) continue;
      now = std::max(now, window[0]);
      return true;
    }
    late = step.num_windows == 0 ? kNever : now - step.windows[2 * step.num_windows - 1];
    return false;
  }

  Itinerary itinerary_;
  const Sizes& in_;
  const Limits& limits_;
  Pieces pieces_;
  Rest* rests_;
  Departure* departures_;
  int num_rests_ = 0, num_departures_ = 0;
};

}  // namespace vrp
