// Moves of one or two neighbouring customers and of the tails and heads of routes.
//
// Source: Vidal 2022 (see local_search.hpp), section 3; the neighbourhoods are those of
// Prins 2004, "A simple and effective evolutionary algorithm for the vehicle routing problem".
#pragma once

#include <algorithm>
#include <cstdint>

#include "linked_routes.hpp"

namespace vrp {

class Moves : public LinkedRoutes {
 protected:
  using LinkedRoutes::LinkedRoutes;

  // Tests all moves that join a customer to a near one or to the beginning of a route.
  void test(int first, int round) {
    const std::int64_t tested = stop_[first].tested;
    stop_[first].tested = moves_;
    const std::int32_t* near =
        problem_->near + static_cast<std::int64_t>(first) * problem_->num_near;
    const int count = std::min(kGranular, problem_->num_near);
    set_first(first);
    for (int rank = 0; rank < count; ++rank) {
      const int second = near[rank];
      const std::int64_t changed = lane_[stop_[second].route].changed;
      if (std::max(changed, lane_[u_.lane].changed) <= tested) continue;
      bool moved = test_pair(second);
      const int before = stop_[second].previous;
      if (!moved && stop_[before].node == 0) moved = test_start(before);
      if (moved) {
        ++moves_;
        update(u_.lane);
        if (v_lane_ != u_.lane) update(v_lane_);
        changed_ = true;
        set_first(first);
      }
    }
    if (round == 0 || (round > 1 && lane_[u_.lane].changed <= tested)) return;
    for (int lane = 0; lane < vehicles_; ++lane) {
      if (lane_[lane].size > 0) continue;
      if (test_start(start_of(lane))) {
        ++moves_;
        update(u_.lane);
        if (v_lane_ != u_.lane) update(v_lane_);
        changed_ = true;
      }
      return;
    }
  }

  // What all moves of a customer share.
  struct First {
    int stop, lane, before, after, second;  // second: the one after `after`
    int node, before_node, after_node, second_node;
    std::int64_t demand, after_demand;
    std::int64_t in, out, second_out;   // edges: into it, out of it, out of the next
    std::int64_t leave, leave_pair;     // gains: without it, without it and the next
    const std::int32_t* from;
    const std::int32_t* into;
    const std::int32_t* after_from;
    const std::int32_t* after_into;
    const std::int32_t* before_from;
    const std::int32_t* second_into;
  };

  void set_first(int first) {
    const Problem& problem = *problem_;
    const std::int64_t width = problem.num_nodes;
    const Stop& stop = stop_[first];
    const Stop& after = stop_[stop.next];
    u_.stop = first;
    u_.lane = stop.route;
    u_.before = stop.previous;
    u_.after = stop.next;
    u_.node = stop.node;
    u_.before_node = stop_[stop.previous].node;
    u_.after_node = after.node;
    u_.demand = stop.demand;
    u_.after_demand = after.demand;
    u_.in = stop.edge;
    u_.out = after.edge;
    u_.from = problem.from + width * u_.node;
    u_.into = problem.into + width * u_.node;
    u_.before_from = problem.from + width * u_.before_node;
    u_.after_from = problem.from + width * u_.after_node;
    u_.after_into = problem.into + width * u_.after_node;
    u_.leave = u_.in + u_.out - u_.before_from[u_.after_node];
    u_.second = -1;
    if (u_.after_node == 0) return;
    const Stop& second = stop_[after.next];
    u_.second = after.next;
    u_.second_node = second.node;
    u_.second_out = second.edge;
    u_.second_into = problem.into + width * second.node;
    u_.leave_pair = u_.in + u_.second_out - u_.before_from[second.node];
  }

  enum Move { kNone, kOne, kTwo, kTurned, kSwap, kTwoForOne, kTwoForTwo, kReverse, kHeads, kTails };

  // The best move of the first customer, within its route or between two routes.
  struct Choice {
    Choice(const Moves& moves, int route)
        : routes(moves),
          mine(moves.lane_[moves.u_.lane]),
          other(moves.lane_[route]),
          same(route == moves.u_.lane),
          penalties(same ? 0 : mine.penalty + other.penalty) {}

    // gain: in length; moved: load that goes from the customer's route to the other
    void weigh(std::int64_t gain, Move kind, std::int64_t moved) {
      if (gain + penalties <= best) return;
      if (!same) {
        gain += penalties - routes.penalty(mine.load - moved) - routes.penalty(other.load + moved);
      }
      if (gain > best) {
        best = gain;
        move = kind;
      }
    }

    const Moves& routes;
    const Lane& mine;
    const Lane& other;
    const bool same;
    const std::int64_t penalties;
    std::int64_t best = 0;
    Move move = kNone;
  };

  // The best move that joins the first customer to the second one, which stays in its route.
  bool test_pair(int second) {
    const Stop& v = stop_[second];
    const Stop& q = stop_[v.previous];
    const Stop& y = stop_[v.next];
    const bool adjacent = v.next == u_.stop || v.previous == u_.stop;
    const int vn = v.node, yn = y.node, qn = q.node;
    const bool has_pair = u_.second >= 0;
    const std::int64_t vu = u_.into[vn], uv = u_.from[vn], uy = u_.from[yn];
    Choice choice(*this, v.route);
    if (v.next != u_.stop) weigh_moves(v, y, has_pair && v.previous != u_.stop, choice);
    if (!adjacent) {
      const std::int64_t pv = u_.before_from[vn], qu = u_.into[qn];
      const std::int64_t base = u_.in + v.edge + y.edge - pv - qu;
      choice.weigh(base + u_.out - u_.after_into[vn] - uy, kSwap, u_.demand - v.demand);
      if (has_pair && v.previous != u_.after) {
        const std::int64_t load = u_.demand + u_.after_demand - v.demand;
        choice.weigh(base + u_.second_out - u_.second_into[vn] - u_.after_from[yn], kTwoForOne,
                     load);
        if (yn != 0 && v.next != u_.before) {
          const Stop& yy = stop_[y.next];
          choice.weigh(u_.in + v.edge + u_.second_out + yy.edge - pv - qu -
                           u_.second_into[yn] - u_.after_from[yy.node],
                       kTwoForTwo, load - y.demand);
        }
      }
    }
    if (choice.same) {
      if (u_.after != second && v.next != u_.stop) {
        const Stop& u = stop_[u_.stop];
        if (u.position < v.position) {
          choice.weigh(u_.out + y.edge - uv - u_.after_from[yn] - v.reversal +
                           stop_[u_.after].reversal,
                       kReverse, 0);
        } else {
          choice.weigh(u_.out + y.edge - vu - u_.after_into[yn] - u.reversal + y.reversal,
                       kReverse, 0);
        }
      }
    } else {
      weigh_tails(second, choice);
    }
    if (choice.move == kNone) return false;
    apply(choice.move, second);
    return true;
  }

  // Moves the first customer, or it and the next one, between two stops.
  void weigh_moves(const Stop& v, const Stop& y, bool with_pair, Choice& choice) const {
    const std::int64_t room = y.edge - u_.into[v.node], uy = u_.from[y.node];
    choice.weigh(u_.leave + room - uy, kOne, u_.demand);
    if (!with_pair) return;
    const std::int64_t load = u_.demand + u_.after_demand;
    choice.weigh(u_.leave_pair + room - u_.after_from[y.node], kTwo, load);
    choice.weigh(u_.leave_pair + u_.out - u_.after_from[u_.node] + y.edge -
                     u_.after_into[v.node] - uy,
                 kTurned, load);
  }

  void weigh_tails(int second, Choice& choice) const {
    const Stop& u = stop_[u_.stop];
    const Stop& x = stop_[u_.after];
    const Stop& v = stop_[second];
    const Stop& y = stop_[v.next];
    const std::int64_t mine = lane_[u_.lane].load, other = lane_[v.route].load;
    const std::int64_t broken = u_.out + y.edge;
    choice.weigh(broken - u_.from[y.node] - u_.after_into[v.node], kTails,
                 mine - u.load - (other - v.load));
    const std::int64_t turned = stop_[end_of(u_.lane)].reversal - x.reversal + v.reversal;
    choice.weigh(broken - u_.from[v.node] - u_.after_from[y.node] - turned, kHeads,
                 mine - u.load - v.load);
  }

  // The best move of the first customer to the beginning of a route.
  bool test_start(int start) {
    const Stop& v = stop_[start];
    const Stop& y = stop_[v.next];
    if (lane_[v.route].size == 0 && lane_[u_.lane].size == 1) return false;
    Choice choice(*this, v.route);
    // The end of an empty route has no length before it.
    if (v.next != u_.stop) weigh_moves(v, y, u_.second >= 0, choice);
    if (!choice.same) weigh_tails(start, choice);
    if (choice.move == kNone) return false;
    apply(choice.move, start);
    return true;
  }

  void apply(Move move, int v) {
    const int u = u_.stop, p = u_.before, x = u_.after, xx = u_.second;
    const int y = stop_[v].next, q = stop_[v].previous;
    v_lane_ = stop_[v].route;
    switch (move) {
      case kNone:
        break;
      case kOne:
        link(p, x);
        link(v, u);
        link(u, y);
        break;
      case kTwo:
        link(p, xx);
        link(v, u);
        link(x, y);
        break;
      case kTurned:
        link(p, xx);
        link(v, x);
        link(x, u);
        link(u, y);
        break;
      case kSwap:
        link(p, v);
        link(v, x);
        link(q, u);
        link(u, y);
        break;
      case kTwoForOne:
        link(p, v);
        link(v, xx);
        link(q, u);
        link(x, y);
        break;
      case kTwoForTwo: {
        const int yy = stop_[y].next;
        link(p, v);
        link(y, xx);
        link(q, u);
        link(x, yy);
        break;
      }
      case kReverse: {
        const bool forward = stop_[u].position < stop_[v].position;
        reverse(forward ? x : y, forward ? v : u);
        break;
      }
      case kHeads: {
        const int first = stop_[start_of(v_lane_)].next, last = stop_[end_of(u_.lane)].previous;
        const bool with_head = stop_[v].node != 0, with_tail = stop_[x].node != 0;
        if (with_tail) reverse(x, last);  // u -> last ... x -> end
        if (with_head) reverse(first, v);  // start -> v ... first -> y
        link(u, with_head ? v : end_of(u_.lane));
        if (with_head) link(first, end_of(u_.lane));
        link(start_of(v_lane_), with_tail ? last : y);
        if (with_tail) link(x, y);
        break;
      }
      case kTails: {
        const int mine = stop_[end_of(u_.lane)].previous, other = stop_[end_of(v_lane_)].previous;
        const bool with_mine = stop_[x].node != 0, with_other = stop_[y].node != 0;
        link(u, with_other ? y : end_of(u_.lane));
        if (with_other) link(other, end_of(u_.lane));
        link(v, with_mine ? x : end_of(v_lane_));
        if (with_mine) link(mine, end_of(v_lane_));
        break;
      }
    }
  }

  bool changed_ = false;

 private:
  int v_lane_ = 0;
  First u_{};
};

}  // namespace vrp
