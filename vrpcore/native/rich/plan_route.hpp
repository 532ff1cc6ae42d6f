// What a plan knows of a route, of each position in it, and of itself.
#pragma once

#include <cstdint>

#include "uneven_work.hpp"

namespace vrp {

struct Position {
  Segment before;  // from the departure up to the end of service here
  Segment after;   // from the arrival here to the end of the route
  double leg;      // duration of the leg to the next position
};

// What is known of a cell in its trip.
struct InTrip {
  Segment inside;          // from the trip's first stop up to this one
  // When the trip may leave, as all of its stops allow; those up to this one; those behind it.
  double earliest, before, behind;
  std::int32_t first;      // cell of the reload, or of the start, where the trip begins
};

// What insertion reads of the leg from a position to the next one.
struct Arc {
  double ready;   // when it may be left at the earliest
  double due;     // when the next position must be reached at the latest
  double length;
  std::int32_t node, next;
};

struct PlanRoute {
  RouteTotals totals;
  double earliest;  // departure that its vehicle and the stops of its first trip allow
  double busy;     // its duration without waiting, where it is judged by walking or as a whole
  double paid;     // what its times cost, where they are judged as a whole
  RouteWork work;  // where uneven work has a price
  std::int32_t type, count;
  std::int32_t row;            // its first cell
  std::int32_t first_pickup;   // stops before it; `count` without one
  std::int32_t past_delivery;  // stops up to the last delivery; 0 without one
  DayCount reloads;            // how many
  std::int32_t first_reload;   // visits before it, of those with trips
  std::int32_t kinds;          // of all its stops together
  std::int32_t slot;           // in the list of routes in use
  std::int32_t related;        // 1: a stop of it has a relation
  std::int32_t held;           // 1: its row is kept until the iteration ends
  std::int32_t has_parts;      // 1: its parts are known, see `DurationCache`
  std::uint64_t content;       // the same for the same stops in the same order and vehicle
};

// What matters first, and the cost of what is equal there.
struct PlanValue {
  std::int64_t missing;
  std::int32_t vehicles;  // 0 where their number does not matter
  double cost;
  bool operator<(const PlanValue& other) const {
    if (missing != other.missing) return missing < other.missing;
    if (vehicles != other.vehicles) return vehicles < other.vehicles;
    return cost < other.cost;
  }
};

// A hash, odd and so never 0. Two routes of a search have the same by chance once in 2^63 times.
// Source of the steps: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
// generators".
inline std::uint64_t content_of(int type, const std::int32_t* stops, int count) {
  auto mixed = (static_cast<std::uint64_t>(type) + 1) * 0x94d049bb133111ebULL;
  mixed ^= mixed >> 31;
  for (int at = 0; at < count; ++at) {
    mixed = (mixed + static_cast<std::uint64_t>(stops[at]) + 1) * 0x9e3779b97f4a7c15ULL;
    mixed ^= mixed >> 29;
  }
  mixed *= 0xbf58476d1ce4e5b9ULL;
  return (mixed ^ mixed >> 32) | 1;
}

}  // namespace vrp
