// What the tests look at inside of the search with constraints. It is compiled before rich.cpp, in
// one unit, with a clock of its own.

#include <time.h>

#include <cstdint>
#include <vector>

namespace inside {

inline std::int64_t seconds = 0;

// A second goes by from one look at the clock to the next.
inline int look_at_clock(clockid_t, timespec* now) {
  *now = {++seconds, 0};
  return 0;
}

}  // namespace inside

#define clock_gettime inside::look_at_clock
#include "rich_search.hpp"

#define INSIDE extern "C" __attribute__((visibility("default")))

namespace inside {

constexpr std::size_t kRoom = 1 << 26;

// Parts of a search, laid out once more, for a plan that is empty.
struct Parts {
  explicit Parts(vrp::RichSearch* search)
      : memory(kRoom),
        plan(&search->plan),
        arena(memory.data()),
        ruin(vrp::RichRuin::lay_out(arena, plan)) {
    plan->clear();
    ruin.begin();
  }

  void serve(int stop) {
    const std::int32_t visit = stop;
    plan->put(plan->free_route(), 0, &visit, 1);
    plan->take_in(stop);
  }

  std::vector<char> memory;
  vrp::FleetPlan* plan;
  vrp::Arena arena;
  vrp::RichRuin ruin;
};

}  // namespace inside

// Two routes with a stop each, of whom the first has been missing. Returns who loses the route.
INSIDE int inside_freed(vrp::RichSearch* search, int missed, int served) {
  inside::Parts parts(search);
  vrp::Absences absences = vrp::Absences::lay_out(parts.arena, parts.plan, &parts.ruin);
  absences.begin();
  parts.serve(served);
  absences.note();
  parts.plan->clear();
  parts.serve(missed);
  parts.serve(served);
  absences.free_route();
  return parts.plan->route_of[missed] < 0 ? missed : served;
}

// Of an empty plan, how many units an iteration inserts that began with a ruin at a stop.
INSIDE int inside_inserted(vrp::RichSearch* search, int stop) {
  inside::Parts parts(search);
  vrp::RichRecreate recreate = vrp::RichRecreate::lay_out(parts.arena, parts.plan, &parts.ruin);
  recreate.prepare();
  const int before = parts.plan->num_out;
  recreate.insert_some({vrp::Order::kNarrow, stop, before, false, false, false}, search->random);
  return before - parts.plan->num_out;
}

// The cheapest assignment of `size` rows to columns, by a matrix of doubles.
INSIDE void inside_assigned(const double* cost, int size, std::int32_t* column_of) {
  vrp::Assignment<8> assignment;
  for (int row = 0; row < size; ++row) {
    std::copy(cost + row * size, cost + (row + 1) * size, assignment.cost[row]);
  }
  assignment.solve(size);
  std::copy(assignment.column_of, assignment.column_of + size, column_of);
}

// Of the plan that was found last: what each stop of a route costs at least in each other route, at
// each position, and what it does cost; the same of exchanged tails. Returns how many there are.
INSIDE int inside_bounds(vrp::RichSearch* search, double* least, double* cost, int most) {
  const vrp::FleetPlan& plan = search->plan;
  const vrp::RichProblem& problem = plan.problem();
  std::vector<std::int32_t> stops(static_cast<std::size_t>(problem.max_visits()) + 1);
  std::vector<std::int32_t> others(stops.size()), made(stops.size());
  int found = 0;
  const auto judged = [&](const vrp::PlanRoute& used, int count, double& without_times) {
    vrp::RouteTotals totals;
    if (!plan.judge().judge(used.type, made.data(), count, totals)) return vrp::kNever;
    const double whole = totals.cost;
    totals.duration = 0.0;
    without_times = plan.judge().cost_of(used.type, totals);
    return whole;
  };
  const auto untimed = [&](const vrp::PlanRoute& used) {
    vrp::RouteTotals totals = used.totals;
    totals.duration = 0.0;
    return plan.judge().cost_of(used.type, totals);
  };
  for (int row = 0; row < plan.num_in_use; ++row) {
    const vrp::PlanRoute& used = plan.routes[plan.in_use[row]];
    if (!problem.terms[used.type].by_day) continue;
    const int count = plan.read(plan.in_use[row], stops.data());
    const vrp::Arc* arcs = plan.arcs + used.row;
    for (int last = 0; last < plan.num_in_use; ++last) {
      if (row == last) continue;
      const vrp::PlanRoute& second = plan.routes[plan.in_use[last]];
      const int size = plan.read(plan.in_use[last], others.data());
      for (int from = 0; from <= count; ++from) {
        for (int to = 0; to < size && found < most; ++to) {  // a stop more
          const int unit = others[to];
          if (problem.is_reload(unit) || problem.in.partner[unit] >= 0) continue;
          std::copy(stops.begin(), stops.begin() + count, made.begin());
          std::copy_backward(made.begin() + from, made.begin() + count, made.begin() + count + 1);
          made[from] = unit;
          double without_times = 0.0;
          const double whole = judged(used, count + 1, without_times);
          if (whole == vrp::kNever) continue;
          vrp::EarlyVehicle vehicle = plan.day_bounds().leave(used, from);
          plan.day_bounds().visit(used.type, unit, vehicle);
          const int node = problem.node_of(unit);
          const vrp::TypeTerms& terms = problem.terms[used.type];
          const double longer = terms.leg(arcs[from].node, node) +
                                terms.leg(node, arcs[from].next) -
                                terms.leg(arcs[from].node, arcs[from].next);
          least[found] = without_times - untimed(used) +
                         plan.day_bounds().added(used, vehicle, from, arcs[from].next, longer,
                                                 problem.service_of(used.type, unit));
          cost[found++] = whole - used.totals.cost;
        }
        for (int to = 0; to < size && found < most && used.type == second.type; ++to) {  // tails
          if (used.reloads + second.reloads > 0 || problem.awaits) break;
          made.assign(stops.begin(), stops.end());
          std::copy(others.begin() + to, others.begin() + size, made.begin() + from);
          double without_times = 0.0, others_without = 0.0;
          double whole = judged(used, from + size - to, without_times);
          made.assign(others.begin(), others.end());
          std::copy(stops.begin() + from, stops.begin() + count, made.begin() + to);
          const int rest = to + count - from;
          if (rest == 0 || from + size - to == 0) continue;
          whole += judged(second, rest, others_without);
          if (whole == vrp::kNever) continue;
          const vrp::Arc& arc = plan.arcs[second.row + to];
          const vrp::TypeTerms& terms = problem.terms[used.type];
          const double longer =
              terms.leg(arcs[from].node, arc.next) + terms.leg(arc.node, arcs[from].next) -
              terms.leg(arcs[from].node, arcs[from].next) - terms.leg(arc.node, arc.next);
          least[found] = without_times + others_without - untimed(used) - untimed(second) +
                         plan.day_bounds().exchanged(used, from, second, to, arcs[from].next,
                                                     arc.next, longer);
          cost[found++] = whole - used.totals.cost - second.totals.cost;
        }
      }
    }
  }
  return found;
}
