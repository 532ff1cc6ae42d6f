// The least duration of a route that is judged by walking: all departures are followed at once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rules.hpp"

namespace vrp {

constexpr int kMostParts = 12;  // for each set of breaks; beyond, departures are tried one by one

// Of the slack of times: what rounding may make of equal times.
constexpr double kTinyShare = 1e-3;

class RouteParts {
 public:
  explicit RouteParts(const RuleSet* rules) : rules_(rules) {}

  // The least duration of a route that leaves at a time or later, infinite if it is always late;
  // negative if there are too many parts to know. For types with few breaks, which have no limits
  // on what is on board.
  double least(int type, const std::int32_t* stops, int count, double earliest) const {
    const RulesInput& in = rules_->in;
    const TypeTerms& terms = rules_->terms[type];
    const bool open = in.start[type] == rules_->num_nodes() - 1;
    Parts sets[kMostSets];
    sets[0].list[sets[0].count++] = {earliest, kNever, 0.0};
    int from = in.start[type];
    for (int at = 0; at < count; ++at) {
      if (!rest(terms, sets, open && at == 0)) return -1.0;
      const int stop = stops[at], to = rules_->node_of(stop);
      const Visit visit{rules_->windows_of(stop), rules_->num_windows[stop],
                        terms.leg(from, to), rules_->action(type, from, stop)};
      for (int taken = 0; taken < terms.num_sets; ++taken) {
        Parts after;
        if (!go_on(sets[taken], visit, open && at == 0 && taken == 0, after)) return -1.0;
        sets[taken] = after;
      }
      from = to;
    }
    if (!rest(terms, sets, false)) return -1.0;
    const double hours[2] = {in.end_early[type], in.end_late[type]};
    Parts ends;
    const Visit end{hours, 1, terms.leg(from, in.end[type]), 0.0};
    if (!go_on(sets[terms.num_sets - 1], end, false, ends)) return -1.0;
    double shortest = kNever;
    for (int index = 0; index < ends.count; ++index) {
      shortest = std::min(shortest, ends.list[index].elapsed);
    }
    return shortest;
  }

 private:
  // Departures from `first` to `last`, after which the vehicle is somewhere so much later.
  struct Part {
    double first, last, elapsed;
  };
  struct Parts {
    Part list[kMostParts];
    int count = 0;
  };
  // What is done at a place: after a way there, within windows, for so long.
  struct Visit {
    const double* windows;
    int num_windows;
    double leg, time;
  };

  // Takes breaks, if that is of use. False if there are too many parts.
  bool rest(const TypeTerms& terms, Parts* sets, bool exact) const {
    for (int taken = 0; taken + 1 < terms.num_sets; ++taken) {
      for (int each = 0; each < terms.num_breaks && sets[taken].count > 0; ++each) {
        const int own = terms.first_break + each, bit = 1 << each;
        if ((taken & bit) || (rules_->in.break_first[own] & ~taken)) continue;
        const Visit visit{rules_->break_windows_of(own), rules_->num_break_windows(own), 0.0,
                          rules_->in.break_time[own]};
        if (!go_on(sets[taken], visit, exact && taken == 0, sets[taken | bit])) return false;
      }
    }
    return true;
  }

  // Adds what becomes of parts. `exact`: nobody waits there.
  bool go_on(const Parts& parts, const Visit& visit, bool exact, Parts& after) const {
    for (int index = 0; index < parts.count; ++index) {
      const Part& part = parts.list[index];
      const double there = part.elapsed + visit.leg;
      for (int each = 0; each < visit.num_windows; ++each) {
        const double opens = visit.windows[2 * each];
        const double closes = visit.windows[2 * each + 1] + rules_->in.slack;
        const double meets = opens - there;  // who leaves then
        if (!exact && part.first < meets) {
          const double leave = std::min(part.last, meets);
          if (!add(after, {leave, leave, opens - leave + visit.time})) return false;
        }
        const double first = std::max(part.first, meets);
        const double last = std::min(part.last, closes - there);
        if (first <= last && !add(after, {first, last, there + visit.time})) return false;
      }
    }
    return true;
  }

  // Adds a part unless another one replaces it; takes away those that it replaces. Who has not
  // waited has taken the same time for the same places and breaks: such parts are joined.
  bool add(Parts& parts, Part part) const {
    int kept = 0;
    for (int index = 0; index < parts.count; ++index) {
      const Part& other = parts.list[index];
      if (replaces(other, part)) return true;
      if (meets(other, part)) {
        part = {std::min(part.first, other.first), std::max(part.last, other.last),
                std::max(part.elapsed, other.elapsed)};
      }
    }
    for (int index = 0; index < parts.count; ++index) {
      if (!replaces(part, parts.list[index])) parts.list[kept++] = parts.list[index];
    }
    parts.count = kept;
    if (kept == kMostParts) return false;
    parts.list[parts.count++] = part;
    return true;
  }

  bool meets(const Part& part, const Part& other) const {
    const double apart = std::max(part.elapsed, other.elapsed) -
                         std::min(part.elapsed, other.elapsed);
    return part.first < part.last && other.first < other.last && part.first <= other.last &&
           other.first <= part.last && apart <= tiny();
  }

  // Whether whoever leaves as in another part can leave as late in this one, and be there.
  bool replaces(const Part& part, const Part& other) const {
    if (other.first < other.last) {
      return part.first <= other.first && part.last >= other.last &&
             part.elapsed <= other.elapsed + tiny();
    }
    const double leave = std::max(part.first, other.first);
    return leave <= part.last && leave + part.elapsed <= other.first + other.elapsed + tiny();
  }

  double tiny() const { return kTinyShare * rules_->in.slack; }

  const RuleSet* rules_;
};

}  // namespace vrp
