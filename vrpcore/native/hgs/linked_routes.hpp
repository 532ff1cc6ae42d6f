// Routes as linked lists of stops: a change takes time proportional to the routes that it
// changes. Routes may be overloaded; load over the limit has a price.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "../shared/arena.hpp"
#include "problem.hpp"
#include "../shared/random.hpp"
#include "solution.hpp"

namespace vrp {

// Moves join a customer to one of this many nearest customers.
constexpr int kGranular = 15;
// Penalty of one route: sums stay far from overflow, whatever the price of a unit.
constexpr double kMostPenalty = 1e14;

inline void shuffle(Random& random, std::int32_t* numbers, int count) {
  for (int left = count; left > 1; --left) {
    std::swap(numbers[left - 1], numbers[random.below(left)]);
  }
}

inline std::int64_t penalty_of(std::int64_t load, std::int64_t limit, double rate) {
  if (load <= limit) return 0;
  const double penalty = static_cast<double>(load - limit) * rate;
  return static_cast<std::int64_t>(std::min(penalty, kMostPenalty));
}

// A position in a route, linked to its neighbours: a customer, or one of the two ends of a route,
// which are stored after the customers.
struct Stop {
  std::int32_t node;  // 0 for an end
  std::int32_t next;
  std::int32_t previous;
  std::int32_t route;
  std::int32_t position;     // from 0, the route's beginning
  std::int32_t edge;      // length from the previous stop
  std::int64_t demand;
  std::int64_t load;      // of the route so far
  std::int64_t reversal;  // extra length of driving from here back to the beginning
  std::int64_t tested;    // moves made when it was last tested
};

struct Lane {
  std::int64_t load;
  std::int64_t penalty;
  std::int64_t changed;  // moves made when it was last changed
  std::int64_t swapped;  // moves made when exchanges with others were last tested
  std::int32_t size;
};

class LinkedRoutes {
 public:
  // Loads a tour of all customers in at most R routes; each unit of load over the limit costs
  // `rate`.
  void load(const std::int32_t* tour, double rate) {
    rate_ = rate;
    moves_ = 0;
    int lane = 0, at = start_of(0);
    for (; *tour != kEnd; ++tour) {
      if (*tour == 0) {
        link(at, end_of(lane));
        if (++lane < vehicles_) at = start_of(lane);
      } else {
        link(at, *tour);
        at = *tour;
      }
    }
    for (; lane < vehicles_; ++lane) link(start_of(lane), end_of(lane));
    for (lane = 0; lane < vehicles_; ++lane) update(lane);
  }

  // Call between `load` and `run`: treats the routes as a local optimum except where they
  // change from now on.
  void begin_changes() { moves_ = 1; }

  // The lane of a customer, -1 if the customer was removed.
  int lane_of(int customer) const { return stop_[customer].route; }

  // Removes all customers from a route.
  void empty(int lane) {
    for (int at = stop_[start_of(lane)].next; stop_[at].node != 0; at = stop_[at].next) {
      stop_[at].route = -1;
    }
    link(start_of(lane), end_of(lane));
    update(lane);
  }

  // Inserts removed customers into an empty route, in the order of an array; skips others in
  // it.
  void fill(int lane, const std::int32_t* first, const std::int32_t* last) {
    int at = start_of(lane);
    for (; first < last; ++first) {
      if (stop_[*first].route >= 0) continue;
      link(at, *first);
      at = *first;
    }
    link(at, end_of(lane));
    update(lane);
  }

  // Inserts a removed customer where it costs least: next to a near one, or in a route of its own.
  void put(int customer) {
    const Problem& problem = *problem_;
    const std::int64_t width = problem.num_nodes;
    const std::int32_t* into = problem.into + width * customer;
    const std::int32_t* from = problem.from + width * customer;
    std::int64_t best = kNever;
    int behind = -1;
    const auto weigh = [&](int before, int lane) {
      const Stop& next = stop_[stop_[before].next];
      const std::int64_t added = static_cast<std::int64_t>(into[stop_[before].node]) +
                                 from[next.node] - next.edge +
                                 penalty(lane_[lane].load + stop_[customer].demand) -
                                 lane_[lane].penalty;
      if (added < best) {
        best = added;
        behind = before;
      }
    };
    for (int lane = 0; lane < vehicles_; ++lane) {
      if (lane_[lane].size > 0) continue;
      weigh(start_of(lane), lane);
      break;
    }
    const std::int32_t* near =
        problem.near + static_cast<std::int64_t>(customer) * problem.num_near;
    for (int rank = 0; rank < problem.num_near; ++rank) {
      if (rank >= kGranular && behind >= 0) break;
      const Stop& other = stop_[near[rank]];
      if (other.route < 0) continue;
      weigh(near[rank], other.route);
      weigh(other.previous, other.route);
    }
    if (behind < 0) behind = start_of(0);
    const int lane = stop_[behind].route;
    insert(customer, behind);
    update(lane);
  }

  void write_tour(std::int32_t* tour) const {
    for (int lane = 0; lane < vehicles_; ++lane) {
      if (lane_[lane].size == 0) continue;
      for (int at = stop_[start_of(lane)].next; stop_[at].node != 0; at = stop_[at].next) {
        *tour++ = at;
      }
      *tour++ = 0;
    }
    *tour = kEnd;
  }

  std::int64_t cost = 0;    // of the routes
  std::int64_t excess = 0;  // load over the limits

 protected:
  static constexpr std::int64_t kNever = std::int64_t{1} << 60;

  LinkedRoutes(const Problem* problem, int vehicles) : problem_(problem), vehicles_(vehicles) {}

  void lay_out_routes(Arena& arena) {
    const auto lanes = static_cast<std::size_t>(vehicles_);
    stop_ = arena.take<Stop>(static_cast<std::size_t>(problem_->num_nodes) + 2 * lanes);
    lane_ = arena.take<Lane>(lanes);
    if (lane_) set_up();
  }

  void set_up() {
    const int nodes = problem_->num_nodes;
    for (int node = 1; node < nodes; ++node) {
      stop_[node].node = node;
      stop_[node].demand = problem_->demand[node];
    }
    for (int lane = 0; lane < vehicles_; ++lane) {
      for (const int end : {start_of(lane), end_of(lane)}) {
        Stop& stop = stop_[end];
        stop.node = 0;
        stop.demand = stop.load = stop.reversal = 0;
        stop.position = stop.edge = 0;
        stop.route = lane;
      }
    }
  }

  int start_of(int lane) const { return problem_->num_nodes + 2 * lane; }
  int end_of(int lane) const { return problem_->num_nodes + 2 * lane + 1; }

  void link(int before, int after) {
    stop_[before].next = after;
    stop_[after].previous = before;
  }

  std::int64_t penalty(std::int64_t load) const {
    return penalty_of(load, problem_->limit, rate_);
  }

  void update(int lane) {
    const Problem& problem = *problem_;
    int at = start_of(lane), position = 0, node = 0;
    std::int64_t load = 0, reversal = 0;
    const int last = end_of(lane);
    while (at != last) {
      at = stop_[at].next;
      Stop& stop = stop_[at];
      const std::int64_t cell = static_cast<std::int64_t>(node) * problem.num_nodes + stop.node;
      stop.edge = problem.from[cell];
      reversal += problem.into[cell] - stop.edge;
      load += stop.demand;
      node = stop.node;
      stop.position = ++position;
      stop.load = load;
      stop.reversal = reversal;
      stop.route = lane;
    }
    Lane& changed = lane_[lane];
    changed.load = load;
    changed.penalty = penalty(load);
    changed.changed = moves_;
    changed.size = position - 1;
  }

  void count() {
    cost = excess = 0;
    for (int lane = 0; lane < vehicles_; ++lane) {
      excess += std::max<std::int64_t>(0, lane_[lane].load - problem_->limit);
      for (int at = start_of(lane); at != end_of(lane);) {
        at = stop_[at].next;
        cost += stop_[at].edge;
      }
    }
  }

  void insert(int stop, int behind) {
    const int after = stop_[behind].next;
    link(behind, stop);
    link(stop, after);
  }

  // Reverses the stops from one to another in place.
  void reverse(int first, int last) {
    const int before = stop_[first].previous, after = stop_[last].next;
    for (int at = first; at != after;) {
      const int next = stop_[at].next;
      std::swap(stop_[at].next, stop_[at].previous);
      at = next;
    }
    link(before, last);
    link(first, after);
  }

  const Problem* problem_;
  int vehicles_;
  Stop* stop_ = nullptr;  // [M + 2 R]
  Lane* lane_ = nullptr;  // [R]
  double rate_ = 1.0;
  std::int64_t moves_ = 0;
};

}  // namespace vrp
