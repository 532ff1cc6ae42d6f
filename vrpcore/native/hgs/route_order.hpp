// Routes written as a tour has them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "solution.hpp"

namespace vrp {

// A route stands where the tour visits its customers on average; where that is the same place, the
// route with the lower first customer comes first. A route that may be turned has the direction
// that agrees with more of the tour.
class RouteOrder {
 public:
  // For tours of nodes below `num_nodes`, in at most `vehicles` routes.
  static RouteOrder lay_out(Arena& arena, int num_nodes, int vehicles) {
    RouteOrder made;
    made.num_nodes_ = num_nodes;
    made.position_ = arena.take<std::int32_t>(static_cast<std::size_t>(num_nodes));
    made.copy_ = arena.take<std::int32_t>(static_cast<std::size_t>(num_nodes + vehicles));
    made.route_ = arena.take<Route>(static_cast<std::size_t>(vehicles));
    return made;
  }

  // Writes the routes of `tour` (the customers of each followed by 0, then `kEnd`) like `pattern`
  // [length]; whom that does not visit counts as its first.
  void write(const std::int64_t* pattern, std::int64_t length, bool turn, std::int32_t* tour) {
    std::fill(position_, position_ + num_nodes_, 0);
    for (std::int64_t at = 0; at < length; ++at) {
      position_[pattern[at]] = static_cast<std::int32_t>(at);
    }
    std::int32_t* node = copy_;
    for (const std::int32_t* from = tour; *from != kEnd; ++from) *node++ = *from;
    const std::int32_t* end = node;
    int count = 0;
    for (node = copy_; node != end; ++node) {
      std::int32_t* first = node;
      while (*node != 0) ++node;
      insert(measured(first, node, turn), count++);
    }
    for (int index = 0; index < count; ++index) {
      for (node = route_[index].first; node != route_[index].last; ++node) *tour++ = *node;
      *tour++ = 0;
    }
    *tour = kEnd;
  }

 private:
  struct Route {
    double place;
    std::int32_t* first;
    std::int32_t* last;  // behind the last customer

    bool before(const Route& other) const {
      return place != other.place ? place < other.place : *first < *other.first;
    }
  };

  // The route of these customers, turned where that is to be.
  Route measured(std::int32_t* first, std::int32_t* last, bool turn) const {
    std::int64_t sum = 0, agree = 0;
    for (const std::int32_t* node = first; node != last; ++node) {
      sum += position_[*node];
      if (node != first) agree += position_[*node] > position_[node[-1]] ? 1 : -1;
    }
    if (agree == 0) agree = position_[last[-1]] - position_[*first];
    if (turn && agree < 0) std::reverse(first, last);
    return {static_cast<double>(sum) / static_cast<double>(last - first), first, last};
  }

  void insert(const Route& route, int count) {
    int at = count;
    for (; at > 0 && route.before(route_[at - 1]); --at) route_[at] = route_[at - 1];
    route_[at] = route;
  }

  std::int64_t num_nodes_ = 0;
  std::int32_t* position_ = nullptr;  // [M] where the pattern has each node
  std::int32_t* copy_ = nullptr;      // [M + R]
  Route* route_ = nullptr;            // [R]
};

}  // namespace vrp
