// The gradient of a decoder step, part by part.
#pragma once

#include <cstdint>

#include "memory.hpp"
#include "step.hpp"

namespace vrp {

// The gradient of -factor * log-probability with respect to the pointer's scores.
//
// Writes the gradient of the logits to `Memory::logit`, and that of the scores over the
// squashed scores.
template <int ways>
VRP_INLINE void unweigh(const Memory& memory, const Cursor& cursor, int chosen, float factor,
                    int count) {
  const Features scale = Features::spread(factor), one = Features::spread(1.0f);
  for (int index = 0; index < count; index += kPair)
    (Features::load(cursor.probability + index) * scale).store(memory.logit + index);
  memory.logit[chosen] -= factor;
  for (int index = 0; index < count; ++index)
    cursor.gradient.distance[memory.node[index]] -= memory.logit[index];
  for (int k = 0; k < ways; ++k) {
    const float* way = way_of(memory, k);
    float sum = 0.0f;
    for (int index = 0; index < count; ++index) sum += memory.logit[index] * way[index];
    cursor.gradient.way[k] -= sum;
  }
  for (int index = 0; index < count; index += kPair) {
    const Features q = Features::load(cursor.squash + index);
    const Features steep = Features::spread(4.0f * kBound) * q * (one - q);
    (steep * Features::load(memory.logit + index)).store(cursor.squash + index);
  }
}

template <int block>
VRP_INLINE void unpoint_block(const Memory& memory, const Cursor& cursor, std::int64_t feature,
                          float* slope, int count) {
  constexpr int kSums = block / kPair;
  const float* pointers = cursor.table.pointer + feature;
  Features sum[kSums];
  for (Features& each : sum) each = Features::spread(0.0f);
  for (int index = 0; index < count; ++index) {
    const float* pointer = pointers + memory.node[index] * memory.features;
    const Features by = Features::spread(cursor.squash[index]);
    for (int i = 0; i < kSums; ++i) sum[i].add_product(by, Features::load(pointer + i * kPair));
  }
  for (int i = 0; i < kSums; ++i) sum[i].store(slope + feature + i * kPair);
}

// Writes the gradient of the glimpse to `slope`.
VRP_INLINE void unpoint(const Memory& memory, const Cursor& cursor, float* slope, int count) {
  if (memory.features % kBlock == 0) {
    for (std::int64_t feature = 0; feature < memory.features; feature += kBlock)
      unpoint_block<kBlock>(memory, cursor, feature, slope, count);
  } else {
    for (std::int64_t feature = 0; feature < memory.features; feature += kFit)
      unpoint_block<kFit>(memory, cursor, feature, slope, count);
  }
}

// Sums of products, head by head.
template <int block>
VRP_INLINE Heads product(const float* one, const float* other, std::int64_t width) {
  constexpr int kTerms = block / kPair;
  Features sum[2] = {Features::spread(0.0f), Features::spread(0.0f)};
  for (std::int64_t feature = 0; feature < width; feature += block)
    for (int i = 0; i < kTerms; ++i)
      sum[i % 2].add_product(Features::load(one + feature + i * kPair),
                             Features::load(other + feature + i * kPair));
  return folded(sum[0] + sum[1]);
}

// The gradients of the attention scores; keeps what the gradient of the values needs later.
//
// With w a weight over its sum and g the glimpse, a score's gradient is w (dg . v - dg . g).
template <int numbers>
VRP_INLINE void unmix(const Memory& memory, const Cursor& cursor, const Numbers<numbers>& state,
                      const float* slope, int count) {
  const std::int64_t heads = memory.heads, width = memory.features / (heads / kHeads);
  Heads number[numbers];
  for (int k = 0; k < numbers; ++k) number[k] = Heads::spread(state.each[k]);
  for (std::int64_t head = 0; head < heads; head += kHeads) {
    const std::int64_t begin = head / kHeads * width;
    const Heads along = product<kWhole>(slope + begin, cursor.glimpse + begin, width);
    const Heads inverse = Heads::load(memory.inverse + head);
    const float* weights = weights_of(memory, head);
    for (int index = 0; index < count; ++index) {
      const std::int64_t node = memory.node[index];
      const float* value = cursor.table.value + node * memory.features + begin;
      const Heads weight = Heads::load(weights + index * kHeads) * inverse;
      weight.store(memory.held + (node * kSteps + memory.times[node]) * heads + head);
      const Heads by = weight * (product<kWhole>(slope + begin, value, width) - along);
      float* near = cursor.gradient.near + node * heads + head;
      float* room = cursor.gradient.room + node * heads + head;
      (Heads::load(near) + by).store(near);
      for (int k = 0; k < numbers; ++k, room += memory.nodes * heads) {
        Heads changed = Heads::load(room);
        changed.add_product(by, number[k]);
        changed.store(room);
      }
    }
  }
}

// Records which nodes were listed, and the change of their pointers' gradient.
VRP_INLINE void note(const Memory& memory, const Cursor& cursor, std::int64_t time, int count) {
  for (int index = 0; index < count; ++index) {
    const std::int64_t node = memory.node[index];
    const std::int64_t at = node * kSteps + memory.times[node]++;
    memory.time[at] = time;
    memory.score[at] = cursor.squash[index];
  }
}

template <int block>
VRP_INLINE void add_values(const Memory& memory, float* gradient, std::int64_t node,
                       std::int64_t feature) {
  constexpr int kSums = block / kPair;
  const std::int64_t width = memory.features / (memory.heads / kHeads);
  const float* held = memory.held + node * kSteps * memory.heads + feature / width * kHeads;
  const std::int64_t* time = memory.time + node * kSteps;
  Features sum[kSums];
  for (int i = 0; i < kSums; ++i) sum[i] = Features::load(gradient + feature + i * kPair);
  for (std::int64_t index = 0; index < memory.times[node]; ++index) {
    const Features weight = twice(Heads::load(held + index * memory.heads));
    const float* slope = memory.slope + time[index] * memory.features + feature;
    for (int i = 0; i < kSums; ++i) sum[i].add_product(weight, Features::load(slope + i * kPair));
  }
  for (int i = 0; i < kSums; ++i) sum[i].store(gradient + feature + i * kPair);
}

template <int block>
VRP_INLINE void add_pointers(const Memory& memory, const float* glimpses, float* gradient,
                         std::int64_t node, std::int64_t feature) {
  constexpr int kSums = block / kPair;
  const std::int64_t* time = memory.time + node * kSteps;
  const float* score = memory.score + node * kSteps;
  Features sum[kSums];
  for (int i = 0; i < kSums; ++i) sum[i] = Features::load(gradient + feature + i * kPair);
  for (std::int64_t index = 0; index < memory.times[node]; ++index) {
    const Features by = Features::spread(score[index]);
    const float* glimpse = glimpses + time[index] * memory.features + feature;
    for (int i = 0; i < kSums; ++i) sum[i].add_product(by, Features::load(glimpse + i * kPair));
  }
  for (int i = 0; i < kSums; ++i) sum[i].store(gradient + feature + i * kPair);
}

// Adds the records of some steps and clears them, so that each row of the gradient is read and
// written once instead of once per step. `first` is the first of these steps.
VRP_INLINE void add_held(const Memory& memory, const Cursor& first) {
  const std::int64_t width = memory.features / (memory.heads / kHeads);
  for (std::int64_t node = 0; node < memory.nodes; ++node) {
    if (memory.times[node] == 0) continue;
    float* value = first.gradient.value + node * memory.features;
    float* pointer = first.gradient.pointer + node * memory.features;
    if (width % kBlock == 0) {
      for (std::int64_t feature = 0; feature < memory.features; feature += kBlock) {
        add_values<kBlock>(memory, value, node, feature);
        add_pointers<kBlock>(memory, first.glimpse, pointer, node, feature);
      }
    } else {
      for (std::int64_t feature = 0; feature < memory.features; feature += kFit) {
        add_values<kFit>(memory, value, node, feature);
        add_pointers<kFit>(memory, first.glimpse, pointer, node, feature);
      }
    }
    memory.times[node] = 0;
  }
}

}  // namespace vrp
