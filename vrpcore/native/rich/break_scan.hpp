// The cheapest position for a customer or a shipment in a route that is judged by walking it.
#pragma once

#include <algorithm>

#include "scan_base.hpp"

namespace vrp {

class BreakScan : public ScanBase {
 public:
  explicit BreakScan(FleetPlan* plan) : ScanBase(plan) {}

 protected:
  // Looks at positions for a customer in a route whose times are known for sets of breaks.
  void walk_one(const PlanRoute& used, int route, int unit, int low, int high) {
    const TypeTerms& terms = problem().terms[used.type];
    const int node = problem().node_of(unit);
    const double late = problem().visit[unit].late + problem().in.slack;
    for (int at = low; at <= high; ++at) {
      const Arc& arc = plan_->arcs[used.row + at];
      if (arc.ready > late) break;
      const Detour detour = detour_by(used, terms, node, at);
      if (!may_gain(used, terms, detour, unit, at, at)) continue;
      Visitor visitor = plan_->visitor_at(used, at);
      if (!plan_->walked().visit(visitor, used.type, unit)) continue;
      if (!plan_->goes_on(visitor, used, at) || skips()) continue;
      if (problem().collects && !fits_after(used.row + at, used.type, unit)) continue;
      if (terms.lifo && !is_free(used.row + at, unit)) continue;
      const InsertionPosition insertion{detour.cost(terms), route, used.type, at, at};
      Carried carried(&problem());
      if (takes_on(used, unit, at, carried)) {
        offer_by_parts(insertion, used, unit, carried);
      } else {
        try_insertion(insertion, used, unit);
      }
    }
  }

  // Looks at pairs of positions for a shipment.
  void walk_pair(const PlanRoute& used, int route, int pickup, int low, int high) {
    const RichInput& in = problem().in;
    const TypeTerms& terms = problem().terms[used.type];
    // Setups that a position saves may pay for its legs, and make room for them.
    const bool saves = in.setup_rows > 0 && in.service_cost[used.type] != 0.0;
    room_ = terms.max_travel - used.totals.travel;
    if (in.setup_rows == 0) {
      room_ = std::min(room_, terms.longest - used.busy - service_of(used.type, pickup));
    }
    if (begin_pairs(used, saves)) {
      InsertionPosition pair = measure_pairs(used, pickup, low, high);
      if (pair.at < 0) return;
      pair.route = route;
      const double before = best.cost;
      walk_pickup(used, pair, pickup, pair.to);
      if (terms.is_known && best.cost < before) return;  // no other pair costs less
      bound_pairs(used, pickup, low, [&](int stop, int at) {
        Visitor visitor = plan_->visitor_at(used, at);
        return plan_->walked().visit(visitor, used.type, stop) && plan_->goes_on(visitor, used, at);
      });
    }
    for (int at = low; at <= high; ++at) {
      if (may_begin(at)) walk_pickup(used, {0.0, route, used.type, at, at}, pickup, used.count);
    }
  }

 private:
  // Looks at a position for a pickup, and for its delivery at those from a given one to `last`.
  void walk_pickup(const PlanRoute& used, const InsertionPosition& insertion, int pickup,
                   int last) {
    Visitor visitor = plan_->visitor_at(used, insertion.at);
    if (!plan_->walked().visit(visitor, used.type, pickup)) return;
    if (delays_ && !plan_->goes_on(visitor, used, insertion.at)) return;
    const int cell = used.row + insertion.at;
    if (skips() || (!bounded_ && !carries_after(cell, used.type, pickup))) return;
    walk_delivery(used, insertion, pickup, visitor, last);
  }

  // Goes on from a pickup's position for that of its delivery.
  void walk_delivery(const PlanRoute& used, InsertionPosition insertion, int pickup,
                     Visitor visitor, int last) {
    const RichInput& in = problem().in;
    const TypeTerms& terms = problem().terms[used.type];
    int visited = insertion.at;  // position to which the vehicle was followed
    int reached = -1;       // and to which its departures were
    bool known = false;
    Carried carried(&problem());
    for (;; ++insertion.to) {
      const bool may = may_pair(insertion.at, insertion.to) &&
                       (!terms.lifo || nests(used.row + insertion.at, used.row + insertion.to));
      const Detour detour =
          may ? detour_of(used, terms, pickup, insertion.at, insertion.to) : Detour();
      if (may && may_gain(used, terms, detour, pickup, insertion.at, insertion.to)) {
        while (visited < insertion.to) {
          const int stop = plan_->arcs[used.row + ++visited].node - in.num_depots;
          if (!plan_->walked().visit(visitor, used.type, stop)) return;
        }
        if (delivers(visitor, used, in.partner[pickup], insertion.to)) {
          if (reached < 0) {
            known = takes_on(used, pickup, insertion.at, carried);
            reached = insertion.at;
          }
          while (known && reached < insertion.to) {
            const int stop = plan_->arcs[used.row + ++reached].node - in.num_depots;
            known = plan_->parts().visit(used.type, stop, false, carried);
          }
          insertion.cost = detour.cost(terms);
          if (!known || !hand_over(insertion, used, pickup, carried)) {
            try_insertion(insertion, used, pickup);
          }
        }
      }
      const int next = insertion.to + 1;
      if (next > last || !may_end(insertion.at, next)) return;
      if (terms.lifo && !may_nest(used.row + insertion.at, used.row + next)) return;
      if (!bounded_ && !carries_after(used.row + next, used.type, pickup)) return;
    }
  }

  // Whether a unit is there when a route may start.
  bool starts_as_before(const PlanRoute& used, int unit) const {
    return earliest_of_unit(problem(), unit) <= used.earliest;
  }

  // Goes to a unit behind a position of a route. False if the parts of the route do not tell its
  // duration with the unit.
  bool takes_on(const PlanRoute& used, int unit, int at, Carried& carried) const {
    if (!used.has_parts || !starts_as_before(used, unit)) return false;
    plan_->parts().leave(used, at, plan_->arcs[used.row + at].node, carried);
    return plan_->parts().visit(used.type, unit, at == 0, carried);
  }

  // Keeps a position for a shipment that is delivered next, as below. False if there are too many
  // parts.
  bool hand_over(const InsertionPosition& insertion, const PlanRoute& used, int pickup,
                 Carried carried) {
    const int delivery = problem().in.partner[pickup];
    if (!plan_->parts().visit(used.type, delivery, false, carried)) return false;
    offer_by_parts(insertion, used, pickup, carried);
    return true;
  }

  // Keeps a position if it is the cheapest so far, by the duration of a vehicle that goes on to the
  // next position.
  void offer_by_parts(InsertionPosition insertion, const PlanRoute& used, int unit,
                      Carried& carried) {
    const TypeTerms& terms = problem().terms[used.type];
    const int next = plan_->arcs[used.row + insertion.to].next;
    const double duration = plan_->parts().duration(used, insertion.to, next, carried);
    if (duration < 0.0) return try_whole(used, insertion, unit);
    // So much less that rounding does not decide.
    const double longest = terms.max_duration - kTinyShare * problem().in.slack;
    if (duration == kNever || duration > longest) return;
    const double per_work = problem().in.service_cost[used.type];
    if (per_work != 0.0) insertion.cost += per_work * work_of(used, unit, insertion);
    if (charge(used, terms, duration, insertion.cost)) keep(used, insertion, unit);
  }

  // The setups and services that a unit adds to a route.
  double work_of(const PlanRoute& used, int unit, const InsertionPosition& insertion) const {
    const Arc& arc = plan_->arcs[used.row + insertion.at];
    const int type = used.type, delivery = problem().in.partner[unit];
    const int first = problem().node_of(unit);
    double work = problem().action(type, arc.node, unit) - action_at(type, arc.node, arc.next);
    if (delivery < 0) return work + action_at(type, first, arc.next);
    const int second = problem().node_of(delivery);
    if (insertion.at == insertion.to) {
      return work + problem().action(type, first, delivery) + action_at(type, second, arc.next);
    }
    const Arc& later = plan_->arcs[used.row + insertion.to];
    return work + action_at(type, first, arc.next) + problem().action(type, later.node, delivery) +
           action_at(type, second, later.next) - action_at(type, later.node, later.next);
  }

  // Setup and service at a stop; 0 at the end of a route.
  double action_at(int type, int from, int to) const {
    if (to == problem().in.end[type]) return 0.0;
    return problem().action(type, from, to - problem().in.num_depots);
  }

  // Whether a position may be cheaper than the best so far, and within the limits of the route. A
  // vehicle that waits has time for a detour; beyond that its duration grows.
  [[gnu::always_inline]] bool may_gain(const PlanRoute& used, const TypeTerms& terms,
                                       const Detour& detour, int unit, int at,
                                       int to) const {
    if (!may_pay(used, terms, detour)) return false;
    const RichInput& in = problem().in;
    const int type = used.type;
    double work = service_of(type, unit) -
                  plan_->walked().setup_after(type, plan_->arcs[used.row + at]);
    if (to > at) work -= plan_->walked().setup_after(type, plan_->arcs[used.row + to]);
    const double busy = used.busy + detour.travel + work;
    if (busy > terms.longest) return false;
    if (!terms.is_timed && !terms.may_save) return true;
    const double longer = std::max(busy - used.totals.duration, 0.0);
    const double duration = terms.per_duration == 0.0 ? 0.0 : terms.per_duration * longer;
    return detour.cost(terms) + duration + in.service_cost[type] * work <= best.cost;
  }

  // The services of a customer, or of both ends of a shipment.
  double service_of(int type, int unit) const {
    const int partner = problem().in.partner[unit];
    const double own = problem().service_of(type, unit);
    return partner >= 0 ? own + problem().service_of(type, partner) : own;
  }

  bool delivers(Visitor visitor, const PlanRoute& used, int delivery, int to) const {
    return plan_->walked().visit(visitor, used.type, delivery) && plan_->goes_on(visitor, used, to);
  }

  // Keeps a position if it is the cheapest so far; looks at the whole route where it must.
  void try_insertion(const InsertionPosition& insertion, const PlanRoute& used, int unit) {
    if (problem().terms[used.type].is_known && starts_as_before(used, unit)) {
      keep(used, insertion, unit);
    } else {
      try_whole(used, insertion, unit);
    }
  }
};

}  // namespace vrp
