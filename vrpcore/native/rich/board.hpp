// What is on board at a position of a route, where breaks have limits on it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rich_problem.hpp"

namespace vrp {

// Of the most on board: what rounding may leave of it where all is unloaded.
constexpr double kLeftOver = 5e-13;

class Board {
 public:
  explicit Board(const RichProblem* problem) : problem_(problem) {}

  // Loads a trip whose first stop is at a position, at its depot or at the start of the route.
  void fill(int type, const std::int32_t* visits, int count, int from) {
    const RichInput& in = problem_->in;
    for (int each = 0; each < in.dimensions; ++each) {
      double load = from == 0 ? problem_->amounts(in.board, type)[each] : 0.0;
      int end = from;
      for (; end < count && !problem_->is_reload(visits[end]); ++end) {
        load += problem_->amounts(in.delivery, visits[end])[each];
      }
      load_[each] = peak_[each] = load;
      for (int at = from; at < end; ++at) {
        load += problem_->change(visits[at], each);
        peak_[each] = std::max(peak_[each], load);
      }
    }
  }

  // Goes on to the position of a stop, or of a reload.
  void move(int type, const std::int32_t* visits, int count, int at) {
    if (problem_->is_reload(visits[at])) return fill(type, visits, count, at + 1);
    for (int each = 0; each < problem_->in.dimensions; ++each) {
      load_[each] += problem_->change(visits[at], each);
    }
  }

  // Whether a break, of all types', may be taken with it.
  bool allows(int own) const {
    const double* most = problem_->amounts(problem_->in.break_load, own);
    for (int each = 0; each < problem_->in.dimensions; ++each) {
      if (load_[each] > most[each] + kLeftOver * peak_[each]) return false;
    }
    return true;
  }

 private:
  const RichProblem* problem_;
  double load_[kMaxDimensions], peak_[kMaxDimensions];
};

}  // namespace vrp
