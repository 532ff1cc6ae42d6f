// The gradient of a decoder step, part by part.
#pragma once

#include <cstdint>

#include "memory.hpp"
#include "step.hpp"

namespace vrp {

// The gradient of -factor * log-probability by the pointer's scores.
//
// Leaves that by the logits in `Memory::logit`, and that by the scores in place of the
// squashed scores.
inline void unweigh(const Memory& memory, const Place& place, int chosen, float factor,
                    int count) {
  const Features scale = Features::spread(factor), one = Features::spread(1.0f);
  for (int index = 0; index < count; index += kPair)
    (Features::load(place.probability + index) * scale).store(memory.logit + index);
  memory.logit[chosen] -= factor;
  for (int index = 0; index < count; ++index)
    place.gradient.distance[memory.node[index]] -= memory.logit[index];
  for (int index = 0; index < count; index += kPair) {
    const Features q = Features::load(place.squash + index);
    const Features steep = Features::spread(4.0f * kBound) * q * (one - q);
    (steep * Features::load(memory.logit + index)).store(place.squash + index);
  }
}

template <int block>
inline void unpoint_block(const Memory& memory, const Place& place, std::int64_t feature,
                          int count) {
  constexpr int kSums = block / kPair;
  const float* pointers = place.table.pointer + feature;
  float* slopes = place.gradient.pointer + feature;
  Features glimpse[kSums], sum[kSums];
  for (int i = 0; i < kSums; ++i) {
    glimpse[i] = Features::load(place.glimpse + feature + i * kPair);
    sum[i] = Features::spread(0.0f);
  }
  for (int index = 0; index < count; ++index) {
    const std::int64_t at = memory.node[index] * memory.features;
    const Features by = Features::spread(place.squash[index]);
    for (int i = 0; i < kSums; ++i) {
      sum[i].add_product(by, Features::load(pointers + at + i * kPair));
      Features slope = Features::load(slopes + at + i * kPair);
      slope.add_product(by, glimpse[i]);
      slope.store(slopes + at + i * kPair);
    }
  }
  for (int i = 0; i < kSums; ++i) sum[i].store(memory.slope + feature + i * kPair);
}

// The glimpse's gradient to `Memory::slope`, and the pointers'.
inline void unpoint(const Memory& memory, const Place& place, int count) {
  // Twice as many registers are taken as in `mix`; AVX-512 has twice as many.
  constexpr int kStep = kWidest == 16 ? kFit : kFit / 2;
  if (kWidest == 16 && memory.features % kBlock == 0) {
    for (std::int64_t feature = 0; feature < memory.features; feature += kBlock)
      unpoint_block<kBlock>(memory, place, feature, count);
  } else {
    for (std::int64_t feature = 0; feature < memory.features; feature += kStep)
      unpoint_block<kStep>(memory, place, feature, count);
  }
}

// Of one node and eight heads: the values' gradient; returns weight * (dg . v - along).
template <int block>
inline Heads unmix_node(const float* value, float* slope, const float* by, const Features& weight,
                        std::int64_t width) {
  constexpr int kTerms = block / kPair;
  Features sum[2] = {Features::spread(0.0f), Features::spread(0.0f)};
  for (std::int64_t feature = 0; feature < width; feature += block) {
    for (int i = 0; i < kTerms; ++i) {
      const std::int64_t at = feature + i * kPair;
      const Features glimpse = Features::load(by + at);
      sum[i % 2].add_product(glimpse, Features::load(value + at));
      Features changed = Features::load(slope + at);
      changed.add_product(weight, glimpse);
      changed.store(slope + at);
    }
  }
  return folded(sum[0] + sum[1]);
}

// The gradients of values and attention scores.
//
// With w a weight over its sum and g the glimpse, a score's gradient is w (dg . v - dg . g).
inline void unmix(const Memory& memory, const Place& place, Rooms rooms, int count) {
  const std::int64_t heads = memory.heads, width = memory.features / (heads / kHeads);
  const Heads own = Heads::spread(rooms.own), all = Heads::spread(rooms.all);
  for (std::int64_t head = 0; head < heads; head += kHeads) {
    const std::int64_t begin = head / kHeads * width;
    const float* by = memory.slope + begin;
    Features product = Features::spread(0.0f);
    for (std::int64_t feature = 0; feature < width; feature += kPair)
      product.add_product(Features::load(by + feature),
                          Features::load(place.glimpse + begin + feature));
    const Heads along = folded(product);
    const Features inverse = Features::load(memory.inverse + 2 * head);
    for (int index = 0; index < count; ++index) {
      const std::int64_t node = memory.node[index], first = node * memory.features + begin;
      const Features weight =
          Features::load(memory.weight + (index * heads + head) * 2) * inverse;
      const Heads found = unmix_node<kWhole>(place.table.value + first,
                                            place.gradient.value + first, by, weight, width);
      Heads single;
      __builtin_memcpy(&single, &weight, sizeof(single));
      const Heads slope = single * (found - along);
      float* near = place.gradient.near + node * heads + head;
      float* room = place.gradient.room + node * heads + head;
      float* other = room + memory.nodes * heads;
      (Heads::load(near) + slope).store(near);
      Heads changed = Heads::load(room);
      changed.add_product(slope, own);
      changed.store(room);
      changed = Heads::load(other);
      changed.add_product(slope, all);
      changed.store(other);
    }
  }
}

}  // namespace vrp
