// When each position of a route begins where rides or waits have limits: who waits before a pickup
// may save a ride. Of the begins that keep all limits those that cost least, of those the shortest,
// of those the earliest.
//
// For given places of breaks, each limit but windows bounds the difference of two begins. Of two
// choices of begins that keep such limits and windows, the earlier ones of each position do so,
// too: there are least begins, and sweeps over the route find them. Sources: Dechter, Meiri and
// Pearl 1991, "Temporal constraint networks", Artificial Intelligence 49; Hunsaker and Savelsbergh
// 2002, "Efficient feasibility testing for dial-a-ride problems", Operations Research Letters 30.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "pieces.hpp"

namespace vrp {

// Ways to place breaks, in steps: for an answer, and in the search. Steps to an optimum of prices.
constexpr int kMostPlaced = 200'000, kMostTried = 2000, kThirds = 50;

// What limits a begin from before. Of rides: with those to a delivery, the position of its pickup.
struct Call {
  Step step;
  double longest_wait = kNever, longest_ride = kNever;
  std::int32_t pickup = -1;
  double loaded_wait = kNever;  // of a break before it
};

// What of a route is the same in all orders of its breaks.
struct RideTerms {
  Limits limits;
  Breaks breaks;
  std::int32_t positions, visits;  // the end of a route may be one position more
  bool open;                       // it begins with its first service or break
  bool timed;                      // its duration counts
  bool priced;                     // lateness has a price
  int most_steps;                  // to places of breaks
  double most = kNever;            // times that cost more are of no use
};

class RideTimes {
 public:
  // P positions at most, and K breaks.
  static RideTimes lay_out(Arena& arena, std::size_t positions, std::size_t breaks) {
    RideTimes made;
    const std::size_t moments = positions + breaks + 1;
    made.calls = arena.take<Call>(positions);
    made.rests = arena.take<Call>(breaks * (positions + 1));
    made.line_ = arena.take<Moment>(moments);
    made.best = arena.take<Moment>(moments);
    made.begins_ = arena.take<double>(moments);
    made.latest_ = arena.take<double>(moments);
    made.where_ = arena.take<std::int32_t>(positions);
    return made;
  }

  // Returns whether there are begins; fills `best` and what follows.
  bool find(const RideTerms& terms) {
    terms_ = &terms;
    steps_ = 0;
    best_size = 0;
    line_[0] = {{{nullptr, 0, 0.0, terms.limits.loading}}, -1, 0.0};
    if (terms.breaks.count > 0 || terms.priced) {
      place(0, 0, 1, terms.limits.earliest + terms.limits.loading);
    } else {
      for (int at = 0; at < terms.positions; ++at) put(where_[at] = at + 1, calls[at], at);
      judge(terms.positions + 1);
    }
    return best_size > 0;
  }

  // A position in time; of a break `call` is -1 - its number.
  struct Moment : Call {
    std::int32_t call;
    double begin;
  };

  Call* calls = nullptr;  // [P] in their order
  Call* rests = nullptr;  // [K, P + 1] behind so many visits; with no windows where it may not be
  Moment* best = nullptr;  // [best_size] the departure first
  int best_size = 0;
  double cost = 0.0, duration = 0.0;  // of its times

 private:
  const Limits& limits() const { return terms_->limits; }

  const Call& rest_of(int number, int after) const {
    return rests[number * (terms_->visits + 1) + after];
  }

  // Goes on behind so many positions with a set of breaks taken, at the earliest at a time; takes
  // each break as late as it may.
  void place(int after, int taken, int size, double now) {
    const Breaks& breaks = terms_->breaks;
    const int all = breaks.num_sets() - 1;
    if (++steps_ > terms_->most_steps && taken != all) return;
    if (after == terms_->positions) {
      if (taken == all) judge(size);
    } else {
      where_[after] = size;
      begin_at(calls[after], after, now, size, [&](double end) {
        place(after + 1, taken, size + 1, end);
      });
    }
    if (after > terms_->visits || taken == all) return;
    for (int each = 0; each < breaks.count; ++each) {
      const int more = breaks.with(taken, each);
      if (more < 0) continue;
      begin_at(rest_of(each, after), -1 - each, now, size, [&](double end) {
        place(after, more, size + 1, end);
      });
    }
  }

  // Puts what may begin after a time into the line, and goes on with its end. Where times have
  // prices, each of its windows by itself: with one for each position, costs are convex.
  template <class GoOn>
  void begin_at(Call call, int number, double now, int size, const GoOn& go_on) {
    const double arrival = std::max(now + call.step.leg, call.step.earliest);
    const Step whole = call.step;
    const bool single = terms_->priced && steps_ <= terms_->most_steps;
    for (int each = 0; each < (single ? whole.num_windows : 1); ++each) {
      if (single) {
        call.step.windows = whole.windows + 2 * each;
        call.step.num_windows = 1;
      }
      const double begin = call.step.begin(arrival, limits().slack);
      if (begin == kNever) continue;
      put(size, call, number);
      go_on(begin + call.step.time);
    }
  }

  void put(int at, const Call& call, int number) {
    static_cast<Call&>(line_[at]) = call;
    line_[at].call = number;
    if (call.pickup >= 0) line_[at].pickup = where_[call.pickup];
    if (terms_->open && at == 1) line_[at].longest_wait = 0.0;
  }

  // Keeps the begins of the line if they are better than the best so far.
  void judge(int size) {
    size_ = size;
    const Ending& ending = limits().ending;
    if (!begin(ending.longest)) return;
    if (terms_->timed) {
      const double longest = length();
      const double lateness = cost_of_lateness();  // of no other begins is it less
      double shortest = shorten();
      if (is_dear(lateness + cost_of_length(shortest))) return;
      if (terms_->priced) shortest = cheapest(shortest, longest);
      // Rounding may take so much that there seems to be none.
      if (!begin(shortest) && !begin(shortest + 2.0 * limits().slack)) return;
    }
    if (best_size > 0 && !is_better()) return;
    cost = cost_of();
    duration = length();
    best_size = size_;
    for (int at = 0; at < size_; ++at) {
      best[at] = line_[at];
      best[at].begin = begins_[at];
    }
  }

  bool is_dear(double least) const {
    const double known = best_size > 0 ? std::min(cost, terms_->most) : terms_->most;
    return least > known + limits().same_cost;
  }

  bool is_better() const {
    const double more = cost_of() - cost, longer = length() - duration;
    if (more < -limits().same_cost || more > limits().same_cost) return more < 0.0;
    if (longer < -limits().same_time || longer > limits().same_time) return longer < 0.0;
    for (int at = 0, own = 0, other = 0; at < terms_->visits; ++at, ++own, ++other) {
      while (line_[own].call != at) ++own;
      while (best[other].call != at) ++other;
      const double later = begins_[own] - best[other].begin;
      if (later < -limits().same_time || later > limits().same_time) return later < 0.0;
    }
    return begins_[0] < best[0].begin - limits().same_time;
  }

  double end() const { return begins_[size_ - 1] + line_[size_ - 1].step.time; }
  double length() const { return end() - begins_[0]; }

  // Fills the least begins that keep all limits, with a duration of at most `longest`. False if
  // there are none. Without a later window, each round follows the way to a begin past one more
  // limit that looks back; beyond as many, limits contradict each other. A begin that is put off
  // to a window, which happens once for each, starts the count again.
  bool begin(double longest) {
    begins_[0] = limits().earliest;
    int back = 2;
    for (int at = 1; at < size_; ++at) {
      begins_[at] = line_[at].step.earliest;
      back += (line_[at].longest_wait < kNever) + (line_[at].longest_ride < kNever);
    }
    for (int round = 0; round < back; ++round) {
      if (begins_[0] > limits().latest_start + limits().slack) return false;
      for (int at = 1; at < size_; ++at) {
        const double now = std::max(begins_[at], arrival(begins_, at));
        begins_[at] = line_[at].step.begin(now, limits().slack);
        if (begins_[at] == kNever) return false;
        if (begins_[at] > now) round = -1;
      }
      if (end() > limits().ending.latest + limits().slack) return false;
      if (!hold_back(longest)) return true;
    }
    return false;
  }

  // Makes those later from which others are too far. Returns whether there are any.
  bool hold_back(double longest) {
    bool any = raise(0, end() - longest);
    for (int at = size_ - 1; at > 0; --at) {
      const Moment& own = line_[at];
      const double before = line_[at - 1].step.time + own.step.leg;
      any = raise(at - 1, begins_[at] - own.longest_wait - before) || any;
      if (own.pickup < 0) continue;
      any = raise(own.pickup, begins_[at] - own.longest_ride - line_[own.pickup].step.time) || any;
    }
    return any;
  }

  bool raise(int at, double least) {
    if (least <= begins_[at] + limits().slack) return false;
    begins_[at] = least;
    return true;
  }

  double arrival(const double* begins, int at) const {
    return begins[at - 1] + line_[at - 1].step.time + line_[at].step.leg;
  }

  // After `begin`: the least duration. With one window for each position, a route that is over no
  // later than it must and leaves as late as that allows is as short as any. With more, each
  // shorter one is in some later window.
  double shorten() {
    double shortest = length() - std::max(0.0, leave_last() - begins_[0]);
    int turns = 0;
    for (int at = 1; at < size_; ++at) turns += line_[at].step.num_windows - 1;
    for (; turns > 0; --turns) {
      if (!begin(shortest - 4.0 * limits().slack)) break;
      shortest = length() - std::max(0.0, leave_last() - begins_[0]);
    }
    return shortest;
  }

  // The latest departure after which the route is over as soon as with the least begins.
  double leave_last() {
    latest_[0] = std::max(begins_[0], limits().latest_start);
    std::fill(latest_ + 1, latest_ + size_, kNever);
    latest_[size_ - 1] = begins_[size_ - 1];
    for (bool any = true; any;) {
      for (int at = size_ - 1; at > 0; --at) {
        const Step& before = line_[at - 1].step;
        const double leave = latest_[at] - line_[at].step.leg - before.time;
        latest_[at - 1] = std::min(latest_[at - 1], leave);
        if (at > 1) latest_[at - 1] = last_begin(before, latest_[at - 1]);
        latest_[at - 1] = std::max(latest_[at - 1], begins_[at - 1]);
      }
      any = false;
      for (int at = 1; at < size_; ++at) {
        const Moment& own = line_[at];
        any = lower(at, arrival(latest_, at) + own.longest_wait) || any;
        if (own.pickup < 0) continue;
        const double leaves = latest_[own.pickup] + line_[own.pickup].step.time;
        any = lower(at, leaves + own.longest_ride) || any;
      }
    }
    return latest_[0];
  }

  // Least begins keep all limits: nothing is earlier.
  bool lower(int at, double most) {
    most = std::max(most, begins_[at]);
    if (most >= latest_[at] - limits().slack) return false;
    latest_[at] = most;
    return true;
  }

  // The latest begin up to a time.
  static double last_begin(const Step& step, double most) {
    for (int index = step.num_windows - 1; index >= 0; --index) {
      if (step.windows[2 * index] <= most) return std::min(most, step.windows[2 * index + 1]);
    }
    return -kNever;
  }

  // Of the durations between two, the shortest of those that cost least: the cost is convex.
  double cheapest(double low, double high) {
    for (int turn = 0; turn < kThirds && high - low > limits().slack; ++turn) {
      const double third = (high - low) / 3.0;
      if (cost_with(low + third) <= cost_with(high - third) + limits().same_cost) {
        high -= third;
      } else {
        low += third;
      }
    }
    return cost_with(low) <= cost_with(high) + limits().same_cost ? low : high;
  }

  double cost_with(double longest) { return begin(longest) ? cost_of() : kNever; }

  double cost_of() const { return cost_of_length(length()) + cost_of_lateness(); }

  double cost_of_length(double own) const {
    const Ending& ending = limits().ending;
    double total = ending.duration_cost == 0.0 ? 0.0 : ending.duration_cost * own;
    if (ending.overtime_cost == 0.0) return total;
    return total + ending.overtime_cost * std::max(0.0, own - ending.overtime_from);
  }

  double cost_of_lateness() const {
    const Ending& ending = limits().ending;
    if (!terms_->priced) return 0.0;
    double total = 0.0;
    for (int at = 1; at < size_; ++at) {
      const Step& step = line_[at].step;
      if (step.late_cost > 0.0) total += step.late_cost * std::max(0.0, begins_[at] - step.due);
    }
    if (ending.late_cost > 0.0) total += ending.late_cost * std::max(0.0, end() - ending.late_from);
    return total;
  }

  const RideTerms* terms_ = nullptr;  // while `find` is called
  Moment* line_ = nullptr;                       // [size_]
  double *begins_ = nullptr, *latest_ = nullptr;  // of the line
  std::int32_t* where_ = nullptr;                // [P] where positions are in the line
  int size_ = 0, steps_ = 0;
};

}  // namespace vrp
