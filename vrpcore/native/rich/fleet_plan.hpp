// A plan: the routes of the vehicles in use, and the stops that are left out.
//
// A route has a row of cells: its start, its stops in order, its end. A changed route's row is
// made anew, so sums never drift.
#pragma once

#include <algorithm>
#include <cstdint>

#include "day_bounds.hpp"
#include "duration_cache.hpp"
#include "plan_route.hpp"
#include "route_loads.hpp"
#include "route_times.hpp"
#include "rows.hpp"
#include "rich_problem.hpp"
#include "break_times.hpp"

namespace vrp {

class FleetPlan {
 public:
  static FleetPlan lay_out(Arena& arena, const RichProblem* problem) {
    const auto stops = static_cast<std::size_t>(problem->in.num_stops);
    const auto visits = static_cast<std::size_t>(problem->num_visits());
    const auto routes = static_cast<std::size_t>(problem->max_routes);
    FleetPlan plan(problem);
    plan.judge_ = RouteEvaluator::lay_out(arena, problem);
    plan.rows_ = Rows::lay_out(arena, problem->max_visits(), problem->max_routes);
    const std::size_t cells = plan.rows_.num_cells();
    const auto loads = cells * static_cast<std::size_t>(problem->in.dimensions);
    plan.arcs = arena.take<Arc>(cells);
    plan.positions = arena.take<Position>(cells);
    const auto sets = cells * static_cast<std::size_t>(problem->max_sets);
    plan.leave = arena.take<double>(sets);
    plan.latest = arena.take<double>(sets);
    plan.parts_ = DurationCache::lay_out(arena, problem, cells);
    plan.day_bounds_ = DayBounds::lay_out(arena, problem, cells);
    plan.route_of = arena.take<std::int32_t>(visits);
    plan.position_of = arena.take<std::int32_t>(visits);
    plan.routes = arena.take<PlanRoute>(routes);
    plan.load = arena.take<double>(loads);
    plan.peak_before = arena.take<double>(loads);
    plan.peak_after = arena.take<double>(loads);
    plan.in_trip = arena.take<InTrip>(problem->in.trips ? cells : 0);
    plan.open = arena.take<std::int32_t>(problem->nests ? cells : 0);
    plan.in_use = arena.take<std::int32_t>(routes);
    plan.left = arena.take<std::int32_t>(static_cast<std::size_t>(problem->in.num_types));
    plan.out = arena.take<std::int32_t>(stops);
    plan.where_out_ = arena.take<std::int32_t>(stops);
    plan.old_out_ = arena.take<std::int32_t>(stops);
    plan.old_ = arena.take<PlanRoute>(routes);
    plan.stamp_ = arena.take<std::int64_t>(routes);
    plan.touched = arena.take<std::int32_t>(routes);
    return plan;
  }

  explicit FleetPlan(const RichProblem* problem)
      : width(problem->max_sets), problem_(problem), judge_(problem),
        break_times_(problem), parts_(problem), day_bounds_(problem) {}

  // Empties the plan: all stops are left out.
  void clear() {
    const RichInput& in = problem_->in;
    judge_.begin();
    num_in_use = num_out = num_touched = 0;
    max_in_use = problem_->max_routes;
    rows_.clear();
    for (int type = 0; type < in.num_types; ++type) left[type] = in.count[type];
    for (int stop = 0; stop < in.num_stops; ++stop) {
      route_of[stop] = -1;
      where_out_[stop] = -1;
      const bool stands = problem_->unit_of(stop) == stop;  // for itself, or for alternatives
      if (!problem_->is_delivery_end(stop) && stands) leave_out(stop);
    }
    for (int route = 0; route < problem_->max_routes; ++route) {
      routes[route].count = routes[route].type = routes[route].held = 0;
      routes[route].slot = route;
      in_use[route] = route;  // past `num_in_use`: free
      stamp_[route] = -1;
    }
    iteration = 0;
    begin_iteration();
  }

  void begin_iteration() {
    for (int index = 0; index < num_touched; ++index) {
      PlanRoute& now = routes[touched[index]];
      if (!now.held && old_[index].count > 0) rows_.give_back(old_[index].row, old_[index].count);
      now.held = 0;
    }
    ++iteration;
    num_touched = 0;
    old_num_out_ = num_out;
    std::copy(out, out + num_out, old_out_);
  }

  // Undoes everything since `begin_iteration`.
  void restore() {
    for (int index = 0; index < num_touched; ++index) {
      if (!routes[touched[index]].held) empty(touched[index]);
    }
    for (int index = 0; index < num_touched; ++index) take_back(touched[index], old_[index]);
    for (int index = 0; index < num_out; ++index) where_out_[out[index]] = -1;
    num_out = old_num_out_;
    std::copy(old_out_, old_out_ + num_out, out);
    for (int index = 0; index < num_out; ++index) where_out_[out[index]] = index;
    num_touched = 0;
  }

  // Gives a route these stops, which are in no other route.
  // Returns false, and leaves the route as it is, if that breaks a limit.
  bool assign(int route, int type, const std::int32_t* stops, int count) {
    RouteTotals totals;
    if (!judge_.judge(type, stops, count, totals)) return false;
    put(route, type, stops, count, &totals);
    return true;
  }

  // The same for stops that are known to keep all limits in this order; maybe with what they
  // were judged to have.
  void put(int route, int type, const std::int32_t* stops, int count,
           const RouteTotals* judged = nullptr) {
    PlanRoute& made = routes[route];
    if (made.count > 0) {
      detach(route);
    } else {
      use(route);
    }
    --left[type];
    made.type = type;
    made.count = count;
    made.held = 0;
    made.has_parts = made.related = 0;
    if (problem_->in.num_relations > 0) {
      made.related = std::any_of(stops, stops + count, [&](int visit) {
        return problem_->has_relation(visit);
      });
    }
    made.content = content_of(type, stops, count);
    made.row = rows_.take(count);
    link(route, stops, count);
    set_loads(*problem_, made, arcs + made.row, {load, peak_before, peak_after});
    set_costs(made, stops, judged);
    if (problem_->balanced) {
      const auto visit_at = [&](int at) { return stops[at]; };
      made.work = work_of(*problem_, judge_, type, made.totals, count, visit_at);
    }
  }

  // The route's vehicle is free again; its stops are in no route.
  void empty(int route) {
    if (routes[route].count == 0) return;
    detach(route);
    routes[route].count = routes[route].held = 0;
    const int slot = routes[route].slot, last = in_use[--num_in_use];
    in_use[slot] = last;
    routes[last].slot = slot;
    in_use[num_in_use] = route;
    routes[route].slot = num_in_use;
  }

  // Keeps a route as it is, before its first change in an iteration.
  void touch(int route) {
    if (stamp_[route] == iteration) return;
    stamp_[route] = iteration;
    old_[num_touched] = routes[route];
    touched[num_touched++] = route;
    routes[route].held = routes[route].count > 0 ? 1 : 0;
  }

  bool is_touched(int route) const { return stamp_[route] == iteration; }

  // Copies the stops of a route and returns their number.
  int read(int route, std::int32_t* stops) const {
    if (routes[route].count == 0) return 0;
    const int count = routes[route].count;
    const Arc* row = arcs + routes[route].row + 1;
    for (int at = 0; at < count; ++at) stops[at] = problem_->visit_of(row[at].node);
    return count;
  }

  // Who is left out stands there once, see `RichProblem::unit_of`.
  void leave_out(int stop) {
    stop = problem_->unit_of(stop);
    where_out_[stop] = num_out;
    out[num_out++] = stop;
  }

  void take_in(int stop) {
    stop = problem_->unit_of(stop);
    const int last = out[--num_out];
    out[where_out_[stop]] = last;
    where_out_[last] = where_out_[stop];
    where_out_[stop] = -1;
  }

  bool is_out(int stop) const { return where_out_[problem_->unit_of(stop)] >= 0; }

  // Whether a unit that is left out was so at `begin_iteration`; as long as nobody was taken in.
  bool was_out(int unit) const { return where_out_[unit] < old_num_out_; }

  PlanValue value() const {
    PlanValue total{0, fewest_vehicles ? num_in_use : 0, 0.0};
    for (int each = 0; each < num_in_use; ++each) total.cost += routes[in_use[each]].totals.cost;
    if (problem_->balanced) total.cost += balance();
    for (int index = 0; index < num_out; ++index) {
      const int stop = out[index];
      if (problem_->is_required(stop)) {
        total.missing += problem_->in.weight[stop];
      } else {
        total.cost += problem_->in.stop_prize[stop];
      }
    }
    return total;
  }

  // What the largest duration, distance, number of stops and load of all routes cost.
  double balance() const { return most_work().cost(*problem_); }

  RouteWork most_work() const {
    RouteWork most;
    for (int each = 0; each < num_in_use; ++each) most.raise(routes[in_use[each]].work);
    return most;
  }

  // The route that a unit has to be in: see `Relations::bound_route`.
  int bound_route(int unit) const {
    return problem_->in.num_relations == 0 ? -1 : judge_.relations().bound_route(unit, route_of);
  }

  // Whether no shipment is under way between two positions.
  bool is_cut(int route, int from) const {
    if (!problem_->carries) return true;
    const PlanRoute& used = routes[route];
    for (int at = from; at < used.count; ++at) {
      const int stop = problem_->visit_of(arcs[used.row + 1 + at].node);
      const int partner = problem_->in.partner[stop];
      if (partner < 0) continue;
      if (route_of[partner] != route || position_of[partner] < from) return false;
    }
    return true;
  }

  // A vehicle that is judged by walking, when it leaves a position of a route.
  Visitor visitor_at(const PlanRoute& used, int at) const {
    Visitor visitor{};
    const double* times = leave + static_cast<std::int64_t>(used.row + at) * width;
    std::copy(times, times + problem_->terms[used.type].num_sets, visitor.times);
    visitor.node = arcs[used.row + at].node;
    return visitor;
  }

  // Whether it can go on to the position behind another one.
  bool goes_on(const Visitor& visitor, const PlanRoute& used, int at) const {
    const std::int64_t next = static_cast<std::int64_t>(used.row + at + 1) * width;
    return break_times_.reaches(visitor, used.type, arcs[used.row + at].next, latest + next);
  }

  // A route that has no stops; -1 if as many as there may be are in use.
  int free_route() const { return num_in_use < max_in_use ? in_use[num_in_use] : -1; }

  // Writes type, number of stops and the stops of each route; returns how many numbers.
  int write(std::int32_t* numbers) const {
    int size = 0;
    for (int index = 0; index < num_in_use; ++index) {
      const int route = in_use[index];
      numbers[size] = routes[route].type;
      numbers[size + 1] = routes[route].count;
      size += 2 + read(route, numbers + size + 2);
    }
    return size;
  }

  const RichProblem& problem() const { return *problem_; }
  const RouteEvaluator& judge() const { return judge_; }
  const BreakTimes& walked() const { return break_times_; }
  const DurationCache& parts() const { return parts_; }
  const DayBounds& day_bounds() const { return day_bounds_; }

  Arc* arcs = nullptr;               // [C] C cells of rows
  Position* positions = nullptr;     // [C]
  int width;                         // sets of breaks, W; see `BreakTimes`
  double *leave = nullptr, *latest = nullptr;  // [C, W]
  std::int32_t* route_of = nullptr;  // [V] -1 where the stop is left out
  std::int32_t* position_of = nullptr;  // [V] stops before it
  PlanRoute* routes = nullptr;       // [R]
  double* load = nullptr;            // [C, L] on board after a stop or a start
  double* peak_before = nullptr;     // [C, L] the most up to there, included
  double* peak_after = nullptr;      // [C, L] the most from there on, included
  InTrip* in_trip = nullptr;         // [C] of plans with trips
  std::int32_t* open = nullptr;      // [C] of types that are unloaded from behind: see `set_open`
  std::int32_t* in_use = nullptr;    // [R] routes with stops, then the others
  std::int32_t* left = nullptr;      // [T] vehicles without a route
  std::int32_t* out = nullptr;       // [N] customers and pickups left out
  std::int32_t* touched = nullptr;   // [R] routes changed since `begin_iteration`
  int num_in_use = 0, num_out = 0, num_touched = 0;
  int max_in_use = 0;  // at most R; a search for fewer vehicles lowers it
  bool fewest_vehicles = false;  // their number counts before cost
  std::int64_t iteration = 0;

 private:
  // The times of a route whose legs are known, and its cost; maybe with what was judged.
  void set_costs(PlanRoute& made, const std::int32_t* stops, const RouteTotals* judged) {
    const TypeTerms& terms = problem_->terms[made.type];
    if (terms.by_day) {
      set_totals(made, stops, judged);
      RouteTotals without_times = made.totals;
      without_times.duration = 0.0;
      return day_bounds_.fill(made, arcs + made.row, judge_.cost_of(made.type, without_times));
    }
    if (terms.by_walk) {
      set_walked(made, stops, judged);
    } else {
      set_times(*problem_, made, {arcs + made.row, positions + made.row, in_trip + made.row});
      if (terms.is_timed) made.totals.duration = whole(made).duration;
      made.totals.cost = judge_.cost_of(made.type, made.totals);
    }
    if (problem_->rides && terms.is_timed) set_totals(made, stops, judged);
  }

  // What a route was judged to have, or has.
  void set_totals(PlanRoute& made, const std::int32_t* stops, const RouteTotals* judged) {
    if (judged) {
      made.totals = *judged;
    } else if (!judge_.judge(made.type, stops, made.count, made.totals)) {
      made.totals.cost = kNever;
    }
  }

  void use(int route) {
    const int slot = routes[route].slot, other = in_use[num_in_use];
    in_use[slot] = other;
    routes[other].slot = slot;
    in_use[num_in_use] = route;
    routes[route].slot = num_in_use++;
  }

  // Undoes all changes of a touched route, which is empty if it was changed.
  void take_back(int route, const PlanRoute& old) {
    if (!routes[route].held && old.count > 0) {
      use(route);
      --left[old.type];
      const std::int32_t slot = routes[route].slot;
      routes[route] = old;
      routes[route].slot = slot;
      for (int at = 0; at < old.count; ++at) {
        const int stop = problem_->visit_of(arcs[old.row + 1 + at].node);
        route_of[stop] = route;
        position_of[stop] = at;
      }
    }
    routes[route].held = 0;
  }

  // Takes a route's stops off it, and gives its vehicle back.
  void detach(int route) {
    const PlanRoute& old = routes[route];
    ++left[old.type];
    for (int at = 1; at <= old.count; ++at) {
      const int stop = problem_->visit_of(arcs[old.row + at].node);
      if (route_of[stop] == route) route_of[stop] = -1;
    }
    if (!old.held) rows_.give_back(old.row, old.count);
  }

  void link(int route, const std::int32_t* stops, int count) {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[routes[route].type];
    PlanRoute& made = routes[route];
    Arc* row = arcs + made.row;
    Position* positions_row = positions + made.row;
    row[0].node = in.start[made.type];
    row[count].next = row[count + 1].node = in.end[made.type];
    for (int at = 0; at < count; ++at) {
      const int stop = stops[at];
      row[at].next = row[at + 1].node = problem_->node_of_visit(stop);
      route_of[stop] = route;
      position_of[stop] = at;
    }
    double distance = 0.0, travel = 0.0;
    for (int at = 0; at <= count; ++at) {
      row[at].length = terms.length(row[at].node, row[at].next);
      positions_row[at].leg = terms.leg(row[at].node, row[at].next);
      distance += row[at].length;
      travel += positions_row[at].leg;
    }
    made.totals = RouteTotals();
    made.totals.distance = distance;
    made.totals.travel = travel;
    made.earliest = in.start_early[made.type];
    made.first_pickup = made.past_delivery = count;
    made.kinds = made.reloads = 0;
    made.first_reload = count;
    for (int at = 0; in.vehicle_costs && at < count; ++at) {
      made.totals.extra += problem_->vehicle_cost(made.type, stops[at]);
    }
    if (in.trips) set_trips(*problem_, stops, in_trip + made.row, made);
    if (terms.lifo) set_open(*problem_, stops, count, position_of, open + made.row);
    if (problem_->awaits || problem_->collects) set_kinds(*problem_, stops, made);
  }

  // The times and costs of a route that is judged by walking; maybe with what was judged.
  void set_walked(PlanRoute& made, const std::int32_t* stops, const RouteTotals* judged) {
    const TypeTerms& terms = problem_->terms[made.type];
    Arc* row = arcs + made.row;
    const std::int64_t first = static_cast<std::int64_t>(made.row) * width;
    const double work = break_times_.fill(made, row, leave + first, latest + first, width);
    made.busy = made.totals.travel + work + problem_->rest_time(terms);
    const double duration = terms.by_parts ? parts_.fill(made, row) : -1.0;
    made.has_parts = duration >= 0.0 && duration < kNever ? 1 : 0;
    if (made.has_parts) {
      made.totals.duration = duration;
    } else if (!terms.is_known) {
      return set_totals(made, stops, judged);
    }
    made.totals.cost =
        judge_.cost_of(made.type, made.totals) + problem_->in.service_cost[made.type] * work;
  }

  // All of a route.
  Segment whole(const PlanRoute& made) const {
    Segment joined;
    const Position& last = positions[made.row + made.count];
    join(last.before, last.leg, problem_->end_of(made.type), kNever, joined);
    return joined;
  }

  const RichProblem* problem_;
  RouteEvaluator judge_;
  BreakTimes break_times_;
  DurationCache parts_;
  DayBounds day_bounds_;
  Rows rows_;
  std::int32_t* where_out_ = nullptr;  // [N] index in `out`, or -1
  std::int32_t* old_out_ = nullptr;    // [N]
  PlanRoute* old_ = nullptr;           // [R] each touched route as it was
  std::int64_t* stamp_ = nullptr;      // [R] iteration of the last touch
  int old_num_out_ = 0;
};

}  // namespace vrp
