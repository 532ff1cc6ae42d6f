// Bounds of what the times of a route cost with more stops, where they are judged as a whole.
//
// Who leaves as early as possible, takes no break and sets nothing up is nowhere sooner on a way,
// so its lateness is the least. What that is behind a position is a function of the arrival there:
// no slope falls. Source of such functions: Ibaraki, Imahori, Kubo, Masuda, Uno and Yagiura 2005,
// "Effective local search algorithms for routing and scheduling problems with general time-window
// constraints", Transportation Science 39(2).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plan_route.hpp"

namespace vrp {

constexpr int kKeptSlopes = 8;  // for each position; those that begin last are not counted

// A vehicle under way: when it leaves a node, and what was late before.
struct EarlyVehicle {
  double time, late;
  int node;
};

class DayBounds {
 public:
  static DayBounds lay_out(Arena& arena, const RichProblem* problem, std::size_t cells) {
    DayBounds made(problem);
    made.rows_ = arena.take<Row>(problem->has_days ? cells : 0);
    return made;
  }

  explicit DayBounds(const RichProblem* problem) : problem_(problem) {}

  // Fills the row of a route whose cost is known, and what is not kept there.
  void fill(PlanRoute& route, const Arc* arcs, double without_times) {
    const RichInput& in = problem_->in;
    const int type = route.type;
    Row* row = rows_ + route.row;
    const double loading = in.depot_service[problem_->loading_at(type)];
    EarlyVehicle vehicle{route.earliest + loading, 0.0, arcs[0].node};
    double work = 0.0;
    for (int at = 0; at <= route.count; ++at) {
      if (at > 0) {
        const int own = problem_->visit_of(arcs[at].node);
        visit(type, own, vehicle);
        work += problem_->is_reload(own) ? 0.0 : problem_->service_of(type, own);
      }
      row[at].vehicle = vehicle;
    }
    Slopes behind;
    behind.put(in.late_from[type], in.late_cost[type]);
    for (int at = route.count;; --at) {
      row[at].behind = behind;
      if (at == 0) break;
      behind.go_back(least_step(type, arcs[at].node, problem_->visit_of(arcs[at].node)),
                     problem_->terms[type].leg(arcs[at].node, arcs[at].next));
    }
    route.busy = route.totals.travel + work + problem_->rest_time(problem_->terms[type]);
    route.paid = route.totals.cost - without_times - in.service_cost[type] * work;
  }

  // A vehicle that leaves a position of a route.
  EarlyVehicle leave(const PlanRoute& route, int at) const {
    return rows_[route.row + at].vehicle;
  }

  // Goes on to a visit.
  void visit(int type, int own, EarlyVehicle& vehicle) const {
    const Step step = least_step(type, vehicle.node, own);
    const double begin = std::max(vehicle.time + step.leg, step.windows[0]);
    if (begin > step.due) vehicle.late += step.late_cost * (begin - step.due);
    vehicle.time = begin + step.time;
    vehicle.node = problem_->node_of_visit(own);
  }

  // What the times of a route cost more, at least, by who goes on to the next position of the one
  // at `at`, having travelled and served so much more.
  double added(const PlanRoute& route, const EarlyVehicle& vehicle, int at, int next,
               double travel, double service) const {
    const RichInput& in = problem_->in;
    const int type = route.type;
    const double busy = route.busy + travel + service;
    double cost = lateness(type, vehicle, rows_[route.row + at], next) - route.paid;
    if (in.duration_cost[type] != 0.0) cost += in.duration_cost[type] * busy;
    if (in.overtime_cost[type] > 0.0) {
      cost += in.overtime_cost[type] * std::max(0.0, busy - in.overtime_from[type]);
    }
    return cost + in.service_cost[type] * service;
  }

  // The same of two routes of a type that exchange their tails behind positions.
  double exchanged(const PlanRoute& first, int from, const PlanRoute& second, int to,
                   int first_next, int second_next, double travel) const {
    const Row &row = rows_[first.row + from], &other = rows_[second.row + to];
    return lateness(first.type, row.vehicle, other, second_next) +
           lateness(first.type, other.vehicle, row, first_next) - first.paid - second.paid +
           problem_->in.duration_cost[first.type] * (first.busy + second.busy + travel);
  }

 private:
  // A sum of costs that begin at some arrivals, each linear from there on.
  struct Slopes {
    double base = 0.0;
    int count = 0;
    double from[kKeptSlopes], slope[kKeptSlopes];

    double cost(double arrival) const {
      double total = base;
      for (int each = 0; each < count; ++each) {
        if (arrival > from[each]) total += slope[each] * (arrival - from[each]);
      }
      return total;
    }

    void put(double begin, double rate) {
      if (rate <= 0.0 || begin == kNever) return;
      int own = count;
      if (count == kKeptSlopes) {
        own = static_cast<int>(std::max_element(from, from + count) - from);
        if (from[own] <= begin) return;
      } else {
        ++count;
      }
      from[own] = begin;
      slope[own] = rate;
    }

    // Makes it the cost of arrivals at the position before, from where it takes a leg.
    void go_back(const Step& step, double leg) {
      for (int each = 0; each < count; ++each) from[each] -= leg + step.time;
      put(step.due, step.late_cost);
      const double opens = step.windows[0];
      for (int each = 0; each < count; ++each) {
        if (from[each] >= opens) continue;
        base += slope[each] * (opens - from[each]);
        from[each] = opens;
      }
    }
  };

  struct Row {
    EarlyVehicle vehicle;  // that leaves the position
    Slopes behind;         // lateness from the next position on, by the arrival there
  };

  // Of a vehicle that goes on to what comes behind a position.
  double lateness(int type, const EarlyVehicle& vehicle, const Row& row, int next) const {
    const double arrival = vehicle.time + problem_->terms[type].leg(vehicle.node, next);
    return vehicle.late + row.behind.cost(arrival);
  }

  // A visit, without what may fall away where it is reached from elsewhere.
  Step least_step(int type, int from, int own) const {
    Step step = problem_->step_of(type, from, own);
    step.time = problem_->service_of(type, own);
    return step;
  }

  const RichProblem* problem_;
  Row* rows_ = nullptr;  // [C]
};

}  // namespace vrp
