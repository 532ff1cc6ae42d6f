// Room for routes in contiguous memory: rows of 8, 16, 32, ... cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../shared/arena.hpp"

namespace vrp {

constexpr int kSmallestRow = 8;
constexpr int kMaxRowSizes = 32;

// Rows for two plans, an old and a new one, with two cells more than stops for each route. No
// two routes of a plan have the same stop, and a row is only as large as its route needs, so
// there are few large ones.
class Rows {
 public:
  static Rows lay_out(Arena& arena, int num_stops, int max_routes) {
    Rows rows;
    int blocks = 0;
    for (int size = kSmallestRow;; size *= 2) {
      // A route in this row does not fit into half of it.
      const int least = size == kSmallestRow ? 1 : size / 2 - 1;
      const int most = num_stops / least;
      Size& made = rows.sizes_[rows.num_sizes_++];
      made.first_cell = rows.num_cells_;
      made.first_block = blocks;
      made.count = 2 * (most < max_routes ? most : max_routes);
      rows.num_cells_ += static_cast<std::size_t>(made.count) * static_cast<std::size_t>(size);
      blocks += made.count;
      if (size >= num_stops + 2) break;
    }
    rows.free_ = arena.take<std::int32_t>(static_cast<std::size_t>(blocks));
    return rows;
  }

  // Cells of all rows.
  std::size_t num_cells() const { return num_cells_; }

  void clear() {
    for (int index = 0; index < num_sizes_; ++index) {
      Size& size = sizes_[index];
      size.num_free = size.count;
      for (int block = 0; block < size.count; ++block) {
        free_[size.first_block + block] = size.count - 1 - block;
      }
    }
  }

  // First cell of a row for so many stops.
  std::int32_t take(int stops) {
    const int index = index_of(stops);
    Size& size = sizes_[index];
    const std::int32_t block = free_[size.first_block + --size.num_free];
    return static_cast<std::int32_t>(size.first_cell) + block * (kSmallestRow << index);
  }

  void give_back(std::int32_t cell, int stops) {
    const int index = index_of(stops);
    Size& size = sizes_[index];
    const std::int32_t block =
        (cell - static_cast<std::int32_t>(size.first_cell)) / (kSmallestRow << index);
    free_[size.first_block + size.num_free++] = block;
  }

 private:
  struct Size {
    std::size_t first_cell;
    int first_block, count, num_free;
  };

  int index_of(int stops) const {
    int index = 0;
    while ((kSmallestRow << index) < stops + 2) ++index;
    return index;
  }

  Size sizes_[kMaxRowSizes]{};
  int num_sizes_ = 0;
  std::size_t num_cells_ = 0;
  std::int32_t* free_ = nullptr;
};

}  // namespace vrp
