// Positions of which each is judged as a whole route.
#pragma once

#include <algorithm>
#include <cstdint>

#include "break_scan.hpp"

namespace vrp {

class ExactScan : public BreakScan {
 protected:
  explicit ExactScan(FleetPlan* plan) : BreakScan(plan) {}

  void scan_exactly(int route, int unit, int low, int high) {
    const PlanRoute& used = plan_->routes[route];
    const TypeTerms& terms = problem().terms[used.type];
    if (problem().in.partner[unit] >= 0) {
      for (int at = low; at <= high; ++at) {
        if (!skips()) scan_exact_delivery(route, unit, at);
      }
      return;
    }
    const int node = problem().node_of(unit);
    const int first = nearest_to(used, node, low, high);  // rules out others
    for (int turn = low - 1; turn <= high; ++turn) {
      const int at = turn < low ? first : turn;
      if (turn == first || !may_pay(used, terms, detour_by(used, terms, node, at))) continue;
      if (!skips()) try_whole(used, {0.0, route, used.type, at, at}, unit);
    }
  }

 private:
  // The position of a node whose legs cost least.
  int nearest_to(const PlanRoute& used, int node, int low, int high) const {
    const TypeTerms& terms = problem().terms[used.type];
    double least = kNever;
    int found = low;
    for (int at = low; at <= high; ++at) {
      const double cost = detour_by(used, terms, node, at).cost(terms);
      if (cost >= least) continue;
      least = cost;
      found = at;
    }
    return found;
  }

  void scan_exact_delivery(int route, int pickup, int at) {
    const PlanRoute& used = plan_->routes[route];
    const TypeTerms& terms = problem().terms[used.type];
    for (int to = at;; ++to) {
      if (may_pay(used, terms, detour_of(used, terms, pickup, at, to))) {
        try_whole(used, {0.0, route, used.type, at, to}, pickup);
      }
      // The delivery is in the same trip.
      if (to == used.count || problem().is_depot(plan_->arcs[used.row + to + 1].node)) return;
    }
  }
};

}  // namespace vrp
