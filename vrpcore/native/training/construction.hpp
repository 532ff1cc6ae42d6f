// The state of a construction with only loads: which customers are open, what still fits.
#pragma once

#include <cstdint>
#include <limits>

#include "memory.hpp"

namespace vrp {

// Same as `vrpcore.learn.decode.select.scramble`.
inline std::int64_t scramble(std::int64_t value) {
  constexpr std::int64_t kPrime = 2147483647;
  const std::int64_t residue = (value + 374761393) % kPrime;
  const std::int64_t square = residue * residue % kPrime;
  const std::int64_t fifth = square * square % kPrime * residue % kPrime;
  return (fifth * 48271 + 11) % kPrime;
}

// Same as `vrpcore.learn.decode.select.uniform`.
inline float uniform(std::int64_t stream, std::int64_t step) {
  return static_cast<float>(scramble(stream + scramble(step)) / 128) * (1.0f / 16777216.0f);
}

// Identifies a construction; `first` is the instance at which the records begin.
struct Which {
  std::int64_t first;
  std::int64_t instance;
  std::int64_t start;
};

// Where the record of a construction begins.
inline std::int64_t row_of(const Memory& memory, const Which& which) {
  return ((which.instance - which.first) * memory.starts + which.start) * memory.length;
}

// Where the numbers of the choice at `row` begin; the vehicle is at `last`.
inline Cursor cursor_at(const Memory& memory, std::int64_t instance, std::int64_t last,
                      std::int64_t row) {
  const std::int64_t width = padded(memory.nodes);
  return {moved(memory.table, memory, instance, last),
          moved(memory.gradient, memory, instance, last), memory.glimpse + row * memory.features,
          memory.squash + row * width, memory.probability + row * width};
}

// Demands and capacities, made by `problem_arrays` of `vrpcore.learn.train.arrays`.
struct Loads {
  const double* need;
  const double* capacity;
};

class Construction {
 public:
  using Problem = Loads;
  static constexpr int kNumbers = 2;
  static constexpr int kWays = 0;
  static constexpr std::int64_t kFirst = 0;  // where the choices of a tour begin

  // Starts with no customer visited.
  Construction(const Memory& memory, const Loads& loads, const Which& which)
      : memory_(memory),
        need_(loads.need + which.instance * memory.nodes),
        instance_(which.instance),
        capacity_(loads.capacity[which.instance]),
        remaining_(capacity_),
        row_(row_of(memory, which)) {
    for (std::int64_t node = 1; node < memory.nodes; ++node) {
      memory.open_need[node] = need_[node];
      if (need_[node] < std::numeric_limits<double>::infinity()) {
        ++num_open_;
        demand_ += need_[node];
      }
    }
  }

  bool is_done(std::int64_t time) const { return num_open_ == 0 || time == memory_.length; }

  std::int64_t num_depots() const { return 1; }

  std::int64_t* choices() const { return memory_.choice + row_; }

  Cursor cursor(std::int64_t time) const {
    return cursor_at(memory_, instance_, last_, row_ + time);
  }

  // Whether a tour may begin with this customer.
  bool may_begin(std::int64_t) const { return true; }

  // Lists the nodes that may be chosen, in order; returns how many.
  int list(std::int64_t) const {
    int count = last_ != 0 ? 1 : 0;
    memory_.node[0] = 0;
    for (std::int64_t node = 1; node < memory_.nodes; ++node) {
      memory_.node[count] = node;
      count += memory_.open_need[node] <= remaining_ ? 1 : 0;
    }
    return count;
  }

  // Remaining capacity of the vehicle, and the capacity that may still be left unused in all;
  // both divided by the capacity. Same as `vrpcore.learn.env.environment.rooms`.
  Numbers<kNumbers> numbers() const {
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
    remaining_ -= need_[node];
    demand_ -= need_[node];
    memory_.open_need[node] = std::numeric_limits<double>::infinity();
    --num_open_;
  }

 private:
  const Memory& memory_;
  const double* need_;
  std::int64_t instance_;
  double capacity_;
  double remaining_;
  std::int64_t row_;
  std::int64_t last_ = 0;
  std::int64_t num_open_ = 0;
  double demand_ = 0.0;
};

}  // namespace vrp
