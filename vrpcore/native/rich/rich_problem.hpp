// What follows from an instance with constraints.
//
// Stops are numbered from 0; the node of stop s is D + s. A visit is a stop, or from N on a reload
// at depot 0, 1, .... The matrices have one node more than
// the instance, the last: open routes start or end there, and its legs are 0. All is float64,
// as the referee's own sums are, so plans that fit exactly are not lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>

#include "../shared/arena.hpp"
#include "../shared/watch.hpp"
#include "type_terms.hpp"

namespace vrp {

// Threads may share it.
class RichProblem {
 public:
  static RichProblem* lay_out(Arena& arena, const RichInput& input) {
    const auto stops = static_cast<std::size_t>(input.num_stops);
    const auto visits = stops + static_cast<std::size_t>(input.trips ? input.num_depots : 0);
    RichProblem* made = arena.take<RichProblem>(1);
    RichProblem unplaced;
    RichProblem& problem = made ? *new (made) RichProblem() : unplaced;
    problem.in = input;
    problem.num_near = std::min(kMaxNeighbours, std::max(0, input.num_stops - 1));
    problem.terms = arena.take<TypeTerms>(static_cast<std::size_t>(input.num_types));
    problem.visit = arena.take<Segment>(visits);
    problem.num_windows = arena.take<std::int32_t>(visits);
    problem.num_break_windows =
        arena.take<std::int32_t>(static_cast<std::size_t>(input.break_from[input.num_types]));
    problem.kind = arena.take<std::int8_t>(visits);
    problem.size = arena.take<double>(visits);
    problem.far = arena.take<double>(stops);
    problem.near = arena.take<std::int32_t>(stops * static_cast<std::size_t>(problem.num_near));
    return made;
  }

  // Fills the tables. `work` has room for N doubles.
  void derive(double* work) {
    for (int reload = in.num_stops; reload < num_visits(); ++reload) {
      set_windows(reload);
      set_amounts(reload);
    }
    balanced = std::any_of(in.balance, in.balance + 4, [](double price) { return price > 0.0; });
    for (int stop = 0; stop < in.num_stops; ++stop) {
      priced = priced || in.stop_due[stop] < kNever;
      set_windows(stop);
      set_amounts(stop);
      far[stop] = kNever;
      for (int depot = 0; depot < in.num_depots; ++depot) {
        far[stop] = std::min(far[stop], distance(0, depot, in.num_depots + stop));
      }
      optional = optional || in.stop_prize[stop] < kNever;
      num_required += is_required(stop) && !is_delivery_end(stop) ? 1 : 0;
      several = several || num_windows[stop] > 1;
      awaits = awaits || in.stop_release[stop] > -kNever;
      rides = rides || in.stop_max_ride[stop] < kNever || in.stop_max_wait[stop] < kNever;
      collects = collects || in.partner[stop] >= 0 || (kind[stop] & 2);
      weighted = weighted || (is_required(stop) && in.partner[stop] < 0 &&
                              in.weight[stop] != in.weight[0]);
    }
    for (int at = 0; at < in.num_types * in.dimensions; ++at) boards = boards || in.board[at] > 0.0;
    for (int stop = 0; stop < in.num_stops; ++stop) boards = boards || in.first_trip[stop];
    carries = collects || boards;
    boards = boards || in.trips;
    collects = collects || boards;
    for (int own = 0; own < in.break_from[in.num_types]; ++own) {
      num_break_windows[own] = count_windows(break_windows_of(own), in.max_break_windows);
    }
    max_routes = 0;
    for (int type = 0; type < in.num_types; ++type) {
      max_routes = std::min(in.num_stops, max_routes + in.count[type]);
      rides = rides || in.max_wait_loaded[type] < kNever;
      set_terms(type);
    }
    for (int stop = 0; stop < in.num_stops; ++stop) set_near(stop, work);
    set_most_stops();
  }

  int num_nodes() const { return in.num_depots + in.num_stops + 1; }
  int num_visits() const { return in.num_stops + (in.trips ? in.num_depots : 0); }
  // P: stops and reloads of all routes of a plan, at most.
  int max_visits() const { return in.trips ? 2 * in.num_stops : in.num_stops; }
  bool is_reload(int own) const { return kWorkingDay && own >= in.num_stops; }
  // The same of a node between the ends of a route.
  bool is_depot(int node) const { return kWorkingDay && node < in.num_depots; }
  int node_of(int stop) const { return in.num_depots + stop; }
  int node_of_visit(int own) const {
    return is_reload(own) ? own - in.num_stops : node_of(own);
  }
  // Of a node between the ends of a route.
  int visit_of(int node) const {
    return is_depot(node) ? in.num_stops + node : node - in.num_depots;
  }
  const double* distances(int profile) const { return in.distances + cells(profile); }
  const double* durations(int profile) const { return in.durations + cells(profile); }
  const double* distances_to(int profile) const { return in.distances_to + cells(profile); }
  const double* durations_to(int profile) const { return in.durations_to + cells(profile); }
  double distance(int profile, int from, int to) const {
    return distances(profile)[static_cast<std::int64_t>(from) * num_nodes() + to];
  }
  double leg(int profile, int from, int to) const {
    return durations(profile)[static_cast<std::int64_t>(from) * num_nodes() + to];
  }
  const double* amounts(const double* array, int stop) const {
    return array + static_cast<std::int64_t>(stop) * in.dimensions;
  }
  const double* windows_of(int stop) const {
    return in.windows + static_cast<std::int64_t>(stop) * in.max_windows * 2;
  }
  bool is_required(int stop) const { return in.stop_prize[stop] == kNever; }
  bool is_allowed(int type, int stop) const {
    return in.allowed[static_cast<std::int64_t>(type) * num_visits() + stop] != 0;
  }
  bool is_delivery_end(int stop) const { return in.partner[stop] >= 0 && in.partner[stop] < stop; }
  Segment start_of(int type) const {
    const double loading = kWorkingDay ? in.depot_service[loading_at(type)] : 0.0;
    return {loading, in.start_early[type], in.latest_start[type]};
  }
  // Whether its routes begin at their first stop.
  bool is_open(int type) const { return in.start[type] == num_nodes() - 1; }
  // Where a vehicle of a type is loaded at first; nowhere without a start.
  int loading_at(int type) const { return std::min(in.start[type], in.num_depots); }
  // What a stop costs more with a type.
  double vehicle_cost(int type, int stop) const {
    if (!in.vehicle_costs || is_reload(stop)) return 0.0;
    return in.vehicle_cost[static_cast<std::int64_t>(type) * in.num_stops + stop];
  }
  // The most stops of a plan: those of one of each group of alternatives.
  int most_stops() const { return most_stops_; }
  // Who stands for a stop in the list of who is left out: the first of its alternatives.
  int unit_of(int stop) const {
    const int group = in.num_groups > 0 ? in.group[stop] : -1;
    return group < 0 ? stop : in.members[in.group_from[group]];
  }
  Segment end_of(int type) const { return {0.0, in.end_early[type], in.end_late[type]}; }

  // Setup and service of a stop for who comes from a node.
  double action(int type, int from, int stop) const {
    double time = in.services[row_of(in.service_rows, type) + stop];
    if (in.setup_rows > 0 && in.location[from] != in.location[node_of_visit(stop)]) {
      time += in.setups[row_of(in.setup_rows, type) + stop];
    }
    return time;
  }
  double service_of(int type, int stop) const {
    return in.services[row_of(in.service_rows, type) + stop];
  }
  // What a stop changes of what is on board.
  double change(int stop, int dimension) const {
    return amounts(in.pickup, stop)[dimension] - amounts(in.delivery, stop)[dimension] +
           amounts(in.shipment, stop)[dimension];
  }
  // What is done at a visit by who comes from a node; as a break, of all types'.
  [[gnu::always_inline]] Step step_of(int type, int from, int own) const {
    return {windows_of(own), num_windows[own], terms[type].leg(from, node_of_visit(own)),
            action(type, from, own), in.stop_due[own], in.stop_late_cost[own]};
  }
  [[gnu::always_inline]] Step rest_of(int own) const {
    return {break_windows_of(own), num_break_windows[own], 0.0, in.break_time[own]};
  }

  bool has_relation(int own) const {
    return !is_reload(own) && in.own_from[own] < in.own_from[own + 1];
  }

  // What it takes to follow a route of so many stops once: sets of breaks at each position, and the
  // breaks that may be next.
  static std::int64_t steps_of(const TypeTerms& type, int count) {
    const std::int64_t next = type.breaks.in_order ? 1 : std::max(1, type.breaks.count);
    return (count + 1) * type.breaks.num_sets() * next;
  }

  // Whether the insertion of a single stop may take long.
  bool takes_long() const {
    return std::any_of(terms, terms + in.num_types, [](const TypeTerms& type) {
      return type.exact || type.trips || type.breaks.count > 0;
    });
  }

  // Whether lateness or overtime has a price.
  DayFlag prices_times(int type) const {
    return priced || in.overtime_cost[type] > 0.0 || in.late_cost[type] > 0.0;
  }

  // How long all breaks of a vehicle take together.
  double rest_time(const TypeTerms& type) const {
    const double* times = in.break_time + type.first_break;
    return std::accumulate(times, times + type.breaks.count, 0.0);
  }

  RichInput in{};
  Watch* watch = nullptr;  // of the searches; nullptr: nobody watches them
  int num_near = 0, max_routes = 0;
  int max_kept_sets = 0;                // of breaks, for which parts are kept; 0: for none
  int max_sets = 0;                     // of breaks; 0: no type is `by_walk`
  int num_required = 0;                 // customers and shipments without a prize
  bool optional = false, weighted = false;
  bool awaits = false;                  // some stop lets its trip leave from a time on only
  bool carries = false;                 // something is picked up, or on board besides deliveries
  DayFlag boards = false;               // loads are of trips, or of what is on board at first
  DayFlag priced = false;               // some stop may be late at a price
  DayFlag balanced = false;             // uneven work has a price
  DayFlag has_days = false;             // some routes are judged as a whole: see `DayTimes`
  DayFlag rides = false;                // rides or waits have limits
  DayFlag nests = false;                // some type unloads first what was loaded last
  bool several = false;                 // some stop has several windows
  bool collects = false;                // some load comes on board at a stop
  TypeTerms* terms = nullptr;           // [T]
  Segment* visit = nullptr;             // [V] from the first window's begin to the last one's end,
                                        // with the service of the first type: where types
                                        // differ, all are `by_walk`
  std::int32_t* num_windows = nullptr;  // [V]
  std::int32_t* num_break_windows = nullptr;  // [K]
  std::int8_t* kind = nullptr;          // [V] 1: delivery, 2: pickup, 3: both, 0: neither
  double* size = nullptr;               // [N] sum of the amounts, relative to the capacity
  double* far = nullptr;                // [N] from the nearest depot
  std::int32_t* near = nullptr;         // [N, K] nearest first

 private:
  void set_most_stops() {
    most_stops_ = in.num_stops;
    for (int group = 0; group < in.num_groups; ++group) {
      int all = 0, most = 0;
      for (int at = in.group_from[group]; at < in.group_from[group + 1]; ++at) {
        const int own = in.partner[in.members[at]] >= 0 ? 2 : 1;
        all += own;
        most = std::max(most, own);
      }
      most_stops_ -= all - most;
    }
  }

  std::int64_t cells(int profile) const {
    return static_cast<std::int64_t>(profile) * num_nodes() * num_nodes();
  }

  std::int64_t row_of(int rows, int type) const {
    return rows > 1 ? static_cast<std::int64_t>(type) * num_visits() : 0;
  }

  void set_terms(int type) {
    const int profile = in.profile[type], first = in.break_from[type];
    const int num_breaks = in.break_from[type + 1] - first;
    const bool pays_work = in.service_cost[type] != 0.0;
    const bool in_order = num_breaks > 0 && in.break_first[first] < 0;
    const Breaks breaks{num_breaks, in_order, in.break_first + first};
    bool limited = false;
    for (int at = 0; at < num_breaks * in.dimensions; ++at) {
      limited = limited || amounts(in.break_load, first)[at] < kNever;
    }
    const bool begins = is_open(type) && in.latest_start[type] < kNever;
    const bool by_walk = begins || several || num_breaks > 0 || in.setup_rows > 0 ||
                         in.service_rows > 1 || pays_work || in.max_length[type] < kNever;
    const bool timed = begins || in.duration_cost[type] != 0.0 || in.max_duration[type] < kNever ||
                       in.balance[0] > 0.0 || in.overtime_cost[type] > 0.0;
    const double hours = in.end_late[type] + in.slack - in.start_early[type];
    const double longest = std::min(in.max_duration[type], hours);
    DayFlag trips = false;
    for (int reload = in.num_stops; reload < num_visits(); ++reload) {
      trips = trips || is_allowed(type, reload);
    }
    const DayFlag loads = trips || in.depot_service[loading_at(type)] > 0.0;
    const DayFlag by_day = prices_times(type) || (by_walk && loads);
    terms[type] = {distances(profile),    durations(profile),    distances_to(profile),
                   durations_to(profile), num_nodes(),           in.distance_cost[type],
                   in.travel_cost[type],  in.duration_cost[type], in.max_distance[type],
                   in.max_travel_time[type], in.max_duration[type], longest, timed,
                   timed || awaits || loads, by_walk && !by_day,
                   in.duration_cost[type] != 0.0 || (pays_work && in.setup_rows > 0),
                   limited,               first,                 breaks,
                   1,                     false,                 false,                 false,
                   by_day,                by_day || balanced || (trips && in.backhauls_last) ||
                       (by_walk && (in.num_relations > 0 || in.vehicle_costs)),
                   trips,                 in.lifo[type] != 0};
    nests = nests || in.lifo[type] != 0;
    if (terms[type].by_walk && !limited && !in_order && 1 << num_breaks <= kMostSets) {
      terms[type].num_sets = 1 << num_breaks;
      terms[type].has_few_sets = true;
      terms[type].breaks.set_possible();
      terms[type].is_known = !timed && !pays_work && in.max_length[type] == kNever;
      terms[type].by_parts = timed && in.max_length[type] == kNever &&
                             terms[type].num_sets * in.num_stops <= kMostKept;
      if (terms[type].by_parts) max_kept_sets = std::max(max_kept_sets, terms[type].num_sets);
    }
    has_days = has_days || by_day;
    if (terms[type].by_walk) max_sets = std::max(max_sets, terms[type].num_sets);
  }

  const double* break_windows_of(int own) const {
    return in.break_windows + static_cast<std::int64_t>(own) * in.max_break_windows * 2;
  }

  // Of some that may end with padding.
  static int count_windows(const double* windows, int most) {
    int count = 0;
    while (count < most && windows[2 * count] < kNever) ++count;
    return count;
  }

  void set_windows(int stop) {
    const double* window = windows_of(stop);
    num_windows[stop] = count_windows(window, in.max_windows);
    const int last = std::max(0, num_windows[stop] - 1);
    visit[stop] = {service_of(0, stop), window[0], window[2 * last + 1]};
  }

  void set_amounts(int stop) {
    const double* delivery = amounts(in.delivery, stop);
    const double* pickup = amounts(in.pickup, stop);
    const double* shipment = amounts(in.shipment, stop);
    int kinds = in.first_trip[stop] >> 1;
    size[stop] = 0.0;
    for (int each = 0; each < in.dimensions; ++each) {
      if (delivery[each] > 0.0) kinds |= 1;
      if (pickup[each] > 0.0) kinds |= 2;
      double most = 0.0;
      for (int type = 0; type < in.num_types; ++type) {
        const double capacity = amounts(in.capacity, type)[each];
        if (capacity < kNever) most = std::max(most, capacity);
      }
      const double amount = delivery[each] + pickup[each] + std::max(shipment[each], 0.0);
      if (most > 0.0) size[stop] += amount / most;
    }
    kind[stop] = static_cast<std::int8_t>(kinds);
  }

  // Cost of going from one stop to the next: distance and waiting that cannot be avoided.
  double nearness(int from, int to, double length, double duration) const {
    const double travel = duration + visit[from].duration;
    double cost = length;
    const double wait = visit[to].early - (visit[from].late + travel);
    if (wait > 0.0) cost += kWaitingShare * wait;
    if (visit[from].early + travel > visit[to].late) cost = 1e3 * (1.0 + cost) + 1e9;
    return cost;
  }

  void set_near(int stop, double* cost) {
    if (num_near == 0) return;
    const std::int64_t row_at = static_cast<std::int64_t>(node_of(stop)) * num_nodes();
    const double *out = distances(0) + row_at, *out_leg = durations(0) + row_at;
    const double *into = distances_to(0) + row_at, *into_leg = durations_to(0) + row_at;
    for (int other = 0; other < in.num_stops; ++other) {
      const int node = node_of(other);
      cost[other] = std::min(nearness(stop, other, out[node], out_leg[node]),
                             nearness(other, stop, into[node], into_leg[node]));
    }
    std::int32_t* row = near + static_cast<std::int64_t>(stop) * num_near;
    const auto nearer = [cost](std::int32_t first, std::int32_t second) {
      return cost[first] < cost[second] || (cost[first] == cost[second] && first < second);
    };
    // A heap of the nearest so far, the farthest of them on top.
    int count = 0;
    for (std::int32_t other = 0; other < in.num_stops; ++other) {
      if (other == stop) continue;
      if (count < num_near) {
        row[count++] = other;
        if (count == num_near) std::make_heap(row, row + count, nearer);
      } else if (nearer(other, row[0])) {
        std::pop_heap(row, row + count, nearer);
        row[count - 1] = other;
        std::push_heap(row, row + count, nearer);
      }
    }
    std::sort(row, row + count, nearer);  // no ties
  }

  int most_stops_ = 0;
};

}  // namespace vrp
