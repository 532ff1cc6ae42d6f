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
    if (problem().in.partner[unit] >= 0) return scan_exact_pairs(route, unit, low, high);
    const int first = bound_positions(used, unit, low, high);  // rules out others
    for (int turn = low - 1; turn <= high; ++turn) {
      const int at = turn < low ? first : turn;
      if (turn == first || bounds_[at].least.cost >= best.cost) continue;
      if (!skips()) try_whole(used, {0.0, route, used.type, at, at}, unit);
    }
  }

 private:
  // Fills what a stop costs at least at each position; returns where that is least.
  int bound_positions(const PlanRoute& used, int unit, int low, int high) {
    const TypeTerms& terms = problem().terms[used.type];
    const int node = problem().node_of(unit);
    const double service = problem().service_of(used.type, unit);
    int cheapest = low;
    for (int at = low; at <= high; ++at) {
      EarlyVehicle vehicle = leave(used, at);
      visit(used, unit, vehicle);
      const Detour detour = detour_by(used, terms, node, at);
      bounds_[at].least.cost = bound(used, detour, vehicle, at, service, extra_);
      if (bounds_[at].least.cost < bounds_[cheapest].least.cost) cheapest = at;
    }
    return cheapest;
  }

  // A vehicle on its way, of routes that keep such times.
  EarlyVehicle leave(const PlanRoute& used, int at) const {
    const bool by_day = problem().terms[used.type].by_day;
    return by_day ? plan_->day_bounds().leave(used, at) : EarlyVehicle{};
  }
  void visit(const PlanRoute& used, int own, EarlyVehicle& vehicle) const {
    if (problem().terms[used.type].by_day) plan_->day_bounds().visit(used.type, own, vehicle);
  }

  // What a detour costs at least, infinite if it is too long; `vehicle` goes on from it behind a
  // position.
  double bound(const PlanRoute& used, const Detour& detour, const EarlyVehicle& vehicle, int at,
               double service, double extra) const {
    const TypeTerms& terms = problem().terms[used.type];
    if (!is_short(used, terms, detour)) return kNever;
    if (!terms.by_day) return terms.may_save ? -kNever : detour.cost(terms);
    const int next = plan_->arcs[used.row + at].next;
    return detour.cost(terms) + extra +
           plan_->day_bounds().added(used, vehicle, at, next, detour.travel, service);
  }

  // The pair that costs least comes first, and rules out others.
  void scan_exact_pairs(int route, int pickup, int low, int high) {
    const PlanRoute& used = plan_->routes[route];
    InsertionPosition first{best.cost, -1, used.type, -1, -1};
    for (int at = low; at <= high; ++at) {
      bound_pairs_from(used, pickup, at, [&](int to, double least) {
        if (least < first.cost) first = {least, route, used.type, at, to};
      });
    }
    if (first.route < 0) return;
    if (!skips()) try_whole(used, first, pickup);
    for (int at = low; at <= high; ++at) {
      if (skips()) continue;
      bound_pairs_from(used, pickup, at, [&](int to, double least) {
        const bool again = at == first.at && to == first.to;
        if (least >= best.cost || again) return;
        if (problem().terms[used.type].lifo && !nests(used.row + at, used.row + to)) return;
        try_whole(used, {0.0, route, used.type, at, to}, pickup);
      });
    }
  }

  // Gives `take` each position of the delivery, and what both ends cost at least.
  template <class Take>
  void bound_pairs_from(const PlanRoute& used, int pickup, int at, const Take& take) {
    const int type = used.type, delivery = problem().in.partner[pickup];
    const TypeTerms& terms = problem().terms[type];
    const double service =
        problem().service_of(type, pickup) + problem().service_of(type, delivery);
    const double extra = extra_ + problem().vehicle_cost(type, delivery);
    EarlyVehicle vehicle = leave(used, at);
    visit(used, pickup, vehicle);
    for (int to = at; carries_after(used.row + to, type, pickup); ++to) {
      EarlyVehicle behind = vehicle;
      visit(used, delivery, behind);
      const Detour detour = detour_of(used, terms, pickup, at, to);
      take(to, bound(used, detour, behind, to, service, extra));
      // The delivery is in the same trip.
      if (to == used.count || problem().is_depot(plan_->arcs[used.row + to + 1].node)) return;
      visit(used, problem().visit_of(plan_->arcs[used.row + to + 1].node), vehicle);
    }
  }
};

}  // namespace vrp
