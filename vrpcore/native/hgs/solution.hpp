// A solution that changes iteration by iteration. The last iteration can be undone.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>

#include "../shared/arena.hpp"
#include "capacity.hpp"
#include "problem.hpp"

namespace vrp {

constexpr int kEnd = -1;  // after the last node of a tour

struct Solution {
  const Problem* problem;
  int vehicles;  // R, most routes
  int width;     // numbers in a row of `route`: most customers of a route, and two depots
  Capacity capacity;

  std::int32_t* route;     // [R, width]: 0, customers, 0
  std::int32_t* edge;      // [R, width] length from the previous node to the node at this position
  std::int32_t* length;    // [R] customers of each route
  std::int32_t* where;     // [M] each customer's vehicle, -1 without one
  std::int32_t* position;     // [M] its position in that route, from 1
  std::int32_t* unserved;  // [M]
  int num_unserved;
  int num_routes;
  std::int64_t cost;  // of the routes; unserved customers cost nothing

  // The state before the iteration.
  std::int32_t* old_route;     // [R, width]
  std::int32_t* old_edge;      // [R, width]
  std::int32_t* old_length;    // [R]
  std::int32_t* old_unserved;  // [M]
  int old_num_unserved;
  int old_num_routes;
  std::uint64_t* changed;   // [R] the last iteration that changed the route
  std::int32_t* changes;    // [R] vehicles changed in this iteration
  int num_changes;
  std::uint64_t iteration;

  static Solution lay_out(Arena& arena, const Problem* problem, int vehicles, int width) {
    const auto rows = static_cast<std::size_t>(vehicles);
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    Solution made{};
    made.problem = problem;
    made.vehicles = vehicles;
    made.width = width;
    made.capacity = Capacity::lay_out(arena, problem, vehicles);
    made.route = arena.take<std::int32_t>(rows * width);
    made.edge = arena.take<std::int32_t>(rows * width);
    made.length = arena.take<std::int32_t>(rows);
    made.where = arena.take<std::int32_t>(nodes);
    made.position = arena.take<std::int32_t>(nodes);
    made.unserved = arena.take<std::int32_t>(nodes);
    made.old_route = arena.take<std::int32_t>(rows * width);
    made.old_edge = arena.take<std::int32_t>(rows * width);
    made.old_length = arena.take<std::int32_t>(rows);
    made.old_unserved = arena.take<std::int32_t>(nodes);
    made.changed = arena.take<std::uint64_t>(rows);
    made.changes = arena.take<std::int32_t>(rows);
    for (int vehicle = 0; made.changed && vehicle < vehicles; ++vehicle) made.changed[vehicle] = 0;
    return made;
  }

  std::int32_t* row(int vehicle) const {
    return route + static_cast<std::int64_t>(vehicle) * width;
  }

  std::int32_t* edges(int vehicle) const {
    return edge + static_cast<std::int64_t>(vehicle) * width;
  }

  std::int64_t rank() const { return cost + num_unserved * kUnservedRank; }

  // Removes all routes; lists no customer as unserved.
  void clear() {
    for (int vehicle = 0; vehicle < vehicles; ++vehicle) {
      row(vehicle)[0] = row(vehicle)[1] = edges(vehicle)[1] = 0;
      length[vehicle] = 0;
      capacity.clear(vehicle);
    }
    for (int node = 0; node < problem->num_nodes; ++node) where[node] = -1;
    num_unserved = num_routes = 0;
    cost = 0;
    begin_iteration();
  }

  void begin_iteration() {
    ++iteration;
    num_changes = 0;
    old_num_routes = num_routes;
    old_num_unserved = num_unserved;
    for (int index = 0; index < num_unserved; ++index) old_unserved[index] = unserved[index];
  }

  // Call before a route changes; saves its state before the iteration.
  void touch(int vehicle) {
    if (changed[vehicle] != iteration) {
      changed[vehicle] = iteration;
      changes[num_changes++] = vehicle;
      old_length[vehicle] = length[vehicle];
      capacity.save(vehicle);
      const auto bytes = sizeof(std::int32_t) * static_cast<std::size_t>(length[vehicle] + 2);
      const std::int64_t begin = static_cast<std::int64_t>(vehicle) * width;
      std::memcpy(old_route + begin, route + begin, bytes);
      std::memcpy(old_edge + begin, edge + begin, bytes);
    }
  }

  void insert(int customer, int vehicle, int at) {
    touch(vehicle);
    std::int32_t* nodes = row(vehicle);
    const int size = ++length[vehicle];
    num_routes += size == 1;
    std::int32_t* lengths = edges(vehicle);
    for (int index = size + 1; index > at; --index) {
      nodes[index] = nodes[index - 1];
      lengths[index] = lengths[index - 1];
      position[nodes[index]] = index;
    }
    nodes[at] = customer;
    lengths[at] = problem->edge(nodes[at - 1], customer);
    lengths[at + 1] = problem->edge(customer, nodes[at + 1]);
    position[customer] = at;
    where[customer] = vehicle;
    capacity.add(vehicle, customer);
  }

  // Undoes the iteration.
  void restore() {
    for (int index = 0; index < num_changes; ++index) {
      const int vehicle = changes[index];
      length[vehicle] = old_length[vehicle];
      capacity.restore(vehicle);
      const auto bytes = sizeof(std::int32_t) * static_cast<std::size_t>(length[vehicle] + 2);
      const std::int64_t begin = static_cast<std::int64_t>(vehicle) * width;
      std::memcpy(route + begin, old_route + begin, bytes);
      std::memcpy(edge + begin, old_edge + begin, bytes);
      for (int at = 1; at <= length[vehicle]; ++at) {
        where[route[begin + at]] = vehicle;
        position[route[begin + at]] = at;
      }
    }
    num_routes = old_num_routes;
    num_unserved = old_num_unserved;
    for (int index = 0; index < num_unserved; ++index) {
      unserved[index] = old_unserved[index];
      where[unserved[index]] = -1;
    }
  }

  std::int64_t routes_cost() const {
    std::int64_t sum = 0;
    for (int vehicle = 0; vehicle < vehicles; ++vehicle) {
      for (int at = 1; at <= length[vehicle] + 1; ++at) sum += edges(vehicle)[at];
    }
    return sum;
  }

  // Writes a tour: the customers of each route followed by 0, then `kEnd`.
  void write_tour(std::int32_t* tour) const {
    for (int vehicle = 0; vehicle < vehicles; ++vehicle) {
      const std::int32_t* nodes = row(vehicle);
      for (int at = 1; length[vehicle] > 0 && at <= length[vehicle] + 1; ++at) *tour++ = nodes[at];
    }
    *tour = kEnd;
  }

  // Loads a tour of at most R routes. `missing` [M] becomes 1 for customers that it does not
  // visit, or for whom its vehicle has no room: rounded up, demands may be more than it holds.
  void read_tour(const std::int32_t* tour, std::int32_t* missing) {
    clear();
    for (int node = 0; node < problem->num_nodes; ++node) missing[node] = node > 0;
    int vehicle = 0;
    for (; *tour != kEnd; ++tour) {
      if (*tour == 0) {
        ++vehicle;
      } else if (capacity.has_room(vehicle, *tour)) {
        missing[*tour] = 0;
        insert(*tour, vehicle, length[vehicle] + 1);
      }
    }
  }
};

}  // namespace vrp
