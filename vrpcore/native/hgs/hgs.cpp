// What Python calls for instances without constraints: plain functions over memory that Python
// owns, no exceptions, no globals.
//
// `..._bytes` returns how much memory an object needs, aligned to 64 bytes; `..._make` creates
// it there. Threads may share a problem; an annealer, educator or breeding belongs to one
// thread at a time.

#include <cstdint>

#include "anneal.hpp"
#include "../shared/api.hpp"
#include "breeding.hpp"
#include "exact_routes.hpp"
#include "known_tours.hpp"
#include "near_places.hpp"
#include "problem.hpp"
#include "regions.hpp"
#include "route_order.hpp"
#include "savings.hpp"

VRP_API std::int64_t vrp_problem_bytes(int num_nodes, int directed) {
  vrp::Arena arena(nullptr);
  vrp::Problem::lay_out(arena, num_nodes, directed != 0);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API std::int64_t vrp_problem_work_numbers(int num_nodes) {
  return static_cast<std::int64_t>(vrp::Problem::work_numbers(num_nodes));
}

// `matrix` [M, M] and `demand` [M]; `work` has room for `vrp_problem_work_numbers` doubles.
VRP_API void vrp_problem_make(void* memory, int num_nodes, int directed, const double* matrix,
                              const std::int64_t* demand, std::int64_t limit, void* work) {
  vrp::Arena arena(memory);
  vrp::Problem::lay_out(arena, num_nodes, directed != 0)->fill(matrix, demand, limit, work);
}

VRP_API std::int64_t vrp_places_bytes(int num_nodes) {
  vrp::Arena arena(nullptr);
  vrp::Problem::lay_out_places(arena, num_nodes);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API std::int64_t vrp_near_places_bytes(int num_nodes) {
  vrp::Arena arena(nullptr);
  vrp::NearPlaces(arena, nullptr, num_nodes, vrp::kMostNear);
  return static_cast<std::int64_t>(arena.used());
}

// `place` [M, 3] and `demand` [M]; `work` has room for `vrp_near_places_bytes` bytes. See `Measure`
// for the three numbers of lengths.
VRP_API void vrp_places_make(void* memory, int num_nodes, const double* place, double factor,
                             double curve, int up, const std::int64_t* demand, std::int64_t limit,
                             void* work) {
  vrp::Arena arena(memory);
  vrp::Problem* problem = vrp::Problem::lay_out_places(arena, num_nodes);
  for (int node = 0; node < num_nodes; ++node) {
    problem->place[node] = {place[3 * node], place[3 * node + 1], place[3 * node + 2]};
    problem->demand[node] = demand[node];
  }
  problem->measure = {factor, curve, up != 0};
  problem->unit = 1.0 / factor;
  problem->limit = limit;
  vrp::Arena free(work);
  vrp::NearPlaces(free, problem->place, num_nodes, problem->num_near).write(problem->near);
}

// Lets somebody watch all searches of a problem. `seconds` below 0: they have no time limit.
VRP_API void vrp_watch(vrp::Problem* problem, vrp::Watch* watch, double seconds) {
  problem->watch = watch;
  watch->begin(seconds);
}

VRP_API int vrp_is_over(const vrp::Problem* problem) { return vrp::is_over(problem->watch); }

VRP_API std::int64_t vrp_savings_bytes(const vrp::Problem* problem) {
  vrp::Arena arena(nullptr);
  vrp::Savings(arena, problem);
  return static_cast<std::int64_t>(arena.used());
}

// `tour` has room for 2 * M numbers, `work` for `vrp_savings_bytes` bytes.
VRP_API void vrp_savings(const vrp::Problem* problem, void* work, std::int32_t* tour) {
  vrp::Arena arena(work);
  vrp::Savings(arena, problem).write_tour(tour);
}

VRP_API std::int64_t vrp_exact_bytes(const vrp::Problem* problem, int vehicles) {
  vrp::Arena arena(nullptr);
  vrp::ExactRoutes(arena, problem, nullptr, vehicles);
  return static_cast<std::int64_t>(arena.used());
}

// Writes the cheapest tour of all, of at most M + R numbers; returns 0 if there is none with so
// many vehicles. `matrix` [M, M] as for the problem, `work` for `vrp_exact_bytes` bytes.
VRP_API int vrp_exact(const vrp::Problem* problem, const double* matrix, int vehicles, void* work,
                      std::int32_t* tour) {
  vrp::Arena arena(work);
  return vrp::ExactRoutes(arena, problem, matrix, vehicles).find(tour) ? 1 : 0;
}

VRP_API std::int64_t vrp_annealer_bytes(const vrp::Problem* problem, int vehicles, int width) {
  vrp::Arena arena(nullptr);
  vrp::Annealer::lay_out(arena, problem, vehicles, width);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API void vrp_annealer_make(void* memory, const vrp::Problem* problem, int vehicles,
                               int width) {
  vrp::Arena arena(memory);
  vrp::Annealer::lay_out(arena, problem, vehicles, width);
}

// Seeds the random numbers and loads a tour. Returns the cost of its routes.
VRP_API std::int64_t vrp_begin(vrp::Annealer* annealer, const std::int32_t* tour,
                               std::uint64_t seed) {
  annealer->random.seed(seed);
  annealer->begin(tour);
  return annealer->solution.cost;
}

VRP_API std::int64_t vrp_anneal(vrp::Annealer* annealer, std::int64_t iterations, double seconds,
                                double warmest, double coolest) {
  return annealer->run({iterations, seconds, warmest, coolest});
}

VRP_API std::int64_t vrp_regions_bytes(const vrp::Problem* problem, int vehicles) {
  vrp::Arena arena(nullptr);
  vrp::Regions::lay_out(arena, problem, vehicles);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API void vrp_regions_make(void* memory, const vrp::Problem* problem, int vehicles) {
  vrp::Arena arena(memory);
  vrp::Regions::lay_out(arena, problem, vehicles);
}

// Loads a tour of at most R routes. Returns the cost of its routes.
VRP_API std::int64_t vrp_regions_begin(vrp::Regions* regions, const std::int32_t* tour,
                                       std::uint64_t seed) {
  regions->begin(tour, seed);
  return regions->plan.cost;
}

// Begins a slice. Returns the number of regions.
VRP_API int vrp_divide(vrp::Regions* regions, int size) { return regions->divide(size); }

// Only this may run in parallel, for different regions. Returns the number of iterations.
VRP_API std::int64_t vrp_search_region(vrp::Regions* regions, int region, double iterations,
                                       double seconds, double temperature) {
  return regions->search(region, iterations, seconds, temperature);
}

// Ends a slice. Returns the rank of the best plan.
VRP_API std::int64_t vrp_join(vrp::Regions* regions) {
  regions->join();
  return regions->plan.best_rank;
}

// Copies the best plan's tour, of at most M + R numbers.
VRP_API void vrp_regions_best(const vrp::Regions* regions, std::int32_t* tour) {
  regions->plan.write_best(tour);
}

VRP_API std::int64_t vrp_educator_bytes(const vrp::Problem* problem, int vehicles) {
  vrp::Arena arena(nullptr);
  vrp::Educator::lay_out(arena, problem, vehicles);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API void vrp_educator_make(void* memory, const vrp::Problem* problem, int vehicles) {
  vrp::Arena arena(memory);
  vrp::Educator::lay_out(arena, problem, vehicles);
}

VRP_API std::int64_t vrp_breeding_bytes(const vrp::Problem* problem, int vehicles, int width) {
  vrp::Arena arena(nullptr);
  vrp::Breeding::lay_out(arena, problem, vehicles, width);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API void vrp_breeding_make(void* memory, const vrp::Problem* problem, int vehicles, int width,
                               std::uint64_t seed) {
  vrp::Arena arena(memory);
  vrp::Breeding::lay_out(arena, problem, vehicles, width)->begin(seed);
}

VRP_API void vrp_admit(vrp::Breeding* breeding, const vrp::Annealer* annealer) {
  breeding->admit(*annealer);
}

// Returns the number of children made. `seconds` below 0 means no time limit.
VRP_API std::int64_t vrp_breed(vrp::Breeding* breeding, vrp::Educator* educator,
                               std::int64_t children, int orders, double seconds) {
  return breeding->breed(*educator, children, orders, seconds);
}

// The same with several threads: only `vrp_educate` may run in parallel.
VRP_API void vrp_expect(vrp::Breeding* breeding, std::int64_t children, int orders) {
  breeding->expect(children, orders);
}

// Starts no more children. Returns the number made.
VRP_API std::int64_t vrp_stop(vrp::Breeding* breeding) { return breeding->stop(); }

VRP_API int vrp_all_begun(const vrp::Breeding* breeding) { return breeding->all_begun(); }

VRP_API vrp::Child* vrp_next(vrp::Breeding* breeding) { return breeding->next(); }

VRP_API void vrp_educate(vrp::Educator* educator, vrp::Child* child) { educator->educate(*child); }

VRP_API void vrp_deliver(vrp::Breeding* breeding, vrp::Child* child) { breeding->deliver(*child); }

// Copies the best solution's tour; returns its rank.
VRP_API std::int64_t vrp_best(const vrp::Breeding* breeding, std::int32_t* tour) {
  vrp::copy_tour(breeding->population.best_tour, tour);
  return breeding->population.best_rank;
}

VRP_API std::int64_t vrp_tours_bytes(const vrp::KnownTour* largest) {
  return static_cast<std::int64_t>(vrp::TourImprover::bytes(*largest));
}

// Improves the tours of some instances, one after the other; `memory` as large as the largest of
// them needs.
VRP_API void vrp_tours_improve(const vrp::KnownTours* given, void* memory, std::int64_t size) {
  vrp::TourImprover improver;
  for (std::int64_t row = 0; row < given->count; ++row) {
    improver.improve(*given, row, memory, static_cast<std::size_t>(size));
  }
}

VRP_API std::int64_t vrp_order_bytes(int num_nodes, int vehicles) {
  vrp::Arena arena(nullptr);
  vrp::RouteOrder::lay_out(arena, num_nodes, vehicles);
  return static_cast<std::int64_t>(arena.used());
}

// Writes the routes of a tour like `pattern` [length]; `memory` has `vrp_order_bytes` bytes.
VRP_API void vrp_order_write(void* memory, int num_nodes, int vehicles,
                             const std::int64_t* pattern, std::int64_t length, int turn,
                             std::int32_t* tour) {
  vrp::Arena arena(memory);
  vrp::RouteOrder::lay_out(arena, num_nodes, vehicles).write(pattern, length, turn != 0, tour);
}
