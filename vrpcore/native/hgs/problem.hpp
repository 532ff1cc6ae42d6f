// An instance in whole numbers, as the search needs it. It never changes during a search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "../shared/arena.hpp"
#include "../shared/arithmetic.hpp"
#include "../shared/watch.hpp"
#include "places.hpp"
#include "radix.hpp"

namespace vrp {

constexpr std::int64_t kLargestLength = 1'000'000'000;
// The median length in whole numbers: rounding errors are 5e-7 of it.
constexpr double kMedianLength = 1'000'000.0, kLeastMedian = 10'000.0;
constexpr int kMedianSample = 10'000;
constexpr int kMostNear = 100;
// Up to so many nodes, all pairs are sorted at once for the lists of nearest customers.
constexpr int kSortedAtOnce = 512;
// The rank of a solution: unserved customers count before any cost.
constexpr std::int64_t kUnservedRank = std::int64_t{1} << 46;

struct Problem {
  int num_nodes;             // M, depot (0) included
  int num_near;              // K
  std::int64_t limit;        // largest load
  std::int32_t* from;        // [M, M] lengths, row = from
  std::int32_t* into;        // [M, M] lengths, row = to; the same memory if they are symmetric
  std::int64_t* demand;      // [M]
  std::int32_t* near;        // [M, K] each node's nearest customers, nearest first
  Place* place = nullptr;  // [M]; where there are places, there are no `from` and `into`
  Measure measure{};
  double unit = 1.0;       // the length that 1 stands for
  Watch* watch = nullptr;  // of the search; nullptr: nobody watches it

  std::int32_t edge(int start, int end) const {
    return from[static_cast<std::int64_t>(start) * num_nodes + end];
  }

  // In 64 bits, like sums of lengths. Of all problems, with and without a matrix.
  std::int64_t length(int start, int end) const {
    return place ? measure.between(place[start], place[end]) : edge(start, end);
  }

  bool directed() const { return into != from; }

  // Tells who watches of iterations, of the best solution by then, and whether it is a better one.
  void note(std::int64_t iterations, std::int64_t rank, bool gained) const {
    if (!watch) return;
    watch->note(iterations, rank / kUnservedRank, 0,
                static_cast<double>(rank % kUnservedRank) * unit, gained);
  }

  static Problem* lay_out(Arena& arena, int num_nodes, bool directed) {
    const auto cells = static_cast<std::size_t>(num_nodes) * num_nodes;
    auto* problem = arena.take<Problem>(1);
    auto* from = arena.take<std::int32_t>(cells);
    auto* into = directed ? arena.take<std::int32_t>(cells) : from;
    auto* demand = arena.take<std::int64_t>(num_nodes);
    const int num_near = std::clamp(num_nodes - 2, 0, kMostNear);
    auto* near = arena.take<std::int32_t>(static_cast<std::size_t>(num_nodes) * num_near);
    if (problem) {
      new (problem) Problem{num_nodes, num_near, 0, from, into, demand, near, nullptr, {}};
    }
    return problem;
  }

  // A problem whose lengths are computed from `place` [M].
  static Problem* lay_out_places(Arena& arena, int num_nodes) {
    auto* problem = arena.take<Problem>(1);
    auto* place = arena.take<Place>(num_nodes);
    auto* demand = arena.take<std::int64_t>(num_nodes);
    const int num_near = std::clamp(num_nodes - 2, 0, kMostNear);
    auto* near = arena.take<std::int32_t>(static_cast<std::size_t>(num_nodes) * num_near);
    if (problem) {
      new (problem) Problem{num_nodes, num_near, 0, nullptr, nullptr, demand, near, place, {}};
    }
    return problem;
  }

  // The factor for lengths: 1 if all are whole and small enough, else the one that brings the
  // median of the positive ones to `kMedianLength`, or less where the largest would be cut off.
  // Not below `kLeastMedian`, because one entry of 1e9 for a forbidden road must not round all real
  // roads to zero. `work`: `kMedianSample + 1` numbers.
  static double scale_of(const double* matrix, std::int64_t cells, double* work) {
    double largest = 0.0;
    bool whole = true;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      largest = std::max(largest, matrix[cell]);
      whole = whole && matrix[cell] < 1e15 && matrix[cell] == rounded(matrix[cell]);
    }
    if (largest == 0.0 || (whole && largest <= kLargestLength)) return 1.0;
    const std::int64_t step = std::max<std::int64_t>(1, cells / kMedianSample);
    std::int64_t count = 0;
    for (std::int64_t cell = 0; cell < cells && count <= kMedianSample; cell += step) {
      if (matrix[cell] > 0.0) work[count++] = matrix[cell];
    }
    if (count == 0) return kMedianLength / largest;
    std::nth_element(work, work + count / 2, work + count,
                     [](double left, double right) { return left < right; });
    const double median = work[count / 2];
    return std::clamp(kLargestLength / largest, kLeastMedian / median, kMedianLength / median);
  }

  // How many numbers `fill` works on.
  static std::size_t work_numbers(int num_nodes) {
    const auto nodes = static_cast<std::size_t>(num_nodes);
    const std::size_t keys = num_nodes <= kSortedAtOnce ? nodes * nodes : nodes;
    return std::max<std::size_t>(keys, kMedianSample + 1);
  }

  // `matrix` [M, M] and `demand_of` [M]; `work` has room for `work_numbers` of 8 bytes.
  void fill(const double* matrix, const std::int64_t* demand_of, std::int64_t most, void* work) {
    const std::int64_t cells = static_cast<std::int64_t>(num_nodes) * num_nodes;
    const double scale = scale_of(matrix, cells, static_cast<double*>(work));
    set_lengths(matrix, scale);
    unit = 1.0 / scale;
    if (num_nodes <= kSortedAtOnce) {
      set_near_at_once(static_cast<std::uint64_t*>(work));
    } else {
      set_near(static_cast<std::uint64_t*>(work));
    }
    for (int node = 0; node < num_nodes; ++node) demand[node] = demand_of[node];
    limit = most;
  }

  void set_lengths(const double* matrix, double scale) {
    const auto cells = static_cast<std::int64_t>(num_nodes) * num_nodes;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const double scaled = std::min(matrix[cell] * scale, static_cast<double>(kLargestLength));
      from[cell] = static_cast<std::int32_t>(rounded(scaled));
    }
    for (std::int64_t node = 0; node < num_nodes; ++node) from[node * num_nodes + node] = 0;
    if (into == from) return;
    for (int row = 0; row < num_nodes; ++row) {
      for (int column = 0; column < num_nodes; ++column) {
        into[static_cast<std::int64_t>(column) * num_nodes + row] =
            from[static_cast<std::int64_t>(row) * num_nodes + column];
      }
    }
  }

  // The length there and back, and a number.
  std::uint64_t key(int node, int other, std::int64_t number) const {
    const std::int64_t cell = static_cast<std::int64_t>(node) * num_nodes + other;
    const auto both =
        static_cast<std::uint64_t>(from[cell]) + static_cast<std::uint64_t>(into[cell]);
    return both << 32 | static_cast<std::uint64_t>(number);
  }

  // As `set_near`; `keys` has room for M * M numbers.
  void set_near_at_once(std::uint64_t* keys) {
    std::int64_t count = 0;
    for (int node = 0; node < num_nodes; ++node) {
      for (int other = node + 1; other < num_nodes; ++other) {
        keys[count++] = key(node, other, node << 16 | other);
      }
    }
    radix_sort(keys, keys + count, count);
    int known[kSortedAtOnce] = {};
    const auto add = [this, &known](int node, int other) {
      if (known[node] == num_near) return;
      near[node * num_near + known[node]++] = other;
    };
    for (std::int64_t index = 0; index < count; ++index) {
      const auto pair = static_cast<std::uint32_t>(keys[index]);
      const int node = static_cast<int>(pair >> 16), other = static_cast<int>(pair & 0xffffU);
      add(node, other);
      if (node != 0) add(other, node);
    }
  }

  // Nearest by the length there and back; ties go to the lower number. `keys` has room for M
  // numbers.
  void set_near(std::uint64_t* keys) {
    for (int node = 0; node < num_nodes; ++node) {
      int count = 0;
      for (int other = 1; other < num_nodes; ++other) {
        if (other != node) keys[count++] = key(node, other, other);
      }
      const auto before = [](std::uint64_t left, std::uint64_t right) { return left < right; };
      const int kept = std::min(count, num_near);
      if (kept < count) std::nth_element(keys, keys + kept, keys + count, before);
      std::sort(keys, keys + kept, before);
      for (int rank = 0; rank < kept; ++rank) {
        near[static_cast<std::int64_t>(node) * num_near + rank] =
            static_cast<std::int32_t>(keys[rank] & 0xffffffffU);
      }
    }
  }
};

}  // namespace vrp
