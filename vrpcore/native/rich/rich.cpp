// What Python calls for instances with constraints; memory is handled as in hgs.cpp.
//
// A library of its own: in one unit with it, GCC inlines less of the plain search.
// Threads may share problem; a search belongs to one thread at a time.

#include <cstdint>

#include "../shared/api.hpp"
#include "rich_search.hpp"
#include "schedule.hpp"

VRP_API std::int64_t vrp_rich_bytes(const vrp::RichInput* input) {
  vrp::Arena arena(nullptr);
  vrp::RichProblem::lay_out(arena, *input);
  return static_cast<std::int64_t>(arena.used());
}

// The input's arrays must outlive the problem; `work` has room for N doubles.
VRP_API void vrp_rich_make(void* memory, const vrp::RichInput* input, double* work) {
  vrp::Arena arena(memory);
  vrp::RichProblem::lay_out(arena, *input)->derive(work);
}

// Lets somebody watch all searches of a problem. `seconds` below 0: they have no time limit.
VRP_API int vrp_rich_most_stops(const vrp::RichProblem* problem) { return problem->most_stops(); }

VRP_API void vrp_rich_watch(vrp::RichProblem* problem, vrp::Watch* watch, double seconds) {
  problem->watch = watch;
  watch->begin(seconds);
}

VRP_API std::int64_t vrp_rich_search_bytes(const vrp::RichProblem* problem) {
  vrp::Arena arena(nullptr);
  vrp::RichSearch::lay_out(arena, problem, false);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API void vrp_rich_search_make(void* memory, const vrp::RichProblem* problem,
                                  bool fewest_vehicles) {
  vrp::Arena arena(memory);
  vrp::RichSearch::lay_out(arena, problem, fewest_vehicles)->prepare();
}

// Forgets what was found; what follows depends only on the seed. Building plans ends after so many
// seconds, but not before `whole` seconds. `seconds` below 0 means no time limit.
VRP_API void vrp_rich_begin(vrp::RichSearch* search, std::uint64_t seed, double seconds,
                            double whole) {
  search->begin(seed, seconds, whole);
}

VRP_API void vrp_rich_construct(vrp::RichSearch* search) { search->construct(); }

// Goes on from routes (type or -1, number of stops and the stops of each) if they make a better
// plan. Returns how many of their stops stay with the vehicle and in the order given.
VRP_API std::int64_t vrp_rich_start(vrp::RichSearch* search, const std::int32_t* numbers,
                                    std::int64_t size) {
  return search->start(numbers, size);
}

// Goes on from a child of two plans, both as `vrp_rich_best` writes them.
VRP_API void vrp_rich_cross(vrp::RichSearch* search, const std::int32_t* first,
                            std::int64_t first_size, const std::int32_t* second,
                            std::int64_t second_size) {
  search->cross(first, static_cast<int>(first_size), second, static_cast<int>(second_size));
}

// The best plan of all, where few stops leave few routes. Returns 0, and does nothing, if there
// are too many.
VRP_API int vrp_rich_exact(vrp::RichSearch* search) { return search->find_exact() ? 1 : 0; }

// Returns the number of iterations. `seconds` below 0 means no time limit.
VRP_API std::int64_t vrp_rich_anneal(vrp::RichSearch* search, std::int64_t iterations,
                                     double seconds, double warmest, double coolest) {
  return search->run(iterations, seconds, {warmest, coolest});
}

// Copies the best plan (type, number of stops and the stops of each route) and what it misses
// and costs; returns how many numbers it has, at most 4 N.
VRP_API std::int64_t vrp_rich_best(const vrp::RichSearch* search, std::int32_t* numbers,
                                   std::int64_t* missing, double* cost) {
  for (int at = 0; at < search->best_size; ++at) numbers[at] = search->best_plan[at];
  *missing = search->best_value.missing;
  *cost = search->best_value.cost;
  return search->best_size;
}

#ifdef VRP_WORKING_DAY
// The times of any route, with a working day or without: see schedule.hpp. `room`: for pieces of
// departures, for each set of breaks.
VRP_API std::int64_t vrp_schedule_bytes(const std::int32_t* counts, const double* numbers,
                                        int room) {
  vrp::Arena arena(nullptr);
  vrp::Schedule::lay_out(arena, {counts, numbers}, room);
  return static_cast<std::int64_t>(arena.used());
}

// See `Schedule::find`.
VRP_API int vrp_schedule(void* memory, const std::int32_t* counts, const double* numbers, int room,
                         double* times, std::int32_t* rests) {
  vrp::Arena arena(memory);
  return vrp::Schedule::lay_out(arena, {counts, numbers}, room)->find({times, rests});
}
#endif
