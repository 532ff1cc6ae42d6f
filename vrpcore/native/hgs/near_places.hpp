// The nearest customers of each customer by a k-d tree, in O(N log N).
//
// Source: Bentley 1975, "Multidimensional Binary Search Trees Used for Associative Searching".
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "places.hpp"

namespace vrp {

class NearPlaces {
 public:
  // Of the customers 1..`num_nodes` - 1.
  NearPlaces(Arena& arena, const Place* place, int num_nodes, int num_near)
      : place_(place), count_(num_nodes - 1), num_near_(num_near) {
    const auto customers = static_cast<std::size_t>(num_nodes);
    order_ = arena.take<std::int32_t>(customers);
    axis_ = arena.take<std::uint8_t>(customers);
    found_ = arena.take<Found>(static_cast<std::size_t>(num_near) + 1);
  }

  // Writes `near` [M, K]: nearest first, of equally near ones the lower number first. Where more
  // are equally near than there is room for, those next to the customer in the tree are taken: of
  // many at one place, each has others near, and all of them together are linked.
  void write(std::int32_t* near) {
    for (int index = 0; index < count_; ++index) order_[index] = index + 1;
    divide(0, count_);
    for (int index = 0; index < count_; ++index) {
      asked_ = order_[index];
      asked_at_ = index;
      num_found_ = 0;
      visit(0, count_);
      std::sort(found_, found_ + num_found_, before);
      std::int32_t* row = near + static_cast<std::int64_t>(asked_) * num_near_;
      for (int rank = 0; rank < num_found_; ++rank) row[rank] = found_[rank].customer;
    }
  }

 private:
  static constexpr int kLeaf = 8;  // customers that are not divided further

  struct Found {
    double square;
    std::int32_t customer;
  };

  static bool before(const Found& left, const Found& right) {
    if (left.square != right.square) return left.square < right.square;
    return left.customer < right.customer;
  }

  // The middle of a row of customers divides it across its widest axis. A leaf is sorted, because
  // the order that `nth_element` leaves is the C++ library's; by an order of its own, because zig's
  // C++ library has the usual one compiled, and the search is linked without that library.
  void divide(int begin, int end) {
    if (end - begin <= kLeaf) {
      std::sort(order_ + begin, order_ + end,
                [](std::int32_t left, std::int32_t right) { return left < right; });
      return;
    }
    int widest = 0;
    double width = -1.0;
    for (int axis = 0; axis < 3; ++axis) {
      double low = place_[order_[begin]].along(axis), high = low;
      for (int index = begin + 1; index < end; ++index) {
        const double value = place_[order_[index]].along(axis);
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (high - low > width) {
        width = high - low;
        widest = axis;
      }
    }
    const int middle = begin + (end - begin) / 2;
    std::nth_element(order_ + begin, order_ + middle, order_ + end,
                     [this, widest](std::int32_t left, std::int32_t right) {
                       const double one = place_[left].along(widest);
                       const double other = place_[right].along(widest);
                       return one != other ? one < other : left < right;
                     });
    axis_[middle] = static_cast<std::uint8_t>(widest);
    divide(begin, middle);
    divide(middle + 1, end);
  }

  void visit(int begin, int end) {
    if (end - begin <= kLeaf) {
      for (int index = begin; index < end; ++index) offer(order_[index]);
      return;
    }
    const int middle = begin + (end - begin) / 2;
    const int axis = axis_[middle];
    const double gap = place_[asked_].along(axis) - place_[order_[middle]].along(axis);
    const bool low_first = gap < 0.0 || (gap == 0.0 && asked_at_ < middle);
    low_first ? visit(begin, middle) : visit(middle + 1, end);
    offer(order_[middle]);
    if (num_found_ < num_near_ || gap * gap < found_[0].square) {
      low_first ? visit(middle + 1, end) : visit(begin, middle);
    }
  }

  // `found_` is a heap with the farthest on top.
  void offer(std::int32_t customer) {
    if (customer == asked_) return;
    const Found one{square_between(place_[asked_], place_[customer]), customer};
    if (num_found_ == num_near_) {
      if (one.square >= found_[0].square) return;
      std::pop_heap(found_, found_ + num_found_--, before);
    }
    found_[num_found_++] = one;
    std::push_heap(found_, found_ + num_found_, before);
  }

  const Place* place_;
  int count_, num_near_;
  std::int32_t* order_;  // [N] customers in the order of the tree
  std::uint8_t* axis_;   // [N] across which the customer at this position divides
  Found* found_;         // [K + 1]
  int num_found_ = 0;
  std::int32_t asked_ = 0;
  int asked_at_ = 0;  // its position in `order_`
};

}  // namespace vrp
