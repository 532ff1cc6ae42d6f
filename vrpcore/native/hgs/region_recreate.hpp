// Recreate in a region: inserts customers one after the other next to near ones, as recreate.hpp
// does in rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "recreate.hpp"
#include "region.hpp"

namespace vrp {

class RegionRecreate {
 public:
  RegionRecreate(Region& region, double* key) : region_(region), plan_(*region.plan), key_(key) {}

  // Inserts customers and updates the cost. Lists those that fit nowhere as unserved. Returns
  // false, having inserted only some, where the iteration is lost in any case.
  bool insert(std::int32_t* customer, int count) {
    sort_for_insertion(region_.random, *plan_.problem, customer, count, key_, [this](int node) {
      return static_cast<double>(plan_.length(0, node));
    });
    const bool all_served = region_.old_num_unserved == 0;
    const bool fill_up = !all_served && region_.random.chance(kFillUp);
    for (int index = 0; index < count; ++index) {
      Position best;
      if (fill_up) best = fullest_vehicle(customer[index]);
      if (best.row < 0) best = near_position(customer[index]);
      // Many at one place have only each other as neighbours.
      const bool crowded = best.row < 0 && is_crowded(customer[index]);
      if (crowded) best = any_position(customer[index]);
      if (best.row < 0) best = empty_vehicle(customer[index]);
      if (best.row < 0 && all_served) return false;
      if (best.row < 0 && !crowded) best = any_position(customer[index]);
      if (best.row < 0) {
        region_.unserved[region_.num_unserved++] = customer[index];
      } else {
        place(customer[index], best);
      }
    }
    return true;
  }

 private:
  struct Position {
    std::int64_t cost = kFar;
    int row = -1;
    int before = 0, after = 0;
    std::int32_t into = 0, out = 0;
  };

  void place(int node, const Position& best) {
    region_.touch_route(best.row);
    region_.touch(node);
    LinkedPlan::Route& route = plan_.route[best.row];
    ++route.size;
    route.load += plan_.problem->demand[node];
    plan_.stop[node].route = best.row;
    region_.join(best.row, best.before, node, best.into);
    region_.join(best.row, node, best.after, best.out);
    region_.cost += best.cost;
  }

  // The cheapest position next to a near customer: next to one of the nearest, else to the first
  // one that has room.
  Position near_position(int node) {
    const Problem& problem = *plan_.problem;
    const std::int64_t row = static_cast<std::int64_t>(node) * problem.num_near;
    const int nearest = std::min(kNearPositions, problem.num_near);
    Position best;
    for (int rank = 0; rank < problem.num_near; ++rank) {
      if (rank >= nearest && best.row >= 0) break;
      const int other = problem.near[row + rank];
      problem.place ? beside(node, other, plan_.near_length[row + rank], best)
                    : between(node, other, best);
    }
    return best;
  }

  // Whether even the farthest near customer is at the same place.
  bool is_crowded(int node) const {
    const Problem& problem = *plan_.problem;
    if (problem.num_near == 0) return false;
    const std::int64_t last = static_cast<std::int64_t>(node + 1) * problem.num_near - 1;
    return plan_.length(node, problem.near[last]) == 0;
  }

  // The two positions next to another customer, `length` from it. If the customer on the other
  // side is nearer, it was looked at before; else the position costs at least twice `length`
  // less the leg between the two. Lengths are rounded, so by up to two more.
  void beside(int node, int other, std::int32_t length, Position& best) {
    const LinkedPlan::Stop& at = plan_.stop[other];
    if (at.region != region_.number || at.route < 0) return;
    const std::int64_t bound = 2 * static_cast<std::int64_t>(length) - 2 - best.cost;
    const bool before = at.into > bound || at.previous == 0;
    const bool behind = at.out > bound || at.next == 0;
    if ((!before && !behind) || !region_.has_room(at.route, node)) return;
    if (before) {
      const std::int32_t into = plan_.length(at.previous, node);
      offer({static_cast<std::int64_t>(into) + length - at.into, at.route, at.previous, other,
             into, length}, best);
    }
    if (behind) {
      const std::int32_t out = plan_.length(node, at.next);
      offer({static_cast<std::int64_t>(length) + out - at.out, at.route, other, at.next, length,
             out}, best);
    }
  }

  // The same where lengths are from a matrix and may be anything.
  void between(int node, int other, Position& best) {
    const LinkedPlan::Stop& at = plan_.stop[other];
    if (at.region != region_.number || at.route < 0 || !region_.has_room(at.route, node)) return;
    offer(position(node, at.route, at.previous, other, at.into), best);
    offer(position(node, at.route, other, at.next, at.out), best);
  }

  Position position(int node, int row, int before, int after, std::int32_t leg) const {
    const std::int32_t into = plan_.length(before, node), out = plan_.length(node, after);
    return {static_cast<std::int64_t>(into) + out - leg, row, before, after, into, out};
  }

  void offer(const Position& one, Position& best) {
    if (one.cost < best.cost && !region_.random.chance(kBlink)) best = one;
  }

  Position empty_vehicle(int node) {
    if (plan_.problem->demand[node] > plan_.problem->limit) return {};
    const int row = region_.take_empty();
    return row < 0 ? Position{} : position(node, row, 0, 0, 0);
  }

  // The cheapest position in the fullest vehicle that has room.
  Position fullest_vehicle(int node) const {
    int fullest = -1;
    for (int index = 0; index < region_.num_vehicles; ++index) {
      const int row = region_.vehicle[index];
      if (plan_.route[row].size == 0 || !region_.has_room(row, node)) continue;
      if (fullest < 0 || plan_.route[row].load > plan_.route[fullest].load) fullest = row;
    }
    Position best;
    if (fullest >= 0) cheapest_in(fullest, node, best);
    return best;
  }

  Position any_position(int node) const {
    Position best;
    for (int index = 0; index < region_.num_vehicles; ++index) {
      const int row = region_.vehicle[index];
      if (plan_.route[row].size > 0 && region_.has_room(row, node)) cheapest_in(row, node, best);
    }
    return best;
  }

  void cheapest_in(int row, int node, Position& best) const {
    int before = 0;
    for (int at = plan_.route[row].first; before != 0 || at != 0;) {
      const std::int32_t leg = at ? plan_.stop[at].into : plan_.stop[before].out;
      const Position one = position(node, row, before, at, leg);
      if (one.cost < best.cost) best = one;
      before = at;
      if (at == 0) return;
      at = plan_.stop[at].next;
    }
  }

  Region& region_;
  LinkedPlan& plan_;
  double* key_;  // [customers of an iteration]
};

}  // namespace vrp
