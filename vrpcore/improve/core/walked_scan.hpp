// The cheapest place for a customer or a shipment in a route that is judged by walking through it.
#pragma once

#include <algorithm>

#include "scan_base.hpp"

namespace vrp {

class WalkedScan : public ScanBase {
 public:
  explicit WalkedScan(FleetPlan* plan) : ScanBase(plan) {}

 protected:
  // Looks at places for a customer in a route whose times are known for sets of breaks.
  void walk_one(const PlanRoute& used, int route, int unit, int low, int high) {
    const TypeTerms& terms = rules().terms[used.type];
    const int node = rules().node_of(unit);
    const double late = rules().visit[unit].late + rules().in.slack;
    for (int at = low; at <= high; ++at) {
      const Gap& gap = plan_->gaps[used.row + at];
      if (gap.ready > late) break;
      Detour detour{0.0, 0.0};
      add(detour, used, terms, node, at);
      if (!may_gain(used, terms, detour, unit, at, at)) continue;
      Visitor visitor = visitor_at(used, at);
      if (!plan_->walked().visit(visitor, used.type, unit)) continue;
      if (!goes_on(visitor, used, at) || skips()) continue;
      if (rules().collects && !fits_after(used.row + at, used.type, unit)) continue;
      try_spot({detour.cost(terms), route, used.type, at, at}, used, unit);
    }
  }

  // Looks at pairs of places for a shipment.
  void walk_pair(const PlanRoute& used, int route, int pickup, int low, int high) {
    const RulesInput& in = rules().in;
    const TypeTerms& terms = rules().terms[used.type];
    for (int at = low; at <= high; ++at) {
      Visitor visitor = visitor_at(used, at);
      if (terms.by_walk && !plan_->walked().visit(visitor, used.type, pickup)) continue;
      if (skips() || !carries_after(used.row + at, used.type, pickup)) continue;
      for (int to = at; to <= used.count; ++to) {
        if (to > at && !carries_after(used.row + to, used.type, pickup)) break;
        const int here = plan_->gaps[used.row + to].node - in.num_depots;
        if (terms.by_walk && to > at && !plan_->walked().visit(visitor, used.type, here)) break;
        const Detour detour = detour_of(used, terms, pickup, at, to);
        if (!may_gain(used, terms, detour, pickup, at, to)) continue;
        if (terms.by_walk && !delivers(visitor, used, in.partner[pickup], to)) continue;
        try_spot({detour.cost(terms), route, used.type, at, to}, used, pickup);
      }
    }
  }

 private:
  // How much longer a route becomes.
  struct Detour {
    double distance, travel;
    double cost(const TypeTerms& terms) const {
      return terms.per_distance * distance + terms.per_travel * travel;
    }
  };

  // Whether a place may be cheaper than the best so far, and within the limits of the route. A
  // vehicle that waits has time for a detour; beyond that its duration grows.
  bool may_gain(const PlanRoute& used, const TypeTerms& terms, const Detour& detour, int unit,
                int at, int to) const {
    if (!may_pay(used, terms, detour.distance, detour.travel)) return false;
    if (!terms.by_walk || (!terms.is_timed && !terms.may_save)) return true;
    const RulesInput& in = rules().in;
    const int type = used.type;
    double work = rules().service_of(type, unit) -
                  plan_->walked().setup_after(type, plan_->gaps[used.row + at]);
    if (in.partner[unit] >= 0) work += rules().service_of(type, in.partner[unit]);
    if (to > at) work -= plan_->walked().setup_after(type, plan_->gaps[used.row + to]);
    const double busy = used.busy + detour.travel + work;
    if (busy > terms.max_duration) return false;
    const double longer = std::max(busy - used.totals.duration, 0.0);
    const double duration = terms.per_duration == 0.0 ? 0.0 : terms.per_duration * longer;
    return detour.cost(terms) + duration + in.service_cost[type] * work <= best.cost;
  }

  // A vehicle that leaves a place of a route.
  Visitor visitor_at(const PlanRoute& used, int at) const {
    Visitor visitor{};
    const int sets = rules().terms[used.type].by_walk ? rules().terms[used.type].num_sets : 0;
    const double* leave = plan_->leave + static_cast<std::int64_t>(used.row + at) * plan_->width;
    std::copy(leave, leave + sets, visitor.times);
    visitor.node = plan_->gaps[used.row + at].node;
    return visitor;
  }

  // Whether it can go on to the place behind another one.
  bool goes_on(const Visitor& visitor, const PlanRoute& used, int at) const {
    const std::int64_t next = static_cast<std::int64_t>(used.row + at + 1) * plan_->width;
    const int node = plan_->gaps[used.row + at].next;
    return plan_->walked().reaches(visitor, used.type, node, plan_->latest + next);
  }

  bool delivers(Visitor visitor, const PlanRoute& used, int delivery, int to) const {
    return plan_->walked().visit(visitor, used.type, delivery) && goes_on(visitor, used, to);
  }

  // Keeps a place if it is the cheapest so far; looks at the whole route where it must.
  void try_spot(const Spot& spot, const PlanRoute& used, int unit) {
    const RulesInput& in = rules().in;
    const TypeTerms& terms = rules().terms[used.type];
    const int partner = in.partner[unit] >= 0 ? in.partner[unit] : unit;
    const double release = std::max(in.release[unit], in.release[partner]);
    if (terms.is_known && release <= std::max(in.start_early[used.type], used.release)) {
      offer(spot);
    } else {
      judge_spot(spot, unit);
    }
  }

  // Adds the way through a node at a place.
  void add(Detour& detour, const PlanRoute& used, const TypeTerms& terms, int node, int at) const {
    const Gap& gap = plan_->gaps[used.row + at];
    detour.distance = detour.distance + terms.length_to(node, gap.node) +
                      terms.length(node, gap.next) - gap.length;
    detour.travel = detour.travel + terms.leg_to(node, gap.node) + terms.leg(node, gap.next) -
                    plan_->places[used.row + at].leg;
  }

  Detour detour_of(const PlanRoute& used, const TypeTerms& terms, int pickup, int at,
                   int to) const {
    const int first = rules().node_of(pickup), second = rules().node_of(rules().in.partner[pickup]);
    Detour detour{0.0, 0.0};
    if (at < to) {
      add(detour, used, terms, first, at);
      add(detour, used, terms, second, to);
      return detour;
    }
    const Gap& gap = plan_->gaps[used.row + at];
    detour.distance = terms.length_to(first, gap.node) + terms.length(first, second) +
                      terms.length(second, gap.next) - gap.length;
    detour.travel = terms.leg_to(first, gap.node) + terms.leg(first, second) +
                    terms.leg(second, gap.next) - plan_->places[used.row + at].leg;
    return detour;
  }
};

}  // namespace vrp
