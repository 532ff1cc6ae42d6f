// SWAP*: customers of two routes change places, each going where it costs least.
//
// Source: Vidal 2022 (see local_search.hpp), section 4. Two routes are paired if a customer of
// one is among the nearest of a customer of the other, so that an instance needs no
// coordinates.
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
    one_ = lay_out_flat(arena, nodes + 1);
    two_ = lay_out_flat(arena, nodes + 1);
    for (int lane = 0; mark_ && lane < vehicles_; ++lane) mark_[lane] = -1;
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
    lay_flat(first, one_);
    lay_flat(second, two_);
    find_spots(one_, two_);
    find_spots(two_, one_);
    const std::int64_t load_one = lane_[first].load, load_two = lane_[second].load;
    const std::int64_t penalties = lane_[first].penalty + lane_[second].penalty;
    // Price of the excess after load has moved from the first route to the second.
    const auto after = [&](std::int64_t moved) {
      return penalty(load_one - moved) + penalty(load_two + moved);
    };
    std::int64_t best = 0;
    int best_u = 0, best_v = 0, at_two = 0, at_one = 0;
    for (int u = 1; u <= one_.size; ++u) {
      // A customer may also move without an exchange.
      const std::int64_t gone = one_.leave[u] - (one_.spot[u].key[0] >> kPositionBits) + penalties;
      if (gone > best && gone - after(one_.demand[u]) > best) {
        best = gone - after(one_.demand[u]);
        best_u = u;
        best_v = 0;
        at_two = static_cast<int>(one_.spot[u].key[0] & kPositionMask);
      }
      const std::int64_t base = one_.leave[u] + penalties;
      for (int v = 1; v <= two_.size; ++v) {
        std::int64_t gain = base + two_.leave[v];
        if (gain <= best) continue;
        gain -= after(one_.demand[u] - two_.demand[v]);
        if (gain <= best) continue;
        int new_two = 0, new_one = 0;
        gain -= cheapest(one_, u, two_, v, new_two);
        if (gain <= best) continue;
        gain -= cheapest(two_, v, one_, u, new_one);
        if (gain <= best) continue;
        best = gain;
        best_u = u;
        best_v = v;
        at_two = new_two;
        at_one = new_one;
      }
    }
    for (int v = 1; v <= two_.size; ++v) {
      const std::int64_t gone = two_.leave[v] - (two_.spot[v].key[0] >> kPositionBits) + penalties;
      if (gone <= best || gone - after(-two_.demand[v]) <= best) continue;
      best = gone - after(-two_.demand[v]);
      best_u = 0;
      best_v = v;
      at_one = static_cast<int>(two_.spot[v].key[0] & kPositionMask);
    }
    if (best == 0) return;
    if (best_u) link(one_.stop[best_u - 1], one_.stop[best_u + 1]);
    if (best_v) link(two_.stop[best_v - 1], two_.stop[best_v + 1]);
    if (best_u) insert(one_.stop[best_u], two_.stop[at_two]);
    if (best_v) insert(two_.stop[best_v], one_.stop[at_one]);
    ++moves_;
    update(first);
    update(second);
    changed_ = true;
  }

  std::int32_t* lane_order_ = nullptr;  // [R]

 private:
  // A cost and a position in one number, so that the smallest number is the cheapest position.
  static constexpr int kPositionBits = 20;
  static constexpr std::int64_t kPositionMask = (std::int64_t{1} << kPositionBits) - 1;

  // The three cheapest positions for a customer in the other route, each after a given position.
  struct Spots {
    std::int64_t key[3];

    void add(std::int64_t key_of_position) {
      const std::int64_t second = std::max(key[0], key_of_position);
      key[0] = std::min(key[0], key_of_position);
      const std::int64_t third = std::max(key[1], second);
      key[1] = std::min(key[1], second);
      key[2] = std::min(key[2], third);
    }
  };

  // A route as arrays, its two ends included.
  struct Flat {
    int size;
    std::int32_t* stop;    // [M + 1]
    std::int32_t* node;    // [M + 1]
    std::int32_t* edge;    // [M + 1] length into each stop
    std::int64_t* demand;  // [M + 1]
    std::int64_t* leave;   // [M + 1] gain if the customer leaves
    Spots* spot;           // [M + 1]
  };

  static Flat lay_out_flat(Arena& arena, std::size_t positions) {
    Flat made{};
    made.stop = arena.take<std::int32_t>(positions);
    made.node = arena.take<std::int32_t>(positions);
    made.edge = arena.take<std::int32_t>(positions);
    made.demand = arena.take<std::int64_t>(positions);
    made.leave = arena.take<std::int64_t>(positions);
    made.spot = arena.take<Spots>(positions);
    return made;
  }

  void lay_flat(int lane, Flat& flat) const {
    const Problem& problem = *problem_;
    const std::int64_t width = problem.num_nodes;
    flat.size = lane_[lane].size;
    int at = start_of(lane);
    for (int position = 0; position <= flat.size + 1; ++position) {
      const Stop& stop = stop_[at];
      flat.stop[position] = at;
      flat.node[position] = stop.node;
      flat.edge[position] = stop.edge;
      flat.demand[position] = stop.demand;
      at = stop.next;
    }
    for (int position = 1; position <= flat.size; ++position) {
      flat.leave[position] = static_cast<std::int64_t>(flat.edge[position]) +
                             flat.edge[position + 1] -
                             problem.from[width * flat.node[position - 1] +
                                          flat.node[position + 1]];
    }
  }

  void find_spots(const Flat& route, const Flat& other) const {
    const Problem& problem = *problem_;
    const std::int64_t width = problem.num_nodes;
    for (int u = 1; u <= route.size; ++u) {
      const std::int32_t* into = problem.into + width * route.node[u];
      const std::int32_t* from = problem.from + width * route.node[u];
      Spots spots{{kNever, kNever, kNever}};
      std::int64_t before = into[0];
      for (int position = 0; position <= other.size; ++position) {
        const std::int32_t node = other.node[position + 1];
        const std::int64_t added = before + from[node] - other.edge[position + 1];
        before = into[node];
        spots.add(added * (kPositionMask + 1) + position);
      }
      route.spot[u] = spots;
    }
  }

  // Cost of putting u into the other route after v has left it, and the position before it.
  std::int64_t cheapest(const Flat& route, int u, const Flat& other, int v, int& behind) const {
    const Problem& problem = *problem_;
    const std::int64_t row = static_cast<std::int64_t>(problem.num_nodes) * route.node[u];
    const std::int64_t best = static_cast<std::int64_t>(problem.into[row + other.node[v - 1]]) +
                              problem.from[row + other.node[v + 1]] -
                              (static_cast<std::int64_t>(other.edge[v]) + other.edge[v + 1] -
                               other.leave[v]);
    behind = v - 1;
    for (const std::int64_t key : route.spot[u].key) {
      const int position = static_cast<int>(key & kPositionMask);
      if (key == kNever) break;
      if (position == v - 1 || position == v) continue;
      if ((key >> kPositionBits) >= best) break;
      behind = position;
      return key >> kPositionBits;
    }
    return best;
  }

  static constexpr int kSwapNear = 5;
  static constexpr int kSwapRoutes = 32;

  std::int32_t* mark_ = nullptr;  // [R]
  Flat one_{};
  Flat two_{};
  std::int32_t neighbour_[kSwapRoutes];
};

}  // namespace vrp
