// The limit of a plain instance: the load of a route is at most the capacity.
#pragma once

#include <cstdint>

#include "../shared/arena.hpp"
#include "problem.hpp"

namespace vrp {

struct Capacity {
  const Problem* problem;
  std::int64_t* load;   // [R]
  std::int64_t* saved;  // [R] load before the first change of an iteration

  static Capacity lay_out(Arena& arena, const Problem* problem, int vehicles) {
    auto* load = arena.take<std::int64_t>(vehicles);
    return {problem, load, arena.take<std::int64_t>(vehicles)};
  }

  bool has_room(int vehicle, int customer) const {
    return load[vehicle] + problem->demand[customer] <= problem->limit;
  }

  bool is_fuller(int vehicle, int other) const { return load[vehicle] > load[other]; }

  // How scattered the free capacity is: 0 if one vehicle has all of it.
  double scatter(int vehicles) const {
    double room = 0.0, squares = 0.0;
    for (int vehicle = 0; vehicle < vehicles; ++vehicle) {
      const auto left = static_cast<double>(problem->limit - load[vehicle]);
      room += left;
      squares += left * left;
    }
    return room * room - squares;
  }

  void clear(int vehicle) { load[vehicle] = 0; }
  void add(int vehicle, int customer) { load[vehicle] += problem->demand[customer]; }
  void remove(int vehicle, int customer) { load[vehicle] -= problem->demand[customer]; }
  void save(int vehicle) { saved[vehicle] = load[vehicle]; }
  void restore(int vehicle) { load[vehicle] = saved[vehicle]; }
};

}  // namespace vrp
