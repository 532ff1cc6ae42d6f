// When the positions of a route can be left and must be reached by a vehicle that takes breaks, or
// whose stops need setups or have several windows: for each set of breaks that it has taken.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan_route.hpp"

namespace vrp {

// A vehicle under way.
struct Visitor {
  double times[kMostSets];  // when it can leave at the earliest; infinite: not at all
  int node;
};

class BreakTimes {
 public:
  explicit BreakTimes(const RichProblem* problem) : problem_(problem) {}

  // Goes on to a stop, serves it and maybe rests. False if it is too late.
  bool visit(Visitor& visitor, int type, int stop) const {
    const TypeTerms& terms = problem_->terms[type];
    const int node = problem_->node_of(stop);
    const double leg = terms.leg(visitor.node, node);
    const double action = problem_->action(type, visitor.node, stop);
    bool late = true;
    for (int taken = 0; taken < terms.num_sets; ++taken) {
      if (visitor.times[taken] == kNever) continue;
      visitor.times[taken] = problem_->begin(stop, visitor.times[taken] + leg) + action;
      late = late && visitor.times[taken] == kNever;
    }
    visitor.node = node;
    if (terms.num_sets > 1) rest(type, visitor.times);
    return !late;
  }

  // Whether it can go on to the next position of a route, whose row of `latest` is given, and be in
  // time from there on.
  bool reaches(const Visitor& visitor, int type, int next, const double* latest) const {
    const TypeTerms& terms = problem_->terms[type];
    const double leg = terms.leg(visitor.node, next);
    if (next == problem_->in.end[type]) {
      const double end = visitor.times[terms.num_sets - 1] + leg;
      const double late = problem_->in.end_late[type] + kShareOfSlack * problem_->in.slack;
      return end < kNever && end <= late;
    }
    const int stop = next - problem_->in.num_depots;
    const double action = problem_->action(type, visitor.node, stop);
    for (int taken = 0; taken < terms.num_sets; ++taken) {
      if (visitor.times[taken] == kNever) continue;
      const double begin = problem_->begin(stop, visitor.times[taken] + leg);
      if (begin < kNever && begin + action <= latest[taken]) return true;
    }
    return false;
  }

  // Fills the rows of a route, of `num_sets` numbers a position: when it can be left at the
  // earliest, and until when service there must be over. Returns the setups and services.
  double fill(const PlanRoute& route, Arc* arcs, double* leave, double* latest, int width) const {
    const int type = route.type, sets = problem_->terms[type].num_sets;
    Visitor visitor{};
    visitor.node = arcs[0].node;
    std::fill(visitor.times, visitor.times + sets, kNever);
    visitor.times[0] = route.earliest;
    if (sets > 1) rest(type, visitor.times);
    double work = 0.0;
    for (int at = 0; at <= route.count; ++at) {
      const int stop = arcs[at].node - problem_->in.num_depots;
      if (at > 0) work += problem_->action(type, visitor.node, stop);
      if (at > 0) visit(visitor, type, stop);
      std::copy(visitor.times, visitor.times + sets, leave + at * width);
      arcs[at].ready = visitor.times[0];
      arcs[at].due = kNever;  // limited by `latest`
    }
    double* last = latest + route.count * width;
    std::fill(last, last + sets, -kNever);
    last[sets - 1] = problem_->in.end_late[type] + kShareOfSlack * problem_->in.slack -
                     problem_->terms[type].leg(arcs[route.count].node, problem_->in.end[type]);
    rest_before(type, last);
    for (int at = route.count - 1; at >= 0; --at) {
      set_latest(type, arcs[at], latest + at * width, width);
    }
    return work;
  }

  // What the next position of a route takes as setup, which it may save.
  double setup_after(int type, const Arc& arc) const {
    if (problem_->in.setup_rows == 0 || arc.next == problem_->in.end[type]) return 0.0;
    const int stop = arc.next - problem_->in.num_depots;
    return problem_->action(type, arc.node, stop) - problem_->service_of(type, stop);
  }

 private:
  // Takes breaks, if that is of use.
  void rest(int type, double* times) const {
    const TypeTerms& terms = problem_->terms[type];
    for (int taken = 0; taken + 1 < terms.num_sets; ++taken) {
      if (times[taken] == kNever) continue;
      for (int each = 0; each < terms.num_breaks; ++each) {
        const int own = terms.first_break + each, more = problem_->with_break(terms, taken, each);
        if (more < 0) continue;
        const double end =
            problem_->begin_break(own, times[taken]) + problem_->in.break_time[own];
        times[more] = std::min(times[more], end);
      }
    }
  }

  // The same backwards.
  void rest_before(int type, double* latest) const {
    const TypeTerms& terms = problem_->terms[type];
    for (int taken = terms.num_sets - 2; taken >= 0; --taken) {
      for (int each = 0; each < terms.num_breaks; ++each) {
        const int own = terms.first_break + each, more = problem_->with_break(terms, taken, each);
        if (more < 0) continue;
        const double begin = latest[more] - problem_->in.break_time[own];
        const int count = problem_->num_break_windows(own);
        const double arrival = latest_arrival(problem_->break_windows_of(own), count, begin);
        latest[taken] = std::max(latest[taken], arrival);
      }
    }
  }

  // Until when a position must be left, whose next one's row follows.
  void set_latest(int type, const Arc& arc, double* latest, int width) const {
    const TypeTerms& terms = problem_->terms[type];
    const int stop = arc.next - problem_->in.num_depots;
    const double leg = terms.leg(arc.node, arc.next);
    const double action = problem_->action(type, arc.node, stop);
    for (int taken = 0; taken < terms.num_sets; ++taken) {
      const double begin = latest[width + taken] - action;
      latest[taken] =
          latest_arrival(problem_->windows_of(stop), problem_->num_windows[stop], begin) - leg;
    }
    rest_before(type, latest);
  }

  // The latest arrival after which something begins no later than it may; -infinite: none.
  double latest_arrival(const double* windows, int count, double begin) const {
    for (int index = count - 1; index >= 0; --index) {
      if (windows[2 * index] > begin) continue;
      return std::min(begin, windows[2 * index + 1] + kShareOfSlack * problem_->in.slack);
    }
    return -kNever;
  }

  const RichProblem* problem_;
};

}  // namespace vrp
