// The state of a construction of the variants: same as `vrpcore.learn.env.vehicle`, in the same
// arithmetic, so that both allow the same nodes.
#pragma once

#include <cstdint>

#include "construction.hpp"
#include "memory.hpp"

namespace vrp {

// `FAR` and `SLACK` of `vrpcore.arrays.batch`.
constexpr float kNoBound = 0.5f * 1.0e6f;
constexpr float kGrace = static_cast<float>(1.2 * 1.0e-5);

// The columns of instances, made by `problem_arrays` of `vrpcore.learn.train.arrays`.
struct VariantArrays {
  const float* legs;
  const std::uint8_t* servable;
  const float* demand;
  const float* pickup;
  const float* opening;
  const float* closing;
  const float* service;
  const float* counted;
  const float* capacity;
  const float* limit;
  const std::uint8_t* open_end;
  const std::uint8_t* backhauls_last;
  const std::uint8_t* pickup_only;
  const std::int64_t* num_depots;
};

class VariantConstruction {
 public:
  using Problem = VariantArrays;
  static constexpr int kNumbers = 5;
  static constexpr int kWays = 3;
  static constexpr std::int64_t kFirst = 1;  // a tour begins with its depot

  // Starts at the depot of a given tour, or at the one nearest to the first customer.
  VariantConstruction(const Memory& memory, const VariantArrays& all, const Which& which)
      : memory_(memory),
        instance_(which.instance),
        row_(row_of(memory, which)),
        depots_(all.num_depots[instance_]),
        legs_(all.legs + instance_ * memory.nodes * memory.nodes),
        servable_(all.servable + instance_ * memory.nodes * memory.nodes),
        demand_(all.demand + instance_ * memory.nodes),
        pickup_(all.pickup + instance_ * memory.nodes),
        opening_(all.opening + instance_ * memory.nodes),
        closing_(all.closing + instance_ * memory.nodes),
        service_(all.service + instance_ * memory.nodes),
        counted_(all.counted + instance_ * memory.nodes),
        capacity_(all.capacity[instance_]),
        limit_(all.limit[instance_]),
        open_end_(all.open_end[instance_] != 0),
        backhauls_last_(all.backhauls_last[instance_] != 0),
        pickup_only_(all.pickup_only[instance_] != 0) {
    for (std::int64_t node = 0; node < memory.nodes; ++node) {
      open_demand_ += demand_[node];
      for (std::int64_t depot = 0; depot < depots_; ++depot) {
        if (servable_[depot * memory.nodes + node] == 0) continue;
        memory.open[num_open_++] = node;
        break;
      }
    }
    const std::int64_t start = memory.start[which.instance * memory.starts + which.start];
    if (start >= 0) *choices() = nearest_depot(start);
    leave(*choices());
  }

  bool is_done(std::int64_t time) const { return num_open_ == 0 || time == memory_.length; }

  std::int64_t num_depots() const { return depots_; }

  std::int64_t* choices() const { return memory_.choice + row_; }

  Cursor cursor(std::int64_t time) const {
    return cursor_at(memory_, instance_, last_, row_ + time);
  }

  // Whether a tour may begin with this customer: no vehicle could serve some.
  bool may_begin(std::int64_t node) const {
    for (std::int64_t index = 0; index < num_open_; ++index)
      if (memory_.open[index] == node) return true;
    return false;
  }

  // Lists the nodes that may be chosen, in order, and `given`, which rounding may forbid, if it
  // is open or a depot; returns how many. Writes what their ways count, too.
  int list(std::int64_t given) const {
    std::int64_t* customers = memory_.node + depots_;
    int found = 0, free = 0;
    for (std::int64_t index = 0; index < num_open_; ++index) {
      const std::int64_t node = memory_.open[index];
      const bool may = fits(node) && in_time(node);
      free += may ? 1 : 0;
      customers[found] = node;
      found += may || node == given ? 1 : 0;
    }
    const bool returns = last_ >= depots_ || free == 0;
    int count = 0;
    for (std::int64_t depot = 0; depot < depots_; ++depot)
      if (depot == given || (returns && is_worth(depot))) memory_.node[count++] = depot;
    for (int index = 0; index < found; ++index) memory_.node[count + index] = customers[index];
    count += found;
    note_ways(count);
    return count;
  }

  // Same as `vrpcore.learn.env.vehicle.vehicle_numbers`.
  Numbers<kNumbers> numbers() const {
    const float remaining = capacity_ - peak_;
    const float missing = open_demand_ > remaining ? (open_demand_ - remaining) / capacity_ : 0.0f;
    auto further = static_cast<float>(static_cast<std::int64_t>(missing));
    if (further < missing) further += 1.0f;
    const float unused = further * capacity_ + remaining - open_demand_;
    const float horizon = closing_[0];
    const float used = length_ / (limit_ > 1.0e-3f ? limit_ : 1.0e-3f);
    return {share(remaining / capacity_), share(unused / capacity_),
            horizon < kNoBound ? share(time_ / (horizon > 1.0e-3f ? horizon : 1.0e-3f)) : 0.0f,
            limit_ < kNoBound ? share(1.0f - used) : 0.0f, share(picked_ / capacity_)};
  }

  // Same as `vrpcore.learn.env.vehicle.advance`.
  void visit(std::int64_t node) {
    if (node < depots_) {
      leave(node);
      return;
    }
    const float leg = legs_[last_ * memory_.nodes + node];
    const float loaded = peak_ + demand_[node], arrival = time_ + leg;
    picked_ += pickup_[node];
    peak_ = loaded > picked_ ? loaded : picked_;
    delivered_ += demand_[node];
    time_ = (arrival > opening_[node] ? arrival : opening_[node]) + service_[node];
    length_ = length_ + leg + counted_[node];
    open_demand_ -= demand_[node];
    last_ = node;
    std::int64_t kept = 0;
    for (std::int64_t index = 0; index < num_open_; ++index) {
      memory_.open[kept] = memory_.open[index];
      kept += memory_.open[index] != node ? 1 : 0;
    }
    num_open_ = kept;
  }

 private:
  static float share(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }

  void leave(std::int64_t depot) {
    last_ = home_ = depot;
    peak_ = picked_ = delivered_ = length_ = 0.0f;
    time_ = opening_[depot];
  }

  std::int64_t nearest_depot(std::int64_t node) const {
    const float* legs = legs_ + node * memory_.nodes;
    std::int64_t nearest = 0;
    for (std::int64_t depot = 1; depot < depots_; ++depot)
      if (legs[depot] < legs[nearest]) nearest = depot;
    return nearest;
  }

  // Same as `vrpcore.learn.env.vehicle.fits`.
  bool fits(std::int64_t node) const {
    const float demand = demand_[node], pickup = pickup_[node];
    const bool too_late = backhauls_last_ && picked_ > 0.0f && demand > 0.0f;
    const bool too_early =
        !pickup_only_ && delivered_ <= 0.0f && demand <= 0.0f && pickup > 0.0f;
    return peak_ + demand <= capacity_ && picked_ + pickup <= capacity_ && !too_late && !too_early;
  }

  float back_from(std::int64_t node) const {
    return open_end_ ? 0.0f : legs_[home_ * memory_.nodes + node];
  }

  // Same as `vrpcore.learn.env.vehicle.ways_of`.
  bool in_time(std::int64_t node) const {
    const float leg = legs_[last_ * memory_.nodes + node], back = back_from(node);
    const float arrival = time_ + leg;
    const float early = opening_[node] - arrival, waiting = early > 0.0f ? early : 0.0f;
    const float done = arrival + waiting + service_[node] + back;
    const float length = length_ + leg + counted_[node] + back;
    const float grace = last_ == home_ ? kGrace : 0.0f;
    return closing_[node] - arrival >= -grace && done <= closing_[home_] + grace &&
           length <= limit_ + grace;
  }

  // Whether an open customer can be served from a depot.
  bool is_worth(std::int64_t depot) const {
    const std::uint8_t* servable = servable_ + depot * memory_.nodes;
    for (std::int64_t index = 0; index < num_open_; ++index)
      if (servable[memory_.open[index]] != 0) return true;
    return false;
  }

  void note_ways(int count) const {
    const std::int64_t width = padded(memory_.nodes);
    for (int index = 0; index < count; ++index) {
      const std::int64_t node = memory_.node[index];
      const float arrival = time_ + legs_[last_ * memory_.nodes + node];
      const float early = opening_[node] - arrival, left = closing_[node] - arrival;
      memory_.way[index] = early > 0.0f ? early : 0.0f;
      memory_.way[width + index] = closing_[node] < kNoBound && left > 0.0f ? left : 0.0f;
      memory_.way[2 * width + index] = back_from(node);
    }
  }

  const Memory& memory_;
  std::int64_t instance_;
  std::int64_t row_;
  std::int64_t depots_;
  const float* legs_;
  const std::uint8_t* servable_;
  const float* demand_;
  const float* pickup_;
  const float* opening_;
  const float* closing_;
  const float* service_;
  const float* counted_;
  float capacity_;
  float limit_;
  bool open_end_;
  bool backhauls_last_;
  bool pickup_only_;
  std::int64_t last_ = 0;
  std::int64_t home_ = 0;
  std::int64_t num_open_ = 0;
  float peak_ = 0.0f;
  float picked_ = 0.0f;
  float delivered_ = 0.0f;
  float time_ = 0.0f;
  float length_ = 0.0f;
  float open_demand_ = 0.0f;
};

}  // namespace vrp
