// The state of one construction: which customers are open, how much the vehicle can still take.
#pragma once

#include <cstdint>
#include <limits>

#include "memory.hpp"
#include "step.hpp"

namespace vrp {

// Same as `vrpcore.decode.select.scramble`.
inline std::int64_t scramble(std::int64_t value) {
  constexpr std::int64_t kPrime = 2147483647;
  const std::int64_t residue = (value + 374761393) % kPrime;
  const std::int64_t square = residue * residue % kPrime;
  const std::int64_t fifth = square * square % kPrime * residue % kPrime;
  return (fifth * 48271 + 11) % kPrime;
}

// Same as `vrpcore.decode.select.uniform`.
inline float uniform(std::int64_t stream, std::int64_t step) {
  return static_cast<float>(scramble(stream + scramble(step)) / 128) * (1.0f / 16777216.0f);
}

// Identifies a construction; `first` is the instance at which the records begin.
struct Which {
  std::int64_t first;
  std::int64_t instance;
  std::int64_t start;
};

class Construction {
 public:
  // Starts with no customer visited.
  Construction(const Memory& memory, const Which& which)
      : memory_(memory),
        instance_(which.instance),
        capacity_(memory.capacity[which.instance]),
        remaining_(capacity_),
        row_(((which.instance - which.first) * memory.starts + which.start) * memory.length) {
    const double* need = memory.need + instance_ * memory.nodes;
    for (std::int64_t node = 1; node < memory.nodes; ++node) {
      memory.open_need[node] = need[node];
      if (need[node] < std::numeric_limits<double>::infinity()) {
        ++num_open_;
        demand_ += need[node];
      }
    }
  }

  bool is_done(std::int64_t time) const { return num_open_ == 0 || time == memory_.length; }

  std::int64_t* choices() const { return memory_.choice + row_; }

  int list() const { return list_nodes(memory_, remaining_, last_); }

  Place place(std::int64_t time) const {
    const std::int64_t row = row_ + time, width = padded(memory_.nodes);
    return {moved(memory_.table, memory_, instance_, last_),
            moved(memory_.gradient, memory_, instance_, last_),
            memory_.glimpse + row * memory_.features, memory_.squash + row * width,
            memory_.probability + row * width};
  }

  // Same as `vrpcore.env.step.rooms`, divided by the capacity.
  Rooms rooms() const {
    const double missing = demand_ > remaining_ ? (demand_ - remaining_) / capacity_ : 0.0;
    auto further = static_cast<double>(static_cast<std::int64_t>(missing));
    if (further < missing) further += 1.0;
    const double unused = further * capacity_ + remaining_ - demand_;
    const double bounded = unused < 0.0 ? 0.0 : unused > capacity_ ? capacity_ : unused;
    return {static_cast<float>(remaining_ / capacity_), static_cast<float>(bounded / capacity_)};
  }

  void visit(std::int64_t node) {
    last_ = node;
    if (node == 0) {
      remaining_ = capacity_;
      return;
    }
    const double need = memory_.need[instance_ * memory_.nodes + node];
    remaining_ -= need;
    demand_ -= need;
    memory_.open_need[node] = std::numeric_limits<double>::infinity();
    --num_open_;
  }

 private:
  const Memory& memory_;
  std::int64_t instance_;
  double capacity_;
  double remaining_;
  std::int64_t row_;
  std::int64_t last_ = 0;
  std::int64_t num_open_ = 0;
  double demand_ = 0.0;
};

}  // namespace vrp
