// Routes whose stops are linked to each other: every change takes as long as the routes that
// it changes. They may be overloaded; what is over the limit has a price.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "arena.hpp"
#include "problem.hpp"
#include "random.hpp"
#include "solution.hpp"

namespace vrp {

// Moves join a customer to one of so many nearest ones.
constexpr int kGranular = 15;
// Of one route: sums of them stay far from overflow, whatever the price of a unit.
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

// A place in a route that is linked to its neighbours: a customer, or one of the two ends of a
// route, which stand behind the customers in memory.
struct Stop {
  std::int32_t node;  // 0 for an end
  std::int32_t next;
  std::int32_t previous;
  std::int32_t route;
  std::int32_t place;     // from 0, the route's beginning
  std::int32_t edge;      // length from the stop before
  std::int64_t demand;
  std::int64_t load;      // of the route up to here
  std::int64_t reversal;  // how much longer the way back is from here to the beginning
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
  // Lays out a tour of all customers in at most R routes; load over the limit costs `rate` a
  // unit.
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

  // Between `load` and `run`: what changes from now on is new, the rest is taken for a local
  // optimum.
  void begin_changes() { moves_ = 1; }

  // The lane of a customer, -1 for who was taken out.
  int lane_of(int customer) const { return stop_[customer].route; }

  // Takes all customers out of a route.
  void empty(int lane) {
    for (int at = stop_[start_of(lane)].next; stop_[at].node != 0; at = stop_[at].next) {
      stop_[at].route = -1;
    }
    link(start_of(lane), end_of(lane));
    update(lane);
  }

  // Puts customers who were taken out into an empty route, in the order of an array; others
  // in it are passed over.
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

  // Puts a customer who was taken out where it costs least: beside a near one, or alone.
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
        stop.place = stop.edge = 0;
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
    int at = start_of(lane), place = 0, node = 0;
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
      stop.place = ++place;
      stop.load = load;
      stop.reversal = reversal;
      stop.route = lane;
    }
    Lane& changed = lane_[lane];
    changed.load = load;
    changed.penalty = penalty(load);
    changed.changed = moves_;
    changed.size = place - 1;
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

  // Turns the stops from one to another around, where they stand.
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
