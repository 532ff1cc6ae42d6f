// SWAP*: customers of two routes change places, each going where it costs least.
//
// Source: Vidal 2022 (see local_search.hpp), section 4. Routes are tried with each other where
// a customer of one is among the nearest of a customer of the other, so that an instance needs
// no positions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "moves.hpp"

namespace vrp {

class Exchanges : public Moves {
 protected:
  using Moves::Moves;

  void lay_out_exchanges(Arena& arena) {
    const auto nodes = static_cast<std::size_t>(problem_->num_nodes);
    const auto lanes = static_cast<std::size_t>(vehicles_);
    lane_order_ = arena.take<std::int32_t>(lanes);
    mark_ = arena.take<std::int32_t>(lanes);
    leave_ = arena.take<std::int64_t>(nodes);
    spot_ = arena.take<Spots>(nodes);
    for (int lane = 0; mark_ && lane < vehicles_; ++lane) {
      lane_order_[lane] = lane;
      mark_[lane] = -1;
    }
  }

  void exchanges() {
    const Problem& problem = *problem_;
    for (int index = 0; index < vehicles_; ++index) {
      const int lane = lane_order_[index];
      if (lane_[lane].size == 0) continue;
      const std::int64_t swapped = lane_[lane].swapped;
      lane_[lane].swapped = moves_;
      mark_[lane] = lane;
      int count = 0;
      for (int at = stop_[start_of(lane)].next; stop_[at].node != 0; at = stop_[at].next) {
        const std::int32_t* near =
            problem.near + static_cast<std::int64_t>(at) * problem.num_near;
        for (int rank = 0; rank < kSwapNear && rank < problem.num_near; ++rank) {
          const int other = stop_[near[rank]].route;
          if (mark_[other] == lane) continue;
          mark_[other] = lane;
          if (other > lane) continue;
          neighbour_[count++] = other;
          if (count == kSwapRoutes) break;
        }
        if (count == kSwapRoutes) break;
      }
      for (int which = 0; which < count; ++which) {
        const int other = neighbour_[which];
        if (lane_[other].size == 0) continue;
        if (std::max(lane_[lane].changed, lane_[other].changed) > swapped) exchange(lane, other);
      }
      mark_[lane] = -1;
    }
    for (int lane = 0; lane < vehicles_; ++lane) mark_[lane] = -1;
  }

  void exchange(int first, int second) {
    const Lane& one = lane_[first];
    const Lane& two = lane_[second];
    find_spots(first, second);
    find_spots(second, first);
    std::int64_t best = 0;
    int best_u = 0, best_v = 0, behind_v = 0, behind_u = 0;
    const int end_u = end_of(first), end_v = end_of(second);
    for (int u = stop_[start_of(first)].next; u != end_u; u = stop_[u].next) {
      const std::int64_t demand = stop_[u].demand;
      // A customer may also go without another coming back.
      const std::int64_t gone = one.penalty - penalty(one.load - demand) + two.penalty -
                                penalty(two.load + demand) + leave_[u] - spot_[u].cost[0];
      if (gone > best) {
        best = gone;
        best_u = u;
        best_v = 0;
        behind_v = spot_[u].behind[0];
      }
      for (int v = stop_[start_of(second)].next; v != end_v; v = stop_[v].next) {
        const std::int64_t less = demand - stop_[v].demand;
        const std::int64_t most = one.penalty - penalty(one.load - less) + two.penalty -
                                  penalty(two.load + less) + leave_[u] + leave_[v];
        if (most <= best) continue;
        int at_u = 0, at_v = 0;
        const std::int64_t gain = most - cheapest(u, v, at_u) - cheapest(v, u, at_v);
        if (gain > best) {
          best = gain;
          best_u = u;
          best_v = v;
          behind_v = at_u;
          behind_u = at_v;
        }
      }
    }
    for (int v = stop_[start_of(second)].next; v != end_v; v = stop_[v].next) {
      const std::int64_t demand = stop_[v].demand;
      const std::int64_t gone = two.penalty - penalty(two.load - demand) + one.penalty -
                                penalty(one.load + demand) + leave_[v] - spot_[v].cost[0];
      if (gone > best) {
        best = gone;
        best_u = 0;
        best_v = v;
        behind_u = spot_[v].behind[0];
      }
    }
    if (best == 0) return;
    // Where a customer goes into the other's place, it goes behind the one before it.
    const int before_u = best_u ? stop_[best_u].previous : 0;
    const int before_v = best_v ? stop_[best_v].previous : 0;
    if (best_u) link(before_u, stop_[best_u].next);
    if (best_v) link(before_v, stop_[best_v].next);
    if (best_u) insert(best_u, behind_v);
    if (best_v) insert(best_v, behind_u);
    ++moves_;
    update(first);
    update(second);
    changed_ = true;
  }

  std::int32_t* lane_order_ = nullptr;  // [R]

 private:
  // The three cheapest places for a customer in one route: behind which stop.
  struct Spots {
    std::int64_t cost[3];
    std::int32_t behind[3];

    void add(std::int64_t new_cost, std::int32_t stop) {
      if (new_cost >= cost[2]) return;
      int at = 2;
      for (; at > 0 && new_cost < cost[at - 1]; --at) {
        cost[at] = cost[at - 1];
        behind[at] = behind[at - 1];
      }
      cost[at] = new_cost;
      behind[at] = stop;
    }
  };

  // For each customer of a route: the gain of its leaving, and its places in another route.
  void find_spots(int lane, int other) {
    const Problem& problem = *problem_;
    const std::int64_t width = problem.num_nodes;
    const int end = end_of(lane), other_end = end_of(other);
    for (int u = stop_[start_of(lane)].next; u != end; u = stop_[u].next) {
      const Stop& stop = stop_[u];
      leave_[u] = static_cast<std::int64_t>(stop.edge) + stop_[stop.next].edge -
                  problem.from[width * stop_[stop.previous].node + stop_[stop.next].node];
      Spots& spots = spot_[u];
      spots.cost[0] = spots.cost[1] = spots.cost[2] = kNever;
      spots.behind[0] = spots.behind[1] = spots.behind[2] = -1;
      const std::int32_t* into = problem.into + width * u;
      const std::int32_t* from = problem.from + width * u;
      std::int64_t before = into[0];
      int behind = start_of(other);
      while (behind != other_end) {
        const int next = stop_[behind].next;
        const Stop& after = stop_[next];
        spots.add(before + from[after.node] - after.edge, behind);
        before = into[after.node];
        behind = next;
      }
    }
  }

  // Of putting u into the route of v after v has left it, and behind whom.
  std::int64_t cheapest(int u, int v, int& behind) const {
    const Problem& problem = *problem_;
    const std::int64_t width = problem.num_nodes;
    const int before = stop_[v].previous;
    const int before_node = stop_[before].node, after_node = stop_[stop_[v].next].node;
    std::int64_t best = static_cast<std::int64_t>(problem.into[width * u + before_node]) +
                        problem.from[width * u + after_node] -
                        problem.from[width * before_node + after_node];
    behind = before;
    const Spots& spots = spot_[u];
    for (int rank = 0; rank < 3; ++rank) {
      if (spots.behind[rank] == before || spots.behind[rank] == v) continue;
      if (spots.cost[rank] < best) {
        best = spots.cost[rank];
        behind = spots.behind[rank];
      }
      break;
    }
    return best;
  }

  static constexpr int kSwapNear = 10;
  static constexpr int kSwapRoutes = 32;

  std::int32_t* mark_ = nullptr;   // [R]
  std::int64_t* leave_ = nullptr;  // [M]
  Spots* spot_ = nullptr;          // [M]
  std::int32_t neighbour_[kSwapRoutes];
};

}  // namespace vrp
