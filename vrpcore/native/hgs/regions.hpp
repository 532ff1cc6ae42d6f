// The search of large plans: simulated annealing in regions, which threads search side by side.
//
// A slice of the search divides the plan into regions of neighbouring routes, each time across
// other lines. What a region does depends on its routes and on the seed, not on the threads.
//
// Sources: the annealing as in anneal.hpp; changes that are local and undone by what they
// touched: Accorsi and Vigo 2021, "A Fast and Scalable Heuristic for the Solution of Large-Scale
// Capacitated Vehicle Routing Problems", Transportation Science 55(4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "../shared/clock.hpp"
#include "anneal.hpp"
#include "region_moves.hpp"
#include "region_recreate.hpp"
#include "region_ruin.hpp"

namespace vrp {

// Moves that are tried for each ruin.
constexpr int kMoves = 5;
// No region has fewer customers on average.
constexpr int kSmallestRegion = 100;
// At least as many as one ruin and `kTried` can be.
constexpr int kMostRemoved = 128;

class Regions {
 public:
  static Regions* lay_out(Arena& arena, const Problem* problem, int vehicles) {
    const auto nodes = static_cast<std::size_t>(problem->num_nodes);
    const auto rows = static_cast<std::size_t>(vehicles);
    auto* regions = arena.take<Regions>(1);
    Regions unplaced;
    Regions* made = regions ? new (regions) Regions : &unplaced;
    made->plan = LinkedPlan::lay_out(arena, problem, vehicles);
    made->most_ = problem->place ? std::max(1, problem->num_nodes / kSmallestRegion) : 1;
    made->region_ = arena.take<Region>(static_cast<std::size_t>(made->most_));
    made->customer_ = arena.take<std::int32_t>(nodes);
    made->unserved_ = arena.take<std::int32_t>(nodes);
    made->fresh_ = arena.take<std::int32_t>(nodes);
    made->is_fresh_ = arena.take<std::uint8_t>(nodes);
    made->slice_next_ = arena.take<std::int32_t>(nodes);
    made->old_links_ = arena.take<Region::OldLinks>(nodes);
    made->vehicle_ = arena.take<std::int32_t>(rows);
    made->empty_ = arena.take<std::int32_t>(rows);
    made->fresh_route_ = arena.take<std::int32_t>(rows);
    made->is_fresh_route_ = arena.take<std::uint8_t>(rows);
    made->slice_first_ = arena.take<std::int32_t>(rows);
    made->old_ends_ = arena.take<Region::OldEnds>(rows);
    made->order_ = arena.take<std::int32_t>(rows);
    made->region_of_ = arena.take<std::int32_t>(rows);
    made->centre_ = arena.take<Place>(rows);
    made->key_ = arena.take<double>(rows);
    return regions;
  }

  // Loads a tour of at most R routes.
  void begin(const std::int32_t* tour, std::uint64_t seed) {
    seed_ = seed;
    slice_ = 0;
    plan.set_near_lengths();
    plan.read_tour(tour);
  }

  // Begins a slice. Returns the number of regions, of about `size` customers each.
  int divide(int size) {
    const Problem& problem = *plan.problem;
    ++slice_;
    random_.seed(seed_ + static_cast<std::uint64_t>(slice_) * 0x9e3779b97f4a7c15ULL);
    const int wanted = (problem.num_nodes - 1 + size / 2) / std::max(1, size);
    num_regions_ = std::clamp(wanted, 1, most_);
    int used = 0, unused = 0;
    for (int row = 0; row < plan.vehicles; ++row) {
      if (plan.route[row].size > 0) order_[used++] = row;
    }
    num_regions_ = std::min(num_regions_, std::max(1, used));
    if (num_regions_ > 1) set_centres();
    const double x = random_.unit() - 0.5, y = random_.unit() - 0.5, z = random_.unit() - 0.5;
    cut(0, used, 0, num_regions_, {x, y, z});
    for (int row = 0; row < plan.vehicles; ++row) {
      if (plan.route[row].size == 0) region_of_[row] = unused++ % num_regions_;
    }
    deal();
    return num_regions_;
  }

  // Searches a region; threads may search different regions at the same time. Returns the number
  // of iterations, of at most `iterations` for each of its customers. `seconds` below 0: no time
  // limit.
  std::int64_t search(int index, double iterations, double seconds, double temperature) {
    Region& region = region_[index];
    region.random.seed(seed_ + (static_cast<std::uint64_t>(slice_) << 20) +
                       static_cast<std::uint64_t>(index));
    region.iteration = static_cast<std::uint64_t>(slice_) << 32;
    region.begin_slice();
    if (region.num_customers == 0) return 0;
    const auto most = static_cast<std::int64_t>(iterations * region.num_customers);
    const double began = seconds < 0.0 ? 0.0 : clock_seconds();
    double scatter = scatter_of(region);
    std::int64_t done = 0;
    Watch* watch = plan.problem->watch;
    while (done < most && !is_over(watch)) {
      if (seconds >= 0.0 && clock_seconds() - began >= seconds) break;
      for (const std::int64_t end = std::min(done + kStep, most); done < end; ++done) {
        iterate(region, temperature, scatter);
      }
    }
    if (watch) watch->iterations += done;
    return done;
  }

  // Ends a slice. The best of every region together is a plan, and may be the best of all.
  void join() {
    std::int64_t best = plan.cost;
    plan.num_unserved = 0;
    for (int index = 0; index < num_regions_; ++index) {
      best += region_[index].best_rank;
      plan.cost += region_[index].cost;
      plan.num_unserved += region_[index].num_unserved;
    }
    plan.problem->note(0, std::min(best, plan.best_rank), best < plan.best_rank);
    if (best >= plan.best_rank) return;
    plan.best_rank = best;
    std::copy(slice_next_, slice_next_ + plan.problem->num_nodes, plan.best_next);
    std::copy(slice_first_, slice_first_ + plan.vehicles, plan.best_first);
  }

  LinkedPlan plan;

 private:
  Regions() = default;

  void iterate(Region& region, double temperature, double& scatter) const {
    Random& random = region.random;
    std::int32_t removed[kMostRemoved];
    double key[kMostRemoved];
    RegionMoves moves(region);
    for (int move = 0; move < kMoves && region.num_unserved == 0; ++move) {
      region.begin_iteration();
      const int one = region.customer[random.below(region.num_customers)];
      const double most = temperature * plan.scale[one] * random.exponential();
      if (moves.try_one(one, most)) region.keep();
    }
    region.begin_iteration();
    region.try_unserved();
    const int seed = region.customer[random.below(region.num_customers)];
    int count = RegionRuin(region).remove(seed, removed);
    for (int index = 0; index < region.num_tried; ++index) removed[count++] = region.tried[index];
    const double warmth = temperature * plan.scale[seed];
    const bool inserted = RegionRecreate(region, key).insert(removed, count);
    if (inserted && is_accepted(random, region.old_num_unserved, region.num_unserved,
                                region.cost - region.old_cost, warmth, scatter,
                                [&] { return scatter_of(region); })) {
      region.keep();
    } else {
      region.restore();
    }
  }

  double scatter_of(const Region& region) const {
    double room = 0.0, squares = 0.0;
    for (int index = 0; index < region.num_vehicles && region.num_unserved > 0; ++index) {
      const LinkedPlan::Route& route = plan.route[region.vehicle[index]];
      const auto left = static_cast<double>(plan.problem->limit - route.load);
      room += left;
      squares += left * left;
    }
    return room * room - squares;
  }

  void set_centres() {
    for (int row = 0; row < plan.vehicles; ++row) {
      Place sum{};
      for (int at = plan.route[row].first; at != 0; at = plan.stop[at].next) {
        const Place& place = plan.stop[at].place;
        sum = {sum.x + place.x, sum.y + place.y, sum.z + place.z};
      }
      const double size = std::max(1, plan.route[row].size);
      centre_[row] = {sum.x / size, sum.y / size, sum.z / size};
    }
  }

  // Divides routes `order_[begin, end)` among `count` regions, at least one route for each: into
  // two parts across a direction, each of which is divided across the direction.
  void cut(int begin, int end, int first, int count, const Place& direction) {
    if (count == 1) {
      for (int index = begin; index < end; ++index) region_of_[order_[index]] = first;
      return;
    }
    std::int64_t customers = 0;
    for (int index = begin; index < end; ++index) {
      const int row = order_[index];
      const Place& at = centre_[row];
      key_[row] = direction.x * at.x + direction.y * at.y + direction.z * at.z;
      customers += plan.route[row].size;
    }
    std::sort(order_ + begin, order_ + end, [this](std::int32_t left, std::int32_t right) {
      return key_[left] != key_[right] ? key_[left] < key_[right] : left < right;
    });
    const int half = count / 2;
    const std::int64_t wanted = customers * half / count;
    int middle = begin;
    for (std::int64_t sum = 0; middle < end && sum < wanted; ++middle) {
      sum += plan.route[order_[middle]].size;
    }
    middle = std::clamp(middle, begin + half, end - (count - half));
    const Place across{-direction.y, direction.x, direction.z};
    cut(begin, middle, first, half, across);
    cut(middle, end, first + half, count - half, across);
  }

  // Gives each region its customers, its vehicles and its parts of the arrays.
  void deal() {
    const Problem& problem = *plan.problem;
    for (int index = 0; index < num_regions_; ++index) {
      region_[index] = Region{};
      region_[index].plan = &plan;
      region_[index].number = index;
    }
    plan.stop[0].region = -1;
    for (int node = 1; node < problem.num_nodes; ++node) {
      plan.stop[node].region = region_around(node);
      ++region_[plan.stop[node].region].num_customers;
    }
    for (int row = 0; row < plan.vehicles; ++row) ++region_[region_of_[row]].num_vehicles;
    int node = 0, row = 0;
    for (int index = 0; index < num_regions_; ++index) {
      Region& region = region_[index];
      region.customer = customer_ + node;
      region.unserved = unserved_ + node;
      region.fresh = fresh_ + node;
      region.old_links = old_links_ + node;
      region.vehicle = vehicle_ + row;
      region.empty = empty_ + row;
      region.fresh_route = fresh_route_ + row;
      region.old_ends = old_ends_ + row;
      region.is_fresh = is_fresh_;
      region.best_next = slice_next_;
      region.is_fresh_route = is_fresh_route_;
      region.best_first = slice_first_;
      node += region.num_customers;
      row += region.num_vehicles;
      region.num_customers = region.num_vehicles = 0;
    }
    for (int customer = 1; customer < problem.num_nodes; ++customer) {
      Region& region = region_[plan.stop[customer].region];
      region.customer[region.num_customers++] = customer;
    }
    for (int vehicle = 0; vehicle < plan.vehicles; ++vehicle) {
      Region& region = region_[region_of_[vehicle]];
      region.vehicle[region.num_vehicles++] = vehicle;
    }
  }

  // That of its route, or of the nearest customer that is served.
  int region_around(int node) const {
    const Problem& problem = *plan.problem;
    if (plan.stop[node].route >= 0) return region_of_[plan.stop[node].route];
    for (int rank = 0; rank < problem.num_near; ++rank) {
      const int other = problem.near[static_cast<std::int64_t>(node) * problem.num_near + rank];
      if (plan.stop[other].route >= 0) return region_of_[plan.stop[other].route];
    }
    return 0;
  }

  Random random_;
  std::uint64_t seed_ = 0;
  std::int64_t slice_ = 0;
  int most_ = 1;                   // G, most regions
  int num_regions_ = 1;
  Region* region_ = nullptr;       // [G]
  // Parts of these belong to each region.
  std::int32_t* customer_ = nullptr;        // [M]
  std::int32_t* unserved_ = nullptr;        // [M]
  std::int32_t* fresh_ = nullptr;           // [M]
  Region::OldLinks* old_links_ = nullptr;   // [M]
  std::int32_t* vehicle_ = nullptr;         // [R]
  std::int32_t* empty_ = nullptr;           // [R]
  std::int32_t* fresh_route_ = nullptr;     // [R]
  Region::OldEnds* old_ends_ = nullptr;     // [R]
  // The best of the slice, and what changed since; each region writes its own.
  std::int32_t* slice_next_ = nullptr;      // [M]
  std::int32_t* slice_first_ = nullptr;     // [R]
  std::uint8_t* is_fresh_ = nullptr;        // [M]
  std::uint8_t* is_fresh_route_ = nullptr;  // [R]
  // For the division.
  std::int32_t* order_ = nullptr;           // [R] routes
  std::int32_t* region_of_ = nullptr;       // [R]
  Place* centre_ = nullptr;                 // [R]
  double* key_ = nullptr;                   // [R]
};

}  // namespace vrp
