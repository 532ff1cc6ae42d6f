// Children of two solutions, before a local search improves them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "linked_routes.hpp"

namespace vrp {

struct Crossover {
  const Problem* problem;
  std::int32_t* order;   // [M] customers
  std::int32_t* seen;    // [M]
  std::int32_t* first;   // [M] where each of the father's routes begins in his tour
  std::int32_t* last;    // [M] and ends
  std::int32_t* share;   // [M] how much of it the child lacks, in thousandths
  std::int32_t* lane;    // [M] lanes that were emptied

  static Crossover lay_out(Arena& arena, const Problem* problem) {
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    Crossover made{problem, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    made.order = arena.take<std::int32_t>(nodes);
    made.seen = arena.take<std::int32_t>(nodes);
    made.first = arena.take<std::int32_t>(nodes);
    made.last = arena.take<std::int32_t>(nodes);
    made.share = arena.take<std::int32_t>(nodes);
    made.lane = arena.take<std::int32_t>(nodes);
    return made;
  }

  // All customers in random order.
  void shuffle_order(Random& random) {
    for (int node = 1; node < problem->num_nodes; ++node) order[node - 1] = node;
    shuffle(random, order, problem->num_nodes - 1);
  }

  // Keeps a piece of the mother's order in place. The other customers follow it, in the order
  // in which they follow that position in the father's.
  // Source: OX, as in Prins 2004 (see split.hpp).
  void cross_orders(Random& random, const std::int32_t* mother, const std::int32_t* father) {
    const int size = problem->num_nodes - 1;
    const int start = random.below(size);
    const int length = 1 + random.below(size);
    const int end = start + length;  // past the piece; may exceed the last position
    std::fill(seen, seen + size + 1, 0);
    int position = 0;
    for (const std::int32_t* at = mother; *at != kEnd; ++at) {
      if (*at == 0) continue;
      if ((position >= start && position < end) || position + size < end) {
        order[position] = *at;
        seen[*at] = 1;
      }
      ++position;
    }
    int free = end % size;
    const int turn = free;
    for (int pass = 0; pass < 2; ++pass) {
      position = 0;
      for (const std::int32_t* at = father; *at != kEnd; ++at) {
        if (*at == 0) continue;
        const bool later = position++ >= turn;
        if (later == (pass == 1) || seen[*at]) continue;
        order[free] = *at;
        free = free + 1 == size ? 0 : free + 1;
      }
    }
  }

  // The mother's routes, with a region of them replaced by routes of the father. Customers left
  // over are inserted where they cost least.
  // Source: after Nagata and Kobayashi 2010, "A Memetic Algorithm for the Pickup and Delivery
  // Problem with Time Windows Using Selective Route Exchange Crossover".
  void cross_regions(Random& random, const std::int32_t* mother, const std::int32_t* father,
                     LinkedRoutes& child, double rate) {
    child.load(mother, rate);
    child.begin_changes();
    int num_routes = 0;
    for (const std::int32_t* at = mother; *at != kEnd; ++at) num_routes += *at == 0;
    const int dropped = drop_region(random, child, num_routes);
    const int count = measure(child, father);
    for (int chosen = 0; chosen < dropped; ++chosen) {
      const int index = static_cast<int>(std::max_element(share, share + count) - share);
      if (share[index] == 0) break;
      share[index] = 0;
      child.fill(lane[chosen], father + first[index], father + last[index]);
    }
    int left = 0;
    for (int node = 1; node < problem->num_nodes; ++node) {
      if (child.lane_of(node) < 0) order[left++] = node;
    }
    shuffle(random, order, left);
    for (int index = 0; index < left; ++index) child.put(order[index]);
  }

 private:
  // Empties the routes around a random customer, up to half of all.
  int drop_region(Random& random, LinkedRoutes& child, int num_routes) {
    const int half = 1 + random.below(std::max(1, num_routes / 2));
    const int wanted = std::max(1, std::min(num_routes - 1, half));
    const int seed = 1 + random.below(problem->num_nodes - 1);
    const std::int32_t* near = problem->near + static_cast<std::int64_t>(seed) * problem->num_near;
    int dropped = 0;
    for (int rank = -1; rank < problem->num_near && dropped < wanted; ++rank) {
      const int vehicle = child.lane_of(rank < 0 ? seed : near[rank]);
      if (vehicle < 0) continue;
      child.empty(vehicle);
      lane[dropped++] = vehicle;
    }
    return dropped;
  }

  // Of each of the father's routes: where it begins and ends, and how much the child lacks.
  int measure(const LinkedRoutes& child, const std::int32_t* father) {
    int count = 0;
    for (int at = 0; father[at] != kEnd; ++at) {
      const int begin = at;
      int missing = 0;
      for (; father[at] != 0; ++at) missing += child.lane_of(father[at]) < 0;
      first[count] = begin;
      last[count] = at;
      share[count++] = 1000 * missing / (at - begin);
    }
    return count;
  }
};

}  // namespace vrp
