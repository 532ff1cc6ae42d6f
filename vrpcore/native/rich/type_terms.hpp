// What a vehicle type charges and allows, and how its routes are judged.
#pragma once

#include <cstdint>

#include "steps.hpp"

namespace vrp {

// What a vehicle type charges and allows, and its matrices.
struct TypeTerms {
  const double *distances, *durations, *distances_to, *durations_to;
  std::int64_t nodes;
  double per_distance, per_travel, per_duration;
  double max_distance, max_travel, max_duration;
  double longest;  // that a route may take, with what its vehicle's hours leave
  bool is_timed;  // its routes have a limit on their duration, or a cost of it
  bool in_segments;  // their times are known by segments, not only by earliest and latest arrivals
  bool by_walk;   // or by what `BreakTimes` keeps, and by walking through the route
  bool may_save;  // a route may cost less with one more stop on the same legs
  bool rests_by_load;  // some break has a limit on what is on board
  int first_break;
  Breaks breaks;
  int num_sets;   // of breaks, for which times are kept; 1 with breaks: they are only bounds
  bool has_few_sets;  // all sets of breaks are kept
  bool is_known;  // such times tell whether a position is in time, and its legs what it costs
  bool by_parts;  // known parts tell the duration with a detour, and so what it costs
  DayFlag by_day;  // lateness or overtime has a price, or trips meet what is walked: see `DayTimes`
  DayFlag exact;   // each position is judged as a whole route
  DayFlag trips;   // it may reload
  DayFlag lifo;    // what was loaded last is unloaded first: see `nesting.hpp`

  double length(int from, int to) const { return distances[from * nodes + to]; }
  double leg(int from, int to) const { return durations[from * nodes + to]; }
  // The same by rows of the node that is reached: those of a unit stay in the cache.
  double length_to(int to, int from) const { return distances_to[to * nodes + from]; }
  double leg_to(int to, int from) const { return durations_to[to * nodes + from]; }
};

}  // namespace vrp
