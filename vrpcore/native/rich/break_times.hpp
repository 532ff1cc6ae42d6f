// When the positions of a route can be left and must be reached by a vehicle that takes breaks, or
// whose stops need setups or have several windows: for each set of breaks that it has taken.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arrivals.hpp"
#include "plan_route.hpp"

namespace vrp {

// A vehicle under way: see `Arrivals`.
struct Visitor {
  double times[kMostSets];
  int node;
};

class BreakTimes {
 public:
  explicit BreakTimes(const RichProblem* problem) : problem_(problem) {}

  // Goes on to a stop, serves it and maybe rests. False if it is too late.
  bool visit(Visitor& visitor, int type, int stop) const {
    const Step step = problem_->step_of(type, visitor.node, stop);
    visitor.node = problem_->node_of(stop);
    return go_on(visitor, type, step);
  }

  // Whether it can go on to the next position of a route, whose row of `latest` is given, and be in
  // time from there on.
  bool reaches(const Visitor& visitor, int type, int next, const double* latest) const {
    const TypeTerms& terms = problem_->terms[type];
    const double slack = problem_->in.slack;
    if (next == problem_->in.end[type]) {
      const double end = visitor.times[terms.num_sets - 1] + terms.leg(visitor.node, next);
      return end < kNever && end <= problem_->in.end_late[type] + kShareOfSlack * slack;
    }
    const Step step = problem_->step_of(type, visitor.node, next - problem_->in.num_depots);
    for (int taken = 0; taken < terms.num_sets; ++taken) {
      if (visitor.times[taken] == kNever) continue;
      const double begin = step.begin(visitor.times[taken] + step.leg, slack);
      if (begin < kNever && begin + step.time <= latest[taken]) return true;
    }
    return false;
  }

  // Fills the rows of a route, of `num_sets` numbers a position: when it can be left at the
  // earliest, and until when service there must be over. Returns the setups and services.
  double fill(const PlanRoute& route, Arc* arcs, double* leave, double* latest, int width) const {
    const int type = route.type, sets = problem_->terms[type].num_sets;
    Visitor visitor{};
    std::fill(visitor.times, visitor.times + sets, kNever);
    visitor.times[0] = route.earliest;
    take_breaks(type, visitor);
    double work = 0.0;
    for (int at = 0; at <= route.count; ++at) {
      if (at > 0) {
        const int stop = arcs[at].node - problem_->in.num_depots;
        const Step step = problem_->step_of(type, arcs[at - 1].node, stop);
        work += step.time;
        go_on(visitor, type, step);
      }
      std::copy(visitor.times, visitor.times + sets, leave + at * width);
      arcs[at].ready = visitor.times[0];
      arcs[at].due = kNever;  // limited by `latest`
    }
    fill_latest(route, arcs, latest, width);
    return work;
  }

  // What the next position of a route takes as setup, which it may save.
  double setup_after(int type, const Arc& arc) const {
    if (problem_->in.setup_rows == 0 || arc.next == problem_->in.end[type]) return 0.0;
    const int stop = arc.next - problem_->in.num_depots;
    return problem_->action(type, arc.node, stop) - problem_->service_of(type, stop);
  }

 private:
  [[gnu::always_inline]] bool go_on(Visitor& visitor, int type, const Step& step) const {
    Arrivals arrivals{visitor.times, problem_->in.slack};
    const bool in_time = vrp::visit(arrivals, problem_->terms[type].num_sets, step, false);
    take_breaks(type, visitor);
    return in_time;
  }

  [[gnu::always_inline]] void take_breaks(int type, Visitor& visitor) const {
    Arrivals arrivals{visitor.times, problem_->in.slack};
    const TypeTerms& terms = problem_->terms[type];
    if (terms.num_sets > 1) rest(*problem_, terms, nullptr, false, arrivals);
  }

  void fill_latest(const PlanRoute& route, const Arc* arcs, double* latest, int width) const {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[route.type];
    for (int at = route.count; at >= 0; --at) {
      double* own = latest + at * width;
      Deadlines deadlines{own, own + width, kShareOfSlack * in.slack};
      if (at == route.count) {
        std::fill(own, own + terms.num_sets, -kNever);
        own[terms.num_sets - 1] = in.end_late[route.type] + kShareOfSlack * in.slack -
                                  terms.leg(arcs[at].node, in.end[route.type]);
      } else {
        const int stop = arcs[at].next - in.num_depots;
        vrp::visit(deadlines, terms.num_sets, problem_->step_of(route.type, arcs[at].node, stop),
                   false);
      }
      if (terms.num_sets > 1) rest_before(*problem_, terms, deadlines);
    }
  }

  const RichProblem* problem_;
};

}  // namespace vrp
