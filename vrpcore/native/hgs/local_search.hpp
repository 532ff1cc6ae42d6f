// Local search: leads a solution to a local optimum of moves that change few edges.
//
// Source: Vidal 2022, "Hybrid genetic search for the CVRP: Open-source implementation and
// SWAP* neighborhood", Computers & Operations Research 140.
#pragma once

#include <cstdint>
#include <new>

#include "exchanges.hpp"

namespace vrp {

class LocalSearch : public Exchanges {
 public:
  static LocalSearch* lay_out(Arena& arena, const Problem* problem, int vehicles) {
    auto* search = arena.take<LocalSearch>(1);
    LocalSearch unplaced(problem, vehicles);
    LocalSearch* made = search ? new (search) LocalSearch(problem, vehicles) : &unplaced;
    made->lay_out_routes(arena);
    made->lay_out_exchanges(arena);
    made->order_ = arena.take<std::int32_t>(static_cast<std::size_t>(problem->num_nodes));
    return search;
  }

  // Descends until no move gains. With `all`, tests everything; without, only what is near a
  // change.
  void run(Random& random, bool all) {
    const std::int64_t tested = all ? -1 : 0;
    for (int node = 1; node < problem_->num_nodes; ++node) {
      stop_[node].tested = tested;
      order_[node - 1] = node;
    }
    for (int lane = 0; lane < vehicles_; ++lane) {
      lane_[lane].swapped = tested;
      lane_order_[lane] = lane;
    }
    shuffle(random, order_, problem_->num_nodes - 1);
    shuffle(random, lane_order_, vehicles_);
    changed_ = true;
    for (int round = 0; round < 2 || changed_; ++round) {
      changed_ = false;
      for (int index = 0; index < problem_->num_nodes - 1; ++index) {
        test(order_[index], round);
      }
      // Cheap moves first.
      if (round > 0 || !changed_) exchanges();
    }
    count();
  }

 private:
  using Exchanges::Exchanges;

  std::int32_t* order_ = nullptr;  // [M] customers
};

}  // namespace vrp
