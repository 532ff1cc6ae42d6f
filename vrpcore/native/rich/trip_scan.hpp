// Positions in routes with trips: with a reload more, or a later departure of their trip.
#pragma once

#include <algorithm>
#include <cstdint>

#include "exact_scan.hpp"

namespace vrp {

class TripScan : public ExactScan {
 protected:
  explicit TripScan(FleetPlan* plan) : ExactScan(plan) {}

  // Whether a unit cannot be in the trip of a position: it has to be in the first one.
  bool is_behind(const PlanRoute& used, int at, int unit) const {
    return at > used.first_reload && problem().in.first_trip[unit];
  }

  // The part of a route up to a position, where the trip there leaves at a time or later. In the
  // first trip, that time is compared with the latest departure of the whole route. False if some
  // stop before it is then too late.
  bool before_in_trip(const PlanRoute& used, int at, double earliest, Segment& before) const {
    const Position* positions = plan_->positions + used.row;
    before = positions[at].before;
    if (!problem().in.trips) return true;
    const InTrip& own = plan_->in_trip[used.row + at];
    if (own.first == 0 || earliest == own.earliest) return true;
    const double slack = problem().in.slack;
    const int first = own.first, depot = plan_->arcs[used.row + first].node;
    const Segment reload = reload_at(problem(), problem().visit_of(depot), earliest);
    if (reload.early > reload.late + slack) return false;
    const Position& last = positions[first - 1];
    if (!join(last.before, last.leg, reload, slack, before)) return false;
    return at == first || join(before, positions[first].leg, own.inside, slack, before);
  }

  // When a route may leave that gets a unit at a position, and when the trip there may.
  double earliest_with(const PlanRoute& used, int at, int unit) const {
    const bool first = used.reloads == 0 || at <= used.first_reload;
    return first ? std::max(used.earliest, earliest_of_unit(problem(), unit)) : used.earliest;
  }
  double trip_earliest_with(const PlanRoute& used, int at, int unit) const {
    if (!problem().in.trips) return -kNever;  // of no use
    return std::max(plan_->in_trip[used.row + at].earliest, earliest_of_unit(problem(), unit));
  }

  // Positions with a reload more, before the unit or behind it.
  void scan_reloads(int route, int unit, int low, int high) {
    const RichInput& in = problem().in;
    const PlanRoute& used = plan_->routes[route];
    const TypeTerms& terms = problem().terms[used.type];
    if (used.reloads + 1 > in.max_reloads[used.type]) return;
    const int delivery = in.partner[unit];
    const int first = problem().node_of(unit);
    const int last = delivery >= 0 ? problem().node_of(delivery) : first;
    const Arc* arcs = plan_->arcs + used.row;
    const bool whole = terms.exact || delivery >= 0 || in.num_relations > 0 ||
                       problem().carries || problem().rides;
    for (int depot = 0; depot < in.num_depots; ++depot) {
      if (!problem().is_allowed(used.type, in.num_stops + depot)) continue;
      const Detour to_unit{terms.length(depot, first), terms.leg(depot, first)};
      const Detour from_unit{terms.length(last, depot), terms.leg(last, depot)};
      for (int at = low; at <= high; ++at) {
        // Next to another reload or to an end of the route, none is needed.
        const bool opens = at == 0 || arcs[at].node < in.num_depots;
        const bool ends = at == used.count || arcs[at].next < in.num_depots;
        for (const bool behind : {false, true}) {
          if (behind ? ends : opens) continue;
          const int begins = behind ? first : depot, stops = behind ? depot : last;
          const Detour& between = behind ? from_unit : to_unit;
          const double distance = between.distance + terms.length_to(begins, arcs[at].node) +
                                  terms.length(stops, arcs[at].next) - arcs[at].length;
          const bool dear = terms.per_distance * distance + extra_ >= best.cost;
          if (dear && !terms.may_save) continue;
          const Detour detour = detour_by(used, terms, begins, stops, at) + between;
          if (!may_pay(used, terms, detour) || skips()) continue;
          const InsertionPosition insertion{detour.cost(terms) + extra_, route, used.type, at,
                                            with_reload(depot, behind)};
          if (whole) {
            try_whole(used, insertion, unit);
          } else {
            try_reload(used, insertion, {unit, depot, behind});
          }
        }
      }
    }
  }

 private:
  struct NewTrip {
    int unit, depot;
    bool behind;  // the reload comes behind the unit
  };

  // Keeps a customer's position with a reload more, in routes that only deliver.
  void try_reload(const PlanRoute& used, InsertionPosition insertion, const NewTrip& trip) {
    const RichInput& in = problem().in;
    const TypeTerms& terms = problem().terms[used.type];
    const int at = insertion.at, cell = used.row + at, unit = trip.unit;
    if (!fits_into(used, at, trip)) return;
    const InTrip& own = plan_->in_trip[cell];
    const double earliest = earliest_of_unit(problem(), unit);
    const double before = trip.behind ? std::max(own.before, earliest) : own.before;
    const double behind = trip.behind ? own.behind : std::max(own.behind, earliest);
    const Segment visit = problem().visit[unit];
    const Segment reload = reload_at(problem(), in.num_stops + trip.depot, behind);
    const int node = problem().node_of(unit), from = plan_->arcs[cell].node;
    const int to = plan_->arcs[cell].next;
    Segment all;
    if (!before_in_trip(used, at, before, all)) return;
    if (trip.behind) {
      if (!join(all, terms.leg(from, node), visit, in.slack, all)) return;
      if (!join(all, terms.leg(node, trip.depot), reload, in.slack, all)) return;
    } else {
      if (!join(all, terms.leg(from, trip.depot), reload, in.slack, all)) return;
      if (!join(all, terms.leg(trip.depot, node), visit, in.slack, all)) return;
    }
    const double leg = trip.behind ? terms.leg(trip.depot, to) : terms.leg(node, to);
    if (!join(all, leg, plan_->positions[cell + 1].after, in.slack, all)) return;
    const double departs = own.first == 0 ? before : used.earliest;
    if (departs > all.late + in.slack || reload.early > reload.late + in.slack) return;
    if (terms.is_timed && !charge(used, terms, all.duration, insertion.cost)) return;
    offer(insertion);
  }

  // Whether both trips are light enough.
  bool fits_into(const PlanRoute& used, int at, const NewTrip& trip) const {
    const RichInput& in = problem().in;
    const double* capacity = problem().amounts(in.capacity, used.type);
    const double* delivery = problem().amounts(in.delivery, trip.unit);
    const double* here = cells(plan_->load, used.row + at);
    const double* first = cells(plan_->load, used.row + plan_->in_trip[used.row + at].first);
    for (int each = 0; each < in.dimensions; ++each) {
      const double load = trip.behind ? first[each] - here[each] : here[each];
      if (load + delivery[each] > capacity[each]) return false;
    }
    return true;
  }
};

}  // namespace vrp
