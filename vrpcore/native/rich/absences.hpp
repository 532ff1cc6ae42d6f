// How often units have been missing, and who has to give way for fewer vehicles.
//
// Sources: absences: Christiaens and Vanden Berghe 2020, section 4.4; see rich_ruin.hpp.
// Ejections: see ejections.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ejections.hpp"
#include "../shared/random.hpp"

namespace vrp {

// Steps along shortened routes that ejections may take for each ruin: about half of its time.
constexpr std::int64_t kLookedAt = 200;

class Absences {
 public:
  static Absences lay_out(Arena& arena, FleetPlan* plan, RichRuin* ruin) {
    Absences made(plan, ruin, Ejections::lay_out(arena, plan, ruin));
    made.stops_ = arena.take<std::int32_t>(static_cast<std::size_t>(plan->problem().max_visits()));
    made.counts_ = arena.take<std::int64_t>(static_cast<std::size_t>(plan->problem().in.num_stops));
    return made;
  }

  Absences(FleetPlan* plan, RichRuin* ruin, const Ejections& ejections)
      : plan_(plan), ruin_(ruin), ejections_(ejections) {}

  // Forgets them: nobody has been missing.
  void begin() {
    std::fill(counts_, counts_ + plan_->problem().in.num_stops, std::int64_t{0});
    ejections_.begin();
    allowance_ = 0;
  }

  // Counts one more for each unit that is missing.
  void note() {
    for (int index = 0; index < plan_->num_out; ++index) ++counts_[plan_->out[index]];
  }

  // Those of all required units that are missing now.
  std::int64_t of_missing() const {
    std::int64_t total = 0;
    for (int index = 0; index < plan_->num_out; ++index) {
      if (plan_->problem().is_required(plan_->out[index])) total += counts_[plan_->out[index]];
    }
    return total;
  }

  // Empties the route whose stops have been missing least; its vehicle stays at its depot.
  void free_route() {
    int least = -1;
    std::int64_t fewest = 0;
    for (int index = 0; index < plan_->num_in_use; ++index) {
      const int route = plan_->in_use[index], count = plan_->read(route, stops_);
      std::int64_t total = 0;
      for (int at = 0; at < count; ++at) {
        const int stop = stops_[at];
        if (!plan_->problem().is_reload(stop)) total += counts_[plan_->problem().unit_of(stop)];
      }
      if (least >= 0 && total >= fewest) continue;
      least = route;
      fewest = total;
    }
    plan_->begin_iteration();
    const int count = plan_->read(least, stops_);
    for (int at = 0; at < count; ++at) ruin_->mark(stops_[at]);
    ruin_->take_off(least);
    plan_->max_in_use = plan_->num_in_use;
  }

  // Lets a required unit that is missing take the place of others, as often as that may take time.
  // Returns whether one did.
  bool eject(Random& random) {
    allowance_ += kLookedAt;
    if (allowance_ < 0) return false;
    const RichInput& in = plan_->problem().in;
    int unit = plan_->out[random.below(plan_->num_out)];
    if (!plan_->problem().is_required(unit)) return false;
    const int group = in.num_groups > 0 ? in.group[unit] : -1;
    if (group >= 0) {  // one of the alternatives
      const int from = in.group_from[group];
      unit = in.members[from + random.below(in.group_from[group + 1] - from)];
    }
    const bool found = ejections_.insert(unit, counts_);
    allowance_ -= ejections_.looked_at;
    return found;
  }

 private:
  FleetPlan* plan_;
  RichRuin* ruin_;
  Ejections ejections_;
  std::int32_t* stops_ = nullptr;   // [P]
  std::int64_t* counts_ = nullptr;  // [N] iterations in which a unit was left out
  std::int64_t allowance_ = 0;      // of steps that ejections may take
};

}  // namespace vrp
