// Attention between an instance's nodes, forward and backward
// (`vrpcore.learn.policy.attention.SelfAttention`).
#pragma once

#include <cstdint>

#include "lanes.hpp"
#include "norm.hpp"
#include "product.hpp"

namespace vrp {

// Rows of queries, keys and values together are 3 D wide, rows of scores `stride`.
struct Heading {
  std::int64_t nodes;
  std::int64_t stride;
  std::int64_t heads;
  std::int64_t features;

  std::int64_t width() const { return features / heads; }
  float scale() const { return 1.0f / square_root(static_cast<float>(width())); }

  Matrix part(const float* rows, std::int64_t which, std::int64_t head) const {
    return {const_cast<float*>(rows) + which * features + head * width(), 3 * features, 1};
  }
  Matrix mixed(const float* rows, std::int64_t head) const {
    return {const_cast<float*>(rows) + head * width(), features, 1};
  }
};

// Turns a row of scores into attention weights, padded with 0 to a multiple of eight.
VRP_INLINE void soften(const float* bias, float scale, float* row, std::int64_t nodes) {
  using Some = Lanes<8>;
  const std::int64_t count = (nodes + 7) / 8 * 8;
  const Some by = Some::spread(scale);
  Some most = Some::spread(-1e30f);
  for (std::int64_t i = 0; i < count; i += 8) {
    Some score = Some::load(bias + i);
    score.add_product(by, Some::load(row + i));
    score.store(row + i);
    most = largest(most, score);
  }
  const Some top = Some::spread(highest(most));
  Some sum = Some::spread(0.0f);
  for (std::int64_t i = 0; i < count; i += 8) {
    const Some weight = exponential(Some::load(row + i) - top);
    weight.store(row + i);
    sum = sum + weight;
  }
  const Some inverse = Some::spread(1.0f / total(sum));
  for (std::int64_t i = 0; i < count; i += 8) (Some::load(row + i) * inverse).store(row + i);
  for (std::int64_t i = nodes; i < count; ++i) row[i] = 0.0f;
}

// Replaces the gradient of a row of weights by that of its scores; adds it to the bias's.
VRP_INLINE void unsoften(const float* weight, float scale, float* row, float* bias,
                         std::int64_t nodes) {
  using Some = Lanes<8>;
  const std::int64_t count = (nodes + 7) / 8 * 8;
  Some sum = Some::spread(0.0f);
  for (std::int64_t i = 0; i < count; i += 8)
    sum.add_product(Some::load(weight + i), Some::load(row + i));
  const Some along = Some::spread(total(sum)), by = Some::spread(scale);
  for (std::int64_t i = 0; i < count; i += 8) {
    const Some slope = Some::load(weight + i) * (Some::load(row + i) - along);
    (Some::load(bias + i) + slope).store(bias + i);
    (slope * by).store(row + i);
  }
}

// Writes the attention weights to `weights`, and the values weighted by them to `mixed`.
inline void attend_nodes(const Heading& at, const float* bias, const float* rows, float* weights,
                         float* mixed, float* memory) {
  const std::int64_t nodes = at.nodes;
  for (std::int64_t head = 0; head < at.heads; ++head) {
    const Matrix score = {weights + head * nodes * at.stride, at.stride, 1};
    multiply(at.part(rows, 0, head), at.part(rows, 1, head).transposed(), score,
             {nodes, at.width(), nodes}, Into::kFill, memory);
    for (std::int64_t node = 0; node < nodes; ++node)
      soften(bias + (head * nodes + node) * at.stride, at.scale(), score.at + node * at.stride,
             nodes);
    multiply(score, at.part(rows, 2, head), at.mixed(mixed, head), {nodes, nodes, at.width()},
             Into::kOverwrite, memory);
  }
}

// Turns the gradient of `mixed` into that of queries, keys and values, written to `to`, and that
// of the bias, added to `bias`.
inline void unattend_nodes(const Heading& at, const float* weights, const float* rows,
                           const float* mixed, float* to, float* bias, float* scores,
                           float* memory) {
  const std::int64_t nodes = at.nodes;
  const Extent narrow = {nodes, nodes, at.width()};
  const Matrix score = {scores, at.stride, 1};
  for (std::int64_t head = 0; head < at.heads; ++head) {
    const std::int64_t first = head * nodes * at.stride;
    const Matrix weight = {const_cast<float*>(weights) + first, at.stride, 1};
    const Matrix slope = at.mixed(mixed, head);
    multiply(slope, at.part(rows, 2, head).transposed(), score, {nodes, at.width(), nodes},
             Into::kFill, memory);
    for (std::int64_t node = 0; node < nodes; ++node)
      unsoften(weight.at + node * at.stride, at.scale(), scores + node * at.stride,
               bias + first + node * at.stride, nodes);
    multiply(score, at.part(rows, 1, head), at.part(to, 0, head), narrow, Into::kOverwrite, memory);
    multiply(score.transposed(), at.part(rows, 0, head), at.part(to, 1, head), narrow,
             Into::kOverwrite, memory);
    multiply(weight.transposed(), slope, at.part(to, 2, head), narrow, Into::kOverwrite, memory);
  }
}

}  // namespace vrp
