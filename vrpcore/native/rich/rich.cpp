// What Python calls for instances with constraints; memory is handled as in hgs.cpp.
//
// A library of its own: in one unit with it, GCC inlines less of the plain search.
// Threads may share rules; a search belongs to one thread at a time.

#include <cstdint>

#include "../shared/api.hpp"
#include "rule_search.hpp"

VRP_API std::int64_t vrp_rules_bytes(const vrp::RulesInput* input) {
  vrp::Arena arena(nullptr);
  vrp::RuleSet::lay_out(arena, *input);
  return static_cast<std::int64_t>(arena.used());
}

// The input's arrays must outlive the rules; `work` has room for N doubles.
VRP_API void vrp_rules_make(void* memory, const vrp::RulesInput* input, double* work) {
  vrp::Arena arena(memory);
  vrp::RuleSet::lay_out(arena, *input)->derive(work);
}

VRP_API std::int64_t vrp_rule_search_bytes(const vrp::RuleSet* rules) {
  vrp::Arena arena(nullptr);
  vrp::RuleSearch::lay_out(arena, rules, false);
  return static_cast<std::int64_t>(arena.used());
}

VRP_API void vrp_rule_search_make(void* memory, const vrp::RuleSet* rules,
                                  bool fewest_vehicles) {
  vrp::Arena arena(memory);
  vrp::RuleSearch::lay_out(arena, rules, fewest_vehicles)->prepare();
}

// Forgets what was found; what follows depends on the seed alone.
VRP_API void vrp_rule_begin(vrp::RuleSearch* search, std::uint64_t seed) { search->begin(seed); }

// `seconds` below 0 means no time limit.
VRP_API void vrp_rule_construct(vrp::RuleSearch* search, double seconds) {
  search->construct(seconds);
}

// Goes on from routes (type or -1, number of stops and the stops of each) if they make a better
// plan. Returns how many of their stops stay with the vehicle and in the order given.
VRP_API std::int64_t vrp_rule_start(vrp::RuleSearch* search, const std::int32_t* numbers,
                                    std::int64_t size) {
  return search->start(numbers, size);
}

// Goes on from a child of two plans, both as `vrp_rule_best` writes them.
VRP_API void vrp_rule_cross(vrp::RuleSearch* search, const std::int32_t* first,
                            std::int64_t first_size, const std::int32_t* second,
                            std::int64_t second_size) {
  search->cross(first, static_cast<int>(first_size), second, static_cast<int>(second_size));
}

// The best plan of all, where few stops leave few routes. Returns 0, and does nothing, if there
// are too many.
VRP_API int vrp_rule_exact(vrp::RuleSearch* search) { return search->find_exact() ? 1 : 0; }

// Returns the number of iterations. `seconds` below 0 means no time limit.
VRP_API std::int64_t vrp_rule_anneal(vrp::RuleSearch* search, std::int64_t iterations,
                                     double seconds, double warmest, double coolest) {
  return search->run(iterations, seconds, {warmest, coolest});
}

// Copies the best plan (type, number of stops and the stops of each route) and what it misses
// and costs; returns how many numbers it has, at most 3 N.
VRP_API std::int64_t vrp_rule_best(const vrp::RuleSearch* search, std::int32_t* numbers,
                                   std::int64_t* missing, double* cost) {
  for (int at = 0; at < search->best_size; ++at) numbers[at] = search->best_plan[at];
  *missing = search->best_value.missing;
  *cost = search->best_value.cost;
  return search->best_size;
}
