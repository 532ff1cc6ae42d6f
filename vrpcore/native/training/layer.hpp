// A layer of the encoder and its gradient (`EncoderLayer` in `vrpcore.learn.policy.encoder`), for
// a part of a batch's instances.
#pragma once

#include <cstdint>

#include "attention.hpp"
#include "norm.hpp"
#include "product.hpp"

namespace vrp {

// The layer's weights, or their gradient; F is the width between the feed-forward products.
struct Weights {
  float* inward;           // [3 D, D]
  float* outward;          // [D, D]
  float* attention_gain;   // [D], of the norm after the attention
  float* attention_shift;  // [D]
  float* widen;            // [F, D]
  float* widen_bias;       // [F]
  float* narrow;           // [D, F]
  float* narrow_bias;      // [D]
  float* gain;             // [D], of the norm after the feed-forward part
  float* shift;            // [D]
};

// Flat form of `vrpcore.learn.train.layers`; the R rows are the nodes of all instances.
struct Layer {
  Weights weights;
  Weights gradient;  // for one part only; overwritten
  float* nodes;      // [R, D], input
  float* result;     // [R, D], output; in the backward pass its gradient, then that of `nodes`
  float* heads;      // [R, 3 D], queries, keys, values
  float* attention;  // [B, H, M, `Shape::stride`], attention weights
  float* mixed;      // [R, D]
  float* normal;     // [R, D], after the attention, normed but without gain and shift
  float* scale;      // [R], the factors of that norm
  float* hidden;     // [R, F], between the feed-forward products
  float* last_normal;  // [R, D]
  float* last_scale;   // [R]
  float* bias;           // [B, H, M, stride], added to the scores; very negative beyond M
  float* bias_gradient;  // [B, H, M, stride], accumulates
  float* laid_out;       // from here on, one thread's working memory; `kLaidOut` floats
  float* wide;           // [r, max(F, 3 D)], for the r rows of this part
  float* inner;          // [r, D]
  float* scores;         // [M, stride]
  std::int64_t nodes_each;  // M
  std::int64_t stride;
  std::int64_t num_heads;
  std::int64_t features;  // D
  std::int64_t wide_features;  // F
};

// The rows of a part, and the products of its matrices.
class Part {
 public:
  Part(const Layer& layer, std::int64_t first, std::int64_t behind)
      : layer_(layer),
        first_(first * layer.nodes_each),
        rows_((behind - first) * layer.nodes_each) {}

  std::int64_t rows() const { return rows_; }

  // The beginning of this part in an array of all rows.
  float* of(float* array, std::int64_t width) const { return array + first_ * width; }

  // to = from weight^T, or added to it; weight is [out, in].
  void apply(const float* from, float* weight, float* to, std::int64_t in, std::int64_t out,
             Into into) const {
    multiply(matrix(from, in), matrix(weight, in).transposed(), matrix(to, out), {rows_, in, out},
             into, layer_.laid_out);
  }

  // The gradient of the input, from that of the output.
  void unapply(const float* slope, float* weight, float* to, std::int64_t in, std::int64_t out,
               Into into) const {
    multiply(matrix(slope, out), matrix(weight, in), matrix(to, in), {rows_, out, in}, into,
             layer_.laid_out);
  }

  // The gradient of the weight.
  void unweigh(const float* slope, const float* from, float* to, std::int64_t in,
               std::int64_t out) const {
    multiply(matrix(slope, out).transposed(), matrix(from, in), matrix(to, in), {out, rows_, in},
             Into::kOverwrite, layer_.laid_out);
  }

 private:
  static Matrix matrix(const float* at, std::int64_t width) {
    return {const_cast<float*>(at), width, 1};
  }

  const Layer& layer_;
  std::int64_t first_;
  std::int64_t rows_;
};

inline Heading heading(const Layer& layer) {
  return {layer.nodes_each, layer.stride, layer.num_heads, layer.features};
}

inline void run_layer(const Layer& layer, std::int64_t first, std::int64_t behind) {
  const Part part(layer, first, behind);
  const Weights& weights = layer.weights;
  const std::int64_t rows = part.rows(), width = layer.features, wide = layer.wide_features;
  const float* nodes = part.of(layer.nodes, width);
  float* heads = part.of(layer.heads, 3 * width);
  float* mixed = part.of(layer.mixed, width);
  float* normal = part.of(layer.normal, width);
  float* hidden = part.of(layer.hidden, wide);
  float* last = part.of(layer.last_normal, width);
  part.apply(nodes, weights.inward, heads, width, 3 * width, Into::kOverwrite);
  const std::int64_t pairs = layer.num_heads * layer.nodes_each * layer.stride;
  for (std::int64_t instance = first; instance < behind; ++instance) {
    const std::int64_t row = (instance - first) * layer.nodes_each;
    attend_nodes(heading(layer), layer.bias + instance * pairs, heads + row * 3 * width,
                 layer.attention + instance * pairs, mixed + row * width, layer.laid_out);
  }
  __builtin_memcpy(normal, nodes, sizeof(float) * rows * width);
  part.apply(mixed, weights.outward, normal, width, width, Into::kAdd);
  norm(normal, part.of(layer.scale, 1), rows, width);
  affine(normal, weights.attention_gain, weights.attention_shift, layer.inner, rows, width);
  part.apply(layer.inner, weights.widen, hidden, width, wide, Into::kOverwrite);
  rectify(hidden, weights.widen_bias, rows, wide);
  add_row(layer.inner, weights.narrow_bias, last, rows, width);
  part.apply(hidden, weights.narrow, last, wide, width, Into::kAdd);
  norm(last, part.of(layer.last_scale, 1), rows, width);
  affine(last, weights.gain, weights.shift, part.of(layer.result, width), rows, width);
}

// Overwrites the gradient of the weights, and `result`, which holds its own gradient.
inline void unrun_layer(const Layer& layer, std::int64_t first, std::int64_t behind) {
  const Part part(layer, first, behind);
  const Weights& weights = layer.weights;
  const Weights& gradient = layer.gradient;
  const std::int64_t rows = part.rows(), width = layer.features, wide = layer.wide_features;
  const float* nodes = part.of(layer.nodes, width);
  const float* heads = part.of(layer.heads, 3 * width);
  const float* normal = part.of(layer.normal, width);
  const float* hidden = part.of(layer.hidden, wide);
  const float* mixed = part.of(layer.mixed, width);
  float* slope = part.of(layer.result, width);
  unnorm(part.of(layer.last_normal, width), part.of(layer.last_scale, 1), weights.gain, slope,
         gradient.gain, gradient.shift, rows, width);
  sum_rows(slope, gradient.narrow_bias, rows, width);
  part.unweigh(slope, hidden, gradient.narrow, wide, width);
  part.unapply(slope, weights.narrow, layer.wide, wide, width, Into::kOverwrite);
  unrectify(hidden, layer.wide, gradient.widen_bias, rows, wide);
  affine(normal, weights.attention_gain, weights.attention_shift, layer.inner, rows, width);
  part.unweigh(layer.wide, layer.inner, gradient.widen, width, wide);
  part.unapply(layer.wide, weights.widen, slope, width, wide, Into::kAdd);
  unnorm(normal, part.of(layer.scale, 1), weights.attention_gain, slope, gradient.attention_gain,
         gradient.attention_shift, rows, width);
  part.unweigh(slope, mixed, gradient.outward, width, width);
  part.unapply(slope, weights.outward, layer.inner, width, width, Into::kOverwrite);
  const std::int64_t pairs = layer.num_heads * layer.nodes_each * layer.stride;
  for (std::int64_t instance = first; instance < behind; ++instance) {
    const std::int64_t row = (instance - first) * layer.nodes_each;
    unattend_nodes(heading(layer), layer.attention + instance * pairs, heads + row * 3 * width,
                   layer.inner + row * width, layer.wide + row * 3 * width,
                   layer.bias_gradient + instance * pairs, layer.scores, layer.laid_out);
  }
  part.unweigh(layer.wide, nodes, gradient.inward, width, 3 * width);
  part.unapply(layer.wide, weights.inward, slope, width, 3 * width, Into::kAdd);
}

}  // namespace vrp
