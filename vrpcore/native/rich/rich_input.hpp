// An instance with constraints, as Python hands it over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "working_day.hpp"

namespace vrp {

constexpr int kMaxDimensions = 8;
constexpr int kMaxNeighbours = 100;
// Sets of breaks of a type: as many as `MOST_FREE` and `MAX_BREAKS` of instance.constraints allow.
constexpr int kMostRestSets = 128;
constexpr int kFewWindows = 4;   // are looked at one by one
constexpr int kMostSets = 8;  // of breaks, for which a route's times are kept
// Stops times sets of breaks, up to which parts are kept: 190 MB for each search.
constexpr int kMostKept = 16'000;
// Of the slack of times: less than all of it, so that sums in another order are in time, too.
constexpr double kShareOfSlack = 0.99;
constexpr double kTinyShare = 1e-3;  // of it: what rounding may make of equal times
constexpr double kNever = std::numeric_limits<double>::infinity();
// Share of waiting that cannot be avoided, in the nearness of two stops: Vidal et al. 2013.
constexpr double kWaitingShare = 0.2;

// Filled by Python; the arrays belong to it. Limits include the tolerance of the referee.
// V: the N stops; behind them, where vehicles have trips, the D depots where they reload.
struct RichInput {
  std::int32_t num_depots, num_stops, num_types, num_profiles, dimensions, max_windows;
  std::int32_t max_break_windows;
  std::int32_t backhauls_last, pickup_only;
  DayCount trips;                          // 1: rows of depots follow those of stops
  DayCount vehicle_costs;                  // 1: there are some
  DayCount num_groups, num_relations;
  std::int32_t service_rows, setup_rows;   // 1, or T where types differ; no setups: 0
  double slack;                            // by how much a time may be missed
  const double *distances, *durations;     // [P, M + 1, M + 1], row = from
  const double *distances_to, *durations_to;   // the same, row = to
  const double *delivery, *pickup, *shipment;  // [V, L]
  const double* windows;                   // [V, W, 2], padded with infinity; the
                                           // last one may be late by what is allowed
  const double *stop_release, *stop_prize;  // [V]
  const double *stop_max_wait, *stop_max_ride;  // [V] a shipment's at its delivery
  const double *stop_due, *stop_late_cost;  // [V] when a late begin has a price, infinite if never
  const std::int64_t* weight;              // [V]
  const std::int32_t* partner;             // [V]
  const std::uint8_t* allowed;             // [T, V]
  const double* capacity;                  // [T, L]
  const std::int32_t *start, *end;         // [T] node
  // [T] the shift within the hours of its depots, `max_late` included: departs no earlier, ends no
  // earlier, and no later.
  const double *start_early, *end_early, *end_late;
  const double *max_duration, *max_travel_time, *max_distance, *max_stops, *latest_start;  // [T]
  const double* max_wait_loaded;           // [T]
  const double *speed, *fixed_cost, *distance_cost, *duration_cost, *travel_cost, *service_cost;
  const double *max_reloads, *overtime_from, *overtime_cost;  // [T] of a duration, and its price
  const double *late_from, *late_cost;     // [T] of an end, and its price
  const double* depot_service;             // [D + 1] loading; the last is nowhere
  const std::uint8_t* lifo;                // [T] 1: what was loaded last is unloaded first
  const std::int32_t *count, *profile;     // [T]
  const double *services, *setups;         // [rows, V]
  const std::int32_t* location;            // [M + 1] equal where nodes are at the same location
  const std::int32_t* break_from;          // [T + 1] first break of each type, of all K
  const double* break_time;                // [K]
  const double* break_windows;             // [K, B, 2], padded with infinity
  const double* break_load;                // [K, L]
  const std::int32_t* break_first;         // [K] which of the type's come before it, a bit each;
                                           // -1: the type takes them in the order they have
  const double* max_length;                // [T] finite where `distances` are given costs
  const double* lengths;                   // [P, M + 1, M + 1] distances, where a type has them
  const double* board;                     // [T, L] at the start besides deliveries
  const double* vehicle_cost;              // [T, N], or nothing
  const std::uint8_t* first_trip;          // [V] 1: served in the first trip; 2: and a delivery
  const std::int32_t* group;               // [N] of alternatives, from 0; -1: none
  const std::int32_t *group_from, *members;  // [G + 1] first member of each; [N]
  const std::int32_t *relation_kind, *relation_at;  // [R] see relations.hpp
  const std::int32_t *relation_from, *relation_stops;  // [R + 1], [S]
  const std::int32_t *own_from, *own_relation, *own_rank;  // [N + 1], [S] the same for each stop
  const double* balance;                   // [4] duration, distance, stops, load
};

// A part of a route: its least duration, and the earliest and latest begin with which it has
// that. Source: Vidal, Crainic, Gendreau and Prins 2014, "A unified solution framework for
// multi-attribute vehicle routing problems", European Journal of Operational Research 234(3).
struct Segment {
  double duration, early, late;
};

// Two parts one after the other. Returns false if the second cannot be reached in time.
inline bool join(const Segment& first, double leg, const Segment& second, double slack,
                 Segment& joined) {
  const double travel = first.duration + leg;
  if (first.early + travel > second.late + slack) return false;
  const double wait = std::max(second.early - travel - first.late, 0.0);
  joined = {travel + second.duration + wait, std::max(second.early - travel, first.early) - wait,
            std::min(second.late - travel, first.late)};
  return true;
}

}  // namespace vrp
