// Positions of which each is judged as a whole route.
#pragma once

#include <algorithm>
#include <cstdint>

#include "break_scan.hpp"

namespace vrp {

class ExactScan : public BreakScan {
 protected:
  explicit ExactScan(FleetPlan* plan) : BreakScan(plan) {}

  // Keeps a position if the whole route with it keeps all limits and is the cheapest so far.
  void try_whole(const PlanRoute& used, InsertionPosition insertion, int unit) {
    RouteTotals totals;
    const int count = fill(insertion.route, unit, insertion.at, insertion.to);
    const double dearest = best.cost + used.totals.cost;
    if (!plan_->judge().judge(used.type, stops_, count, totals, dearest)) return;
    insertion.cost = totals.cost - used.totals.cost;
    if (problem().balanced) insertion.cost += unevenness(used.type, totals, count);
    offer(insertion);
  }

  void scan_exactly(int route, int unit, int low, int high) {
    const PlanRoute& used = plan_->routes[route];
    if (problem().in.partner[unit] >= 0) {
      for (int at = low; at <= high; ++at) {
        if (!skips()) scan_exact_delivery(route, unit, at);
      }
      return;
    }
    const int first = nearest_to(used, unit, low, high);  // rules out others
    for (int turn = low - 1; turn <= high; ++turn) {
      const int at = turn < low ? first : turn;
      const TypeTerms& terms = problem().terms[used.type];
      if (turn == first || !pays(used, terms, around(used, unit, at))) continue;
      if (!skips()) try_whole(used, {0.0, route, used.type, at, at}, unit);
    }
  }

  // How much longer a route gets.
  struct Longer {
    double distance, travel;
  };

  // From a position to the first of some nodes, over legs that are known to be driven between them,
  // and from the last one on.
  static Longer around(const TypeTerms& terms, const Arc& arc, int first, int last) {
    return {terms.length(arc.node, first) + terms.length(last, arc.next) - arc.length,
            terms.leg(arc.node, first) + terms.leg(last, arc.next) - terms.leg(arc.node, arc.next)};
  }
  static Longer around(const TypeTerms& terms, const Arc& arc, int first, int last, int from,
                       int to) {
    Longer longer = around(terms, arc, first, last);
    longer.distance += terms.length(from, to);
    longer.travel += terms.leg(from, to);
    return longer;
  }

  // By a customer at a position.
  Longer around(const PlanRoute& used, int unit, int at) const {
    const int node = problem().node_of(unit);
    return around(problem().terms[used.type], plan_->arcs[used.row + at], node, node);
  }

  bool pays(const PlanRoute& used, const TypeTerms& terms, const Longer& longer) const {
    return may_pay(used, terms, longer.distance, longer.travel);
  }

 private:
  // The position of a customer whose legs cost least.
  int nearest_to(const PlanRoute& used, int unit, int low, int high) const {
    const TypeTerms& terms = problem().terms[used.type];
    double least = kNever;
    int found = low;
    for (int at = low; at <= high; ++at) {
      const Longer longer = around(used, unit, at);
      const double cost = terms.per_distance * longer.distance + terms.per_travel * longer.travel;
      if (cost >= least) continue;
      least = cost;
      found = at;
    }
    return found;
  }

  void scan_exact_delivery(int route, int pickup, int at) {
    const RichInput& in = problem().in;
    const PlanRoute& used = plan_->routes[route];
    const TypeTerms& terms = problem().terms[used.type];
    const int first = problem().node_of(pickup), last = problem().node_of(in.partner[pickup]);
    const Arc* arcs = plan_->arcs + used.row;
    for (int to = at;; ++to) {
      Longer longer;
      if (to == at) {
        longer = around(terms, arcs[at], first, last, first, last);
      } else {
        const Longer own = around(terms, arcs[at], first, first);
        longer = around(terms, arcs[to], last, last);
        longer.distance += own.distance;
        longer.travel += own.travel;
      }
      if (pays(used, terms, longer)) try_whole(used, {0.0, route, used.type, at, to}, pickup);
      // The delivery is in the same trip.
      if (to == used.count || arcs[to + 1].node < in.num_depots) return;
    }
  }

 public:
  // What a new route of the stops that were filled in adds to the price of uneven work.
  double unevenness_alone(int type, int count) const {
    RouteTotals totals;
    if (!plan_->judge().judge(type, stops_, count, totals)) return kNever;
    return unevenness(type, totals, count);
  }

 private:
  // What a changed route adds to the price of uneven work.
  double unevenness(int type, const RouteTotals& totals, int count) const {
    RouteWork work = most;
    RouteWork own;
    own.duration = totals.duration;
    own.stops = count - count_reloads(problem(), stops_, count);
    int from = problem().in.start[type];
    for (int at = 0; at <= count; ++at) {
      const int to = at < count ? problem().node_of_visit(stops_[at]) : problem().in.end[type];
      if (problem().in.balance[1] > 0.0) {
        own.distance += plan_->judge().true_length(type, from, to);
      }
      if (at < count) own.add_load(problem(), stops_[at]);
      from = to;
    }
    work.raise(own);
    return work.cost(problem()) - most.cost(problem());
  }

 public:
  RouteWork most;  // of all routes, where uneven work has a price
};

}  // namespace vrp
