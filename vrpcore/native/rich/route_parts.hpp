// The least duration of a route that is judged by walking: all departures are followed at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "time_parts.hpp"

namespace vrp {

class RouteParts {
 public:
  explicit RouteParts(const RichProblem* problem) : problem_(problem), times_(problem->in.slack) {}

  // The least duration of a route that leaves at a time or later, infinite if it is always late;
  // negative if there are too many parts to know. For types with few breaks, which have no limits
  // on what is on board.
  double least(int type, const std::int32_t* stops, int count, double earliest) const {
    Parts sets[kMostSets];
    if (!begin(type, earliest, sets)) return -1.0;
    int from = problem_->in.start[type];
    for (int at = 0; at < count; ++at) {
      if (!visit(type, from, stops[at], at == 0, sets)) return -1.0;
      from = problem_->node_of(stops[at]);
    }
    return finish(type, from, sets);
  }

  // The parts of a vehicle at its start, by sets of breaks that it has taken, which are empty
  // before. False, as below: there are too many.
  bool begin(int type, double earliest, Parts* sets) const {
    const double end = problem_->in.end_late[type] + problem_->in.slack;
    const double latest = std::max(earliest, std::min(end, problem_->in.latest_start[type]));
    sets[0].list[sets[0].count++] = {earliest, latest, 0.0};
    return rest(problem_->terms[type], sets, problem_->is_open(type));
  }

  // Goes on to a stop, serves it and maybe rests. `first`: nothing was served before; where a
  // route begins with its first stop, no vehicle waits there.
  bool visit(int type, int from, int stop, bool first, Parts* sets) const {
    const TypeTerms& terms = problem_->terms[type];
    return pass(terms, visit_of(type, from, stop, false), first && problem_->is_open(type), sets) &&
           rest(terms, sets, false);
  }

  // The least duration with the leg to the end.
  double finish(int type, int from, const Parts* sets) const {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[type];
    const double hours[2] = {in.end_early[type], in.end_late[type]};
    Parts ends;
    const Doing end{hours, 1, terms.leg(from, in.end[type]), 0.0, false};
    if (!times_.go_on(sets[terms.num_sets - 1], end, false, ends)) return -1.0;
    double shortest = kNever;
    for (int index = 0; index < ends.count; ++index) {
      shortest = std::min(shortest, ends.list[index].elapsed);
    }
    return shortest;
  }

  // The parts behind the last stop, with time running backwards from the end.
  bool begin_back(int type, int last, Parts* sets) const {
    const RichInput& in = problem_->in;
    const TypeTerms& terms = problem_->terms[type];
    const double first = -(in.end_late[type] + kShareOfSlack * in.slack);
    const double soonest = std::max(in.end_early[type], in.start_early[type]);
    Parts& all = sets[terms.num_sets - 1];
    all.list[all.count++] = {first, std::max(first, -soonest), terms.leg(last, in.end[type])};
    return rest_back(terms, sets);
  }

  // Goes back from behind a stop to behind the position before it.
  bool visit_back(int type, int from, int stop, Parts* sets) const {
    const TypeTerms& terms = problem_->terms[type];
    return pass(terms, visit_of(type, from, stop, true), false, sets) && rest_back(terms, sets);
  }

  // Goes on to a stop and serves it, with one set of breaks.
  bool reach(int type, int from, int stop, const Parts& parts, Parts& after) const {
    return times_.go_on(parts, visit_of(type, from, stop, false), false, after);
  }

 private:
  Doing visit_of(int type, int from, int stop, bool back) const {
    const double leg = problem_->terms[type].leg(from, problem_->node_of(stop));
    const double action = problem_->action(type, from, stop);
    return {problem_->windows_of(stop), problem_->num_windows[stop], back ? action : leg,
            back ? leg : action, back};
  }

  Doing rest_of(int own, bool back) const {
    const double time = problem_->in.break_time[own];
    return {problem_->break_windows_of(own), problem_->num_break_windows(own), back ? time : 0.0,
            back ? 0.0 : time, back};
  }

  // Does the same with all sets of breaks. `exact`: no vehicle waits that has taken none.
  bool pass(const TypeTerms& terms, const Doing& doing, bool exact, Parts* sets) const {
    for (int taken = 0; taken < terms.num_sets; ++taken) {
      if (sets[taken].count == 0) continue;
      Parts after;
      if (!times_.go_on(sets[taken], doing, exact && taken == 0, after)) return false;
      sets[taken] = after;
    }
    return true;
  }

  // Takes breaks, if that is of use.
  bool rest(const TypeTerms& terms, Parts* sets, bool exact) const {
    for (int taken = 0; taken + 1 < terms.num_sets; ++taken) {
      for (int each = 0; each < terms.num_breaks && sets[taken].count > 0; ++each) {
        const int own = terms.first_break + each, more = problem_->with_break(terms, taken, each);
        if (more < 0) continue;
        Parts& after = sets[more];
        if (!times_.go_on(sets[taken], rest_of(own, false), exact && taken == 0, after)) {
          return false;
        }
      }
    }
    return true;
  }

  // The same backwards.
  bool rest_back(const TypeTerms& terms, Parts* sets) const {
    for (int taken = terms.num_sets - 2; taken >= 0; --taken) {
      if (!problem_->is_possible(terms, taken)) continue;
      for (int each = 0; each < terms.num_breaks; ++each) {
        const int own = terms.first_break + each, more = problem_->with_break(terms, taken, each);
        if (more < 0) continue;
        if (!times_.go_on(sets[more], rest_of(own, true), false, sets[taken])) return false;
      }
    }
    return true;
  }

  const RichProblem* problem_;
  TimeParts times_;
};

}  // namespace vrp
