// A region of a linked plan: routes and customers that one thread changes. An iteration can be
// undone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/random.hpp"
#include "linked_plan.hpp"

namespace vrp {

// Unserved customers that one iteration tries to insert.
constexpr int kTried = 8;

// Its arrays are parts of arrays of all regions, as long as it has customers or routes.
struct Region {
  using Stop = LinkedPlan::Stop;
  using Route = LinkedPlan::Route;

  struct OldLinks {
    std::int32_t node;
    LinkedPlan::Links links;
  };

  struct OldEnds {
    std::int32_t vehicle;
    LinkedPlan::Ends ends;
  };

  LinkedPlan* plan;
  std::int32_t number;
  Random random;

  std::int32_t* customer;   // its customers
  int num_customers;
  std::int32_t* vehicle;    // its vehicles, the empty ones, too
  int num_vehicles;
  std::int32_t* empty;      // lists all of its empty vehicles, and some others
  int num_empty;
  int num_routes;           // that are not empty
  std::int32_t* unserved;   // its unserved customers
  int num_unserved;
  std::int64_t cost;        // since the slice began

  // The state before the iteration.
  std::uint64_t iteration;
  OldLinks* old_links;      // of customers that it changed
  int num_old_links;
  OldEnds* old_ends;        // of routes that it changed
  int num_old_ends;
  std::int64_t old_cost;
  int old_num_routes;
  int old_num_unserved;
  std::int32_t tried[kTried];  // unserved customers that it tries
  int num_tried;

  // The best since the slice began, in arrays of all nodes and vehicles.
  std::int64_t best_rank;
  std::int32_t* best_next;     // [M]
  std::int32_t* best_first;    // [R]
  std::int32_t* fresh;         // customers that changed since the best
  int num_fresh;
  std::uint8_t* is_fresh;      // [M]
  std::int32_t* fresh_route;   // vehicles that changed since the best
  int num_fresh_routes;
  std::uint8_t* is_fresh_route;  // [R]

  // The vehicle of a customer of this region; -1: unserved, or of another region.
  int vehicle_of(int node) const {
    const Stop& at = plan->stop[node];
    return at.region == number ? at.route : -1;
  }

  std::int64_t rank() const { return cost + num_unserved * kUnservedRank; }

  bool has_room(int row, int node) const {
    return plan->route[row].load + plan->problem->demand[node] <= plan->problem->limit;
  }

  void begin_slice() {
    cost = 0;
    num_empty = num_routes = num_unserved = num_fresh = num_fresh_routes = 0;
    for (int index = 0; index < num_customers; ++index) {
      const int node = customer[index];
      if (plan->stop[node].route < 0) unserved[num_unserved++] = node;
      best_next[node] = plan->stop[node].next;
      is_fresh[node] = 0;
    }
    for (int index = 0; index < num_vehicles; ++index) {
      const int row = vehicle[index];
      plan->route[row].listed = false;
      plan->route[row].size == 0 ? list_empty(row) : void(++num_routes);
      best_first[row] = plan->route[row].first;
      is_fresh_route[row] = 0;
    }
    best_rank = rank();
    begin_iteration();
  }

  void begin_iteration() {
    ++iteration;
    num_old_links = num_old_ends = num_tried = 0;
    old_cost = cost;
    old_num_routes = num_routes;
    old_num_unserved = num_unserved;
  }

  // Call before a customer's links change.
  void touch(int node) {
    Stop& at = plan->stop[node];
    if (at.touched == iteration) return;
    at.touched = iteration;
    old_links[num_old_links++] = {node, at};
  }

  // Call before a route's ends or load change.
  void touch_route(int row) {
    Route& route = plan->route[row];
    if (route.touched == iteration) return;
    route.touched = iteration;
    old_ends[num_old_ends++] = {row, route};
  }

  // Makes `node` follow `before` in a route; either may be the depot, 0.
  void join(int row, int before, int node, std::int32_t length) {
    if (before) {
      touch(before);
      plan->stop[before].next = node;
      plan->stop[before].out = length;
    } else {
      plan->route[row].first = node;
    }
    if (node) {
      touch(node);
      plan->stop[node].previous = before;
      plan->stop[node].into = length;
    } else {
      plan->route[row].last = before;
    }
  }

  void list_empty(int row) {
    if (plan->route[row].listed) return;
    plan->route[row].listed = true;
    empty[num_empty++] = row;
  }

  // Call when a route has become empty.
  void note_empty(int row) {
    --num_routes;
    list_empty(row);
  }

  // An empty vehicle, which is then in use; -1: there is none.
  int take_empty() {
    while (num_empty > 0) {
      const int row = empty[--num_empty];
      plan->route[row].listed = false;
      if (plan->route[row].size > 0) continue;
      ++num_routes;
      return row;
    }
    return -1;
  }

  // Chooses unserved customers for this iteration.
  void try_unserved() {
    while (num_tried < kTried && num_unserved > 0) {
      std::swap(unserved[random.below(num_unserved)], unserved[num_unserved - 1]);
      tried[num_tried++] = unserved[--num_unserved];
    }
  }

  void restore() {
    for (int index = 0; index < num_old_links; ++index) {
      static_cast<LinkedPlan::Links&>(plan->stop[old_links[index].node]) = old_links[index].links;
    }
    for (int index = 0; index < num_old_ends; ++index) {
      const OldEnds& old = old_ends[index];
      static_cast<LinkedPlan::Ends&>(plan->route[old.vehicle]) = old.ends;
      if (old.ends.size == 0) list_empty(old.vehicle);
    }
    num_routes = old_num_routes;
    num_unserved = old_num_unserved - num_tried;
    for (int index = num_tried - 1; index >= 0; --index) unserved[num_unserved++] = tried[index];
    cost = old_cost;
  }

  // Accepts the iteration.
  void keep() {
    for (int index = 0; index < num_old_links; ++index) {
      const int node = old_links[index].node;
      if (is_fresh[node]) continue;
      is_fresh[node] = 1;
      fresh[num_fresh++] = node;
    }
    for (int index = 0; index < num_old_ends; ++index) {
      const int row = old_ends[index].vehicle;
      if (is_fresh_route[row]) continue;
      is_fresh_route[row] = 1;
      fresh_route[num_fresh_routes++] = row;
    }
    if (rank() >= best_rank) return;
    best_rank = rank();
    for (int index = 0; index < num_fresh; ++index) {
      best_next[fresh[index]] = plan->stop[fresh[index]].next;
      is_fresh[fresh[index]] = 0;
    }
    for (int index = 0; index < num_fresh_routes; ++index) {
      best_first[fresh_route[index]] = plan->route[fresh_route[index]].first;
      is_fresh_route[fresh_route[index]] = 0;
    }
    num_fresh = num_fresh_routes = 0;
  }
};

}  // namespace vrp
