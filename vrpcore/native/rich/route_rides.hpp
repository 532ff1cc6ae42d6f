// Whether rides and waits of a route keep their limits, and what its times then cost.
#pragma once

#include <algorithm>
#include <cstdint>

#include "day_times.hpp"
#include "ride_times.hpp"

namespace vrp {

class RouteRides {
 public:
  static RouteRides lay_out(Arena& arena, const RichProblem* problem) {
    RouteRides made(problem);
    if (!problem->rides) return made;
    std::int32_t breaks = 0;
    for (int type = 0; type < problem->in.num_types; ++type) {
      const std::int32_t* from = problem->in.break_from + type;
      breaks = std::max(breaks, from[1] - from[0]);
    }
    const auto positions = static_cast<std::size_t>(problem->max_visits() + 1);
    made.times_ = RideTimes::lay_out(arena, positions, static_cast<std::size_t>(breaks));
    made.served_ = arena.take<Served>(static_cast<std::size_t>(problem->in.num_stops));
    return made;
  }

  explicit RouteRides(const RichProblem* problem) : problem_(problem) {}

  // Fills the positions of a route. False if some ride takes too long without any wait.
  bool may_keep(int type, const std::int32_t* visits, int count) const {
    return fill(type, visits, count, times_.calls);
  }

  // After `may_keep`: fills what the times of a route cost, and how long it takes. False if rides
  // or waits break limits, or times cost more than `most`.
  bool measure(int type, const std::int32_t* visits, int count, double most,
               DayCost& found) const {
    const RichInput& in = problem_->in;
    RideTimes times = times_;
    const double hours[2] = {in.end_early[type], in.end_late[type]};
    times.calls[count].step.windows = hours;
    if (problem_->terms[type].breaks.count > 0) fill_rests(type, visits, count, times);
    // Where only overtime has a price, the shortest duration is best.
    const bool open = problem_->is_open(type);
    const bool priced = problem_->priced || in.late_cost[type] > 0.0;
    const bool timed = problem_->prices_times(type) || in.duration_cost[type] != 0.0 ||
                       in.balance[0] > 0.0;
    const Limits limits{in.slack, in.slack, 0.0, earliest_of_route(*problem_, type, visits, count),
                        in.latest_start[type], in.depot_service[problem_->loading_at(type)],
                        ending_of(*problem_, type)};
    if (!times.find({limits, problem_->terms[type].breaks, count + 1, count, open, timed, priced,
                     kMostTried, most})) {
      return false;
    }
    found = {times.cost, times.duration};
    return true;
  }

  // Whether something of a route has a limit on its ride or its wait.
  bool has_limits(int type, const std::int32_t* visits, int count) const {
    const RichInput& in = problem_->in;
    if (in.max_wait_loaded[type] < kNever) return true;
    return std::any_of(visits, visits + count, [&](int visit) {
      return in.stop_max_ride[visit] < kNever || in.stop_max_wait[visit] < kNever;
    });
  }

 private:
  bool fill(int type, const std::int32_t* visits, int count, Call* calls) const {
    const RichInput& in = problem_->in;
    int from = in.start[type], aboard = 0;
    for (int at = 0; at < count; ++at) aboard += in.first_trip[visits[at]] == 1 ? 1 : 0;
    double driven = 0.0;  // up to the end of the service before, without waiting
    for (int at = 0; at < count; ++at) {
      const int visit = visits[at], partner = in.partner[visit];
      const bool second = partner >= 0 && partner < visit;
      Call& call = calls[at] = {problem_->step_of(type, from, visit)};
      if (problem_->is_reload(visit)) {
        call.step.earliest = earliest_of_trip(*problem_, visits, count, at + 1);
      }
      call.loaded_wait = wait_with(type, aboard);
      call.longest_wait = std::min(in.stop_max_wait[visit], call.loaded_wait);
      if (second && in.stop_max_ride[visit] < kNever) {
        const Served& pickup = served_[partner];
        if (pickup.position < 0 || pickup.position >= at) return false;
        if (visits[pickup.position] != partner) return false;  // of another route, or not known
        call.pickup = pickup.position;
        call.longest_ride = in.stop_max_ride[visit];
        if (driven + call.step.leg - pickup.driven > call.longest_ride + in.slack) return false;
      }
      driven += call.step.leg + call.step.time;
      if (partner > visit) {
        served_[visit] = {at, driven};
        ++aboard;
      } else if (second || in.first_trip[visit] == 1) {
        --aboard;
      }
      from = problem_->node_of_visit(visit);
    }
    calls[count] = {{nullptr, 1, problem_->terms[type].leg(from, in.end[type]), 0.0},
                    wait_with(type, aboard), kNever, -1, wait_with(type, aboard)};
    return true;
  }

  // The longest wait with so many shipments on board.
  double wait_with(int type, int aboard) const {
    return aboard > 0 ? problem_->in.max_wait_loaded[type] : kNever;
  }

  // Fills the breaks of a route, wherever they may be. A vehicle waits for one as for what follows.
  void fill_rests(int type, const std::int32_t* visits, int count, const RideTimes& times) const {
    const TypeTerms& terms = problem_->terms[type];
    Board board(problem_);
    if (terms.rests_by_load) board.fill(type, visits, count, 0);
    for (int after = 0; after <= count; ++after) {
      const double longest = times.calls[after].loaded_wait;
      for (int each = 0; each < terms.breaks.count; ++each) {
        Call& rest = times.rests[each * (count + 1) + after];
        rest = {problem_->rest_of(terms.first_break + each), longest};
        if (terms.rests_by_load && !board.allows(terms.first_break + each)) {
          rest.step.num_windows = 0;
        }
      }
      if (terms.rests_by_load && after < count) board.move(type, visits, count, after);
    }
  }

  // A pickup in its route: its position, and how long the vehicle was busy until it left.
  struct Served {
    std::int32_t position;
    double driven;
  };

  const RichProblem* problem_;
  RideTimes times_;
  Served* served_ = nullptr;  // [N] of pickups
};

}  // namespace vrp
