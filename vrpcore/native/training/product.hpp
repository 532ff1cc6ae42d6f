// Matrix products, from the encoder's large ones to those of a single head.
//
// Results are computed in tiles that stay in registers over the whole sum. The right matrix is
// first copied tile by tile ("laid out"), so that it is read from the nearest cache; the left
// one is read in place.
#pragma once

#include <cstdint>

#include "lanes.hpp"

namespace vrp {

// A matrix in memory, with the strides of its rows and columns.
struct Matrix {
  float* at;
  std::int64_t row;
  std::int64_t column;

  Matrix transposed() const { return {at, column, row}; }
};

struct Extent {
  std::int64_t rows;
  std::int64_t sums;  // products summed for each number of the result
  std::int64_t columns;
};

// What to do with the existing numbers of the result. `kFill` overwrites whole tiles: rows must
// have room, and numbers beyond the right matrix's columns become 0. `kMirror` is for symmetric
// results: only tiles on or below the diagonal are computed; see `mirror`.
enum class Into { kOverwrite, kAdd, kFill, kMirror };

// A processor with the widest vectors also has twice as many registers.
constexpr int kTileRows = kWidest == 16 ? 12 : 6;
constexpr int kTileColumns = 2 * kWidest;
constexpr std::int64_t kSlice = 256;     // sums at once, so that a tile's input stays in the cache
constexpr std::int64_t kRowsAtOnce = 16 * kTileRows;
constexpr std::int64_t kMostColumns = 512;

// Floats of memory that `multiply` needs per thread.
constexpr std::int64_t kLaidOut = kSlice * kMostColumns;

// Transposes four by four numbers.
VRP_INLINE void turn(const float* from, std::int64_t stride, float* to, std::int64_t apart) {
  Lanes<4> a = Lanes<4>::load(from), b = Lanes<4>::load(from + stride);
  Lanes<4> c = Lanes<4>::load(from + 2 * stride), d = Lanes<4>::load(from + 3 * stride);
  const auto one = __builtin_shufflevector(a.part[0], b.part[0], 0, 4, 1, 5);
  const auto two = __builtin_shufflevector(a.part[0], b.part[0], 2, 6, 3, 7);
  const auto three = __builtin_shufflevector(c.part[0], d.part[0], 0, 4, 1, 5);
  const auto four = __builtin_shufflevector(c.part[0], d.part[0], 2, 6, 3, 7);
  a.part[0] = __builtin_shufflevector(one, three, 0, 1, 4, 5);
  b.part[0] = __builtin_shufflevector(one, three, 2, 3, 6, 7);
  c.part[0] = __builtin_shufflevector(two, four, 0, 1, 4, 5);
  d.part[0] = __builtin_shufflevector(two, four, 2, 3, 6, 7);
  a.store(to);
  b.store(to + apart);
  c.store(to + 2 * apart);
  d.store(to + 3 * apart);
}

// Lays out a tile of some columns; missing ones become 0.
inline void lay_out_tile(const Matrix& right, std::int64_t sums, std::int64_t columns, float* to) {
  std::int64_t done = 0;
  if (right.column == 1 && columns == kTileColumns) {
    for (std::int64_t sum = 0; sum < sums; ++sum)
      __builtin_memcpy(to + sum * kTileColumns, right.at + sum * right.row,
                       sizeof(float) * kTileColumns);
    return;
  }
  if (right.row == 1 && sums % 4 == 0) {
    for (; done + 4 <= columns; done += 4)
      for (std::int64_t sum = 0; sum < sums; sum += 4)
        turn(right.at + done * right.column + sum, right.column, to + sum * kTileColumns + done,
             kTileColumns);
  }
  for (std::int64_t sum = 0; sum < sums; ++sum) {
    const float* from = right.at + sum * right.row;
    float* row = to + sum * kTileColumns;
    for (std::int64_t i = done; i < columns; ++i) row[i] = from[i * right.column];
    for (std::int64_t i = columns; i < kTileColumns; ++i) row[i] = 0.0f;
  }
}

// Lays out columns tile by tile.
inline void lay_out(const Matrix& right, std::int64_t sums, std::int64_t columns, float* to) {
  for (std::int64_t first = 0; first < columns; first += kTileColumns) {
    const std::int64_t rest = columns - first;
    lay_out_tile({right.at + first * right.column, right.row, right.column}, sums,
                 rest < kTileColumns ? rest : kTileColumns, to + first * sums);
  }
}

// Computes one tile of the result.
template <int rows>
VRP_INLINE void sum_tile(const Matrix& left, const float* right, std::int64_t sums,
                         Lanes<kWidest> (&sum)[rows][2]) {
  for (auto& row : sum)
    for (auto& part : row) part = Lanes<kWidest>::spread(0.0f);
  const float* from[rows];
  for (int i = 0; i < rows; ++i) from[i] = left.at + i * left.row;
  for (std::int64_t k = 0; k < sums; ++k, right += kTileColumns) {
    const auto one = Lanes<kWidest>::load(right), other = Lanes<kWidest>::load(right + kWidest);
    for (int i = 0; i < rows; ++i) {
      const auto by = Lanes<kWidest>::spread(from[i][k * left.column]);
      sum[i][0].add_product(by, one);
      sum[i][1].add_product(by, other);
    }
  }
}

template <int rows>
inline void make_tile(const Matrix& left, const float* right, std::int64_t sums, float* to,
                      std::int64_t stride, std::int64_t columns, bool adds) {
  Lanes<kWidest> sum[rows][2];
  sum_tile<rows>(left, right, sums, sum);
  if (columns == kTileColumns) {
    for (int i = 0; i < rows; ++i) {
      for (int part = 0; part < 2; ++part) {
        float* place = to + i * stride + part * kWidest;
        if (adds) sum[i][part] = sum[i][part] + Lanes<kWidest>::load(place);
        sum[i][part].store(place);
      }
    }
    return;
  }
  for (int i = 0; i < rows; ++i) {
    float row[kTileColumns];
    sum[i][0].store(row);
    sum[i][1].store(row + kWidest);
    float* place = to + i * stride;
    for (std::int64_t j = 0; j < columns; ++j) place[j] = adds ? place[j] + row[j] : row[j];
  }
}

// Computes tiles with fewer rows than the others.
template <int rows>
inline void make_last(std::int64_t count, const Matrix& left, const float* right,
                      std::int64_t sums, float* to, std::int64_t stride, std::int64_t columns,
                      bool adds) {
  if (count == rows) {
    make_tile<rows>(left, right, sums, to, stride, columns, adds);
  } else if constexpr (rows > 1) {
    make_last<rows - 1>(count, left, right, sums, to, stride, columns, adds);
  }
}

// result = left * right, or added to it; `memory` has room for `kLaidOut` numbers.
//
// The result's columns must be contiguous.
inline void multiply(const Matrix& left, const Matrix& right, const Matrix& result,
                     const Extent& extent, Into into, float* memory) {
  for (std::int64_t column = 0; column < extent.columns; column += kMostColumns) {
    const std::int64_t rest = extent.columns - column;
    const std::int64_t columns = rest < kMostColumns ? rest : kMostColumns;
    for (std::int64_t sum = 0; sum < extent.sums; sum += kSlice) {
      const std::int64_t sums = extent.sums - sum < kSlice ? extent.sums - sum : kSlice;
      const bool adds = into == Into::kAdd || sum > 0;
      lay_out({right.at + sum * right.row + column * right.column, right.row, right.column}, sums,
              columns, memory);
      for (std::int64_t block = 0; block < extent.rows; block += kRowsAtOnce) {
        const std::int64_t behind =
            block + kRowsAtOnce < extent.rows ? block + kRowsAtOnce : extent.rows;
        for (std::int64_t first = 0; first < columns; first += kTileColumns) {
          const bool whole = into == Into::kFill || columns - first >= kTileColumns;
          const std::int64_t count = whole ? kTileColumns : columns - first;
          for (std::int64_t row = block; row < behind; row += kTileRows) {
            float* to = result.at + row * result.row + column + first;
            const std::int64_t left_over = behind - row;
            if (into == Into::kMirror && column + first >= row + kTileRows) continue;
            const Matrix part = {left.at + row * left.row + sum * left.column, left.row,
                                 left.column};
            make_last<kTileRows>(left_over < kTileRows ? left_over : kTileRows, part,
                                 memory + first * sums, sums, to, result.row, count, adds);
          }
        }
      }
    }
  }
}

// Copies the numbers below the diagonal to above it.
inline void mirror(float* matrix, std::int64_t size) {
  for (std::int64_t row = 0; row < size; row += 4) {
    for (std::int64_t column = 0; column <= row; column += 4) {
      if (row + 4 <= size && column < row) {
        turn(matrix + row * size + column, size, matrix + column * size + row, size);
        continue;
      }
      for (std::int64_t i = row; i < size && i < row + 4; ++i)
        for (std::int64_t j = column; j < i && j < column + 4; ++j)
          matrix[j * size + i] = matrix[i * size + j];
    }
  }
}

}  // namespace vrp
