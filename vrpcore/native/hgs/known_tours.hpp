// Tours of many instances, each improved by a short search: what a step of training asks for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "anneal.hpp"
#include "breeding.hpp"
#include "route_order.hpp"

namespace vrp {

// How the tour of one instance is searched: `SEARCH` in search/known_tours.py.
struct KnownTour {
  std::int64_t limit;       // largest load
  std::int64_t iterations;  // of each annealing run
  std::int64_t children;
  std::uint64_t seed;
  double warmest;           // temperatures of a run, in mean edge lengths of the tour
  double coolest;
  std::int32_t num_nodes;   // M
  std::int32_t vehicles;    // R, most routes
  std::int32_t longest;     // customers that fit into a vehicle, at most
  std::int32_t runs;
  std::int32_t orders;      // children of random orders
  std::int32_t width;       // children in progress at once
};

// B instances in memory that Python owns: `Tours` in search/known_tours.py.
struct KnownTours {
  const KnownTour* search;     // [B]
  const double* lengths;       // [B, N, N], of which the first M rows and columns count
  const std::int64_t* demand;  // [B, N]
  const std::int64_t* tour;    // [B, T] nodes; 0 between routes, and behind them
  std::int64_t* better;        // [B, T] the improved tours
  std::int64_t count;          // B
  std::int64_t nodes;          // N
  std::int64_t length;         // T
};

// The working memory for one instance after the other. Its functions are cold: what a compiler
// inlined into them, it would no longer inline in the search itself, which took 6 % more
// instructions.
class TourImprover {
 public:
  // Bytes for instances that are no larger.
  [[gnu::cold]] static std::size_t bytes(const KnownTour& largest) {
    Arena arena(nullptr);
    Problem shape{};
    shape.num_nodes = largest.num_nodes;
    TourImprover unplaced;
    unplaced.lay_out_problem(arena, largest);
    unplaced.problem_ = &shape;
    unplaced.lay_out_search(arena, largest);
    return arena.used();
  }

  // Improves the tour of one instance, and writes it like the tour. That stays as it is where not
  // all customers can be served, or the routes have no room in it. `memory`: `size` bytes.
  [[gnu::cold]] void improve(const KnownTours& given, std::int64_t row, void* memory,
                             std::size_t size) {
    const KnownTour& known = given.search[row];
    const std::int64_t* tour = given.tour + row * given.length;
    std::int64_t* better = given.better + row * given.length;
    std::copy(tour, tour + given.length, better);
    if (known.num_nodes < 3) return;
    Arena::clear(memory, size);
    Arena arena(memory);
    lay_out_problem(arena, known);
    problem_->fill(compact(given, row), given.demand + row * given.nodes, known.limit, work_);
    lay_out_search(arena, known);
    search(known, read(tour, given.length));
    if (breeding_->population.best_rank >= kUnservedRank) return;
    copy_tour(breeding_->population.best_tour, tour_);
    order_.write(tour, given.length, true, tour_);
    write(better, given.length);
  }

 private:
  [[gnu::cold]] void lay_out_problem(Arena& arena, const KnownTour& known) {
    const auto nodes = static_cast<std::size_t>(known.num_nodes);
    problem_ = Problem::lay_out(arena, known.num_nodes, false);
    work_ = arena.take<double>(Problem::work_numbers(known.num_nodes));
    lengths_ = arena.take<double>(nodes * nodes);
    tour_ = arena.take<std::int32_t>(nodes + static_cast<std::size_t>(known.vehicles));
  }

  [[gnu::cold]] void lay_out_search(Arena& arena, const KnownTour& known) {
    const int vehicles = known.vehicles;
    annealer_ = Annealer::lay_out(arena, problem_, vehicles, known.longest + 2);
    breeding_ = Breeding::lay_out(arena, problem_, vehicles, known.width);
    educator_ = Educator::lay_out(arena, problem_, vehicles);
    order_ = RouteOrder::lay_out(arena, known.num_nodes, vehicles);
  }

  // The lengths of one instance without padding.
  const double* compact(const KnownTours& given, std::int64_t row) const {
    const double* from = given.lengths + row * given.nodes * given.nodes;
    const std::int64_t nodes = problem_->num_nodes;
    if (nodes == given.nodes) return from;
    for (std::int64_t node = 0; node < nodes; ++node) {
      std::copy(from + node * given.nodes, from + node * given.nodes + nodes,
                lengths_ + node * nodes);
    }
    return lengths_;
  }

  // Reads a tour as the search has them. Returns its number of routes.
  int read(const std::int64_t* from, std::int64_t length) {
    std::int32_t* to = tour_;
    int routes = 0;
    for (std::int64_t at = 0; at < length; ++at) {
      if (from[at] == 0) continue;
      *to++ = static_cast<std::int32_t>(from[at]);
      if (at + 1 < length && from[at + 1] != 0) continue;
      *to++ = 0;
      ++routes;
    }
    *to = kEnd;
    return routes;
  }

  // What `Evolution.run` does with one start, in one thread.
  [[gnu::cold]] void search(const KnownTour& known, int routes) {
    std::uint64_t seed = known.seed;
    const auto begin = [&] {
      annealer_->random.seed(++seed);
      annealer_->begin(tour_);
      return annealer_->solution.cost;
    };
    breeding_->begin(known.seed);
    const double edges = known.num_nodes - 1 + routes;
    const double unit = std::max(1.0, static_cast<double>(begin()) / edges);
    begin();
    breeding_->admit(*annealer_);
    for (int run = 0; run < known.runs; ++run) {
      begin();
      annealer_->run({known.iterations, -1.0, unit * known.warmest, unit * known.coolest});
      breeding_->admit(*annealer_);
    }
    breeding_->breed(*educator_, known.children, known.orders, -1.0);
  }

  // Writes the tour where there is room for it, but for the depot behind its last route.
  void write(std::int64_t* better, std::int64_t length) const {
    std::int64_t size = 0;
    while (tour_[size] != kEnd) ++size;
    while (size > 0 && tour_[size - 1] == 0) --size;
    if (size > length) return;
    for (std::int64_t at = 0; at < length; ++at) better[at] = at < size ? tour_[at] : 0;
  }

  Problem* problem_ = nullptr;
  double* work_ = nullptr;
  double* lengths_ = nullptr;      // [M, M]
  std::int32_t* tour_ = nullptr;   // [M + R]
  Annealer* annealer_ = nullptr;
  Breeding* breeding_ = nullptr;
  Educator* educator_ = nullptr;
  RouteOrder order_;
};

static_assert(sizeof(KnownTour) == 9 * sizeof(std::int64_t), "as Python has it");

}  // namespace vrp
