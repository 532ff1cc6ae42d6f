// Creates a child from its parents and improves it ("educates" it, in Vidal's words). Children
// are independent of each other: threads improve them in parallel, each with its own educator.
//
// Source: Vidal 2022 (see local_search.hpp), section 3; most children are built from their
// parents' routes (crossover.hpp).
#pragma once

#include <cstdint>
#include <new>

#include "crossover.hpp"
#include "local_search.hpp"
#include "split.hpp"

namespace vrp {

// Share of overloaded children that are repaired: improved again, with excess this much dearer.
constexpr double kRepaired = 0.5;
constexpr double kRepairRate = 10.0;

struct Child {
  enum class Making { kRandomOrder, kRoutes, kOrders };

  static Child lay_out(Arena& arena, const Problem* problem, int vehicles) {
    const auto length = static_cast<std::size_t>(problem->num_nodes + vehicles);
    Child made{};
    made.mother = arena.take<std::int32_t>(length);
    made.father = arena.take<std::int32_t>(length);
    made.tour = arena.take<std::int32_t>(length);
    made.repaired = arena.take<std::int32_t>(length);
    return made;
  }

  // Input, from the population.
  std::int32_t* mother;  // [M + R] tours of the parents
  std::int32_t* father;
  Random random;  // its own, so that no other child's draws matter
  double rate;    // price of each unit of load over the limit
  Making making;
  // Output.
  std::int32_t* tour;  // [M + R]
  std::int64_t cost;
  std::int64_t excess;
  std::int32_t* repaired;  // [M + R] within the limits
  std::int64_t repaired_cost;  // below 0 if there is none
  bool ready;  // set by the thread that admits the child
};

// The working memory of one thread. A child does not depend on those improved before it.
class Educator {
 public:
  static Educator* lay_out(Arena& arena, const Problem* problem, int vehicles) {
    auto* educator = arena.take<Educator>(1);
    Educator unplaced;
    Educator* made = educator ? new (educator) Educator : &unplaced;
    made->split_ = Split::lay_out(arena, problem, vehicles);
    made->crossover_ = Crossover::lay_out(arena, problem);
    made->search_ = LocalSearch::lay_out(arena, problem, vehicles);
    return educator;
  }

  void educate(Child& child) {
    switch (child.making) {
      case Child::Making::kRoutes:
        crossover_.cross_regions(child.random, child.mother, child.father, *search_, child.rate);
        break;
      case Child::Making::kOrders:
        crossover_.cross_orders(child.random, child.mother, child.father);
        break;
      case Child::Making::kRandomOrder:
        crossover_.shuffle_order(child.random);
        break;
    }
    const bool by_routes = child.making == Child::Making::kRoutes;
    if (!by_routes) {
      split_.cut(crossover_.order, child.rate, child.tour);
      search_->load(child.tour, child.rate);
    }
    search_->run(child.random, !by_routes);
    search_->write_tour(child.tour);
    child.cost = search_->cost;
    child.excess = search_->excess;
    child.repaired_cost = -1;
    if (child.excess > 0 && child.random.unit() < kRepaired) repair(child);
  }

 private:
  void repair(Child& child) {
    search_->load(child.tour, child.rate * kRepairRate);
    search_->run(child.random, true);
    search_->write_tour(child.repaired);
    if (search_->excess == 0) child.repaired_cost = search_->cost;
  }

  Split split_{};
  Crossover crossover_{};
  LocalSearch* search_ = nullptr;
};

}  // namespace vrp
