// The parts of a decoder step, over the nodes that may be chosen.
#pragma once

#include <cstdint>

#include "memory.hpp"

namespace vrp {

constexpr float kBound = 10.0f;  // of the logits
constexpr float kFar = 1.0e4f;   // of an impossible logit: negligible next to any other

// Features summed over all nodes at once: eight registers.
constexpr int kBlock = 8 * kWidest;
constexpr int kWhole = 4 * kPair;  // every eight heads have a multiple of these
constexpr int kFit = kBlock < kWhole ? kBlock : kWhole;

// Where the attention weights of eight heads are stored, one listed node after the other.
VRP_INLINE float* weights_of(const Memory& memory, std::int64_t head) {
  return memory.weight + head * padded(memory.nodes);
}

// Unnormalized weights of the listed nodes, and the inverse of their sums.
template <int numbers>
VRP_INLINE void attend(const Memory& memory, const Cursor& cursor, const Numbers<numbers>& state,
                       int count) {
  const std::int64_t heads = memory.heads, row = memory.nodes * heads;
  Heads number[numbers];
  for (int k = 0; k < numbers; ++k) number[k] = Heads::spread(state.each[k]);
  for (std::int64_t head = 0; head < heads; head += kHeads) {
    const float* near = cursor.table.near + head;
    const float* room = cursor.table.room + head;
    float* weights = weights_of(memory, head);
    for (int index = 0; index < count; ++index) {
      const std::int64_t at = memory.node[index] * heads;
      Heads score = Heads::load(near + at);
      for (int k = 0; k < numbers; ++k)
        score.add_product(number[k], Heads::load(room + k * row + at));
      score.store(weights + index * kHeads);
    }
    Features sums = Features::spread(0.0f);
    int index = 0;
    for (; index + 1 < count; index += 2) {
      const Features weight = exponential(Features::load(weights + index * kHeads));
      weight.store(weights + index * kHeads);
      sums = sums + weight;
    }
    Heads sum = folded(sums);
    if (index < count) {
      const Heads weight = exponential(Heads::load(weights + index * kHeads));
      weight.store(weights + index * kHeads);
      sum = sum + weight;
    }
    (Heads::spread(1.0f) / sum).store(memory.inverse + head);
  }
}

// Where what the listed nodes' k-th way counts is stored.
VRP_INLINE float* way_of(const Memory& memory, int k) {
  return memory.way + k * padded(memory.nodes);
}

template <int block>
VRP_INLINE void mix_block(const Memory& memory, const Cursor& cursor, std::int64_t feature,
                          int count) {
  constexpr int kSums = block / kPair;
  const std::int64_t width = memory.features / (memory.heads / kHeads);
  const std::int64_t head = feature / width * kHeads;
  const float* weights = weights_of(memory, head);
  const float* values = cursor.table.value + feature;
  Features sum[kSums];
  for (Features& each : sum) each = Features::spread(0.0f);
  for (int index = 0; index < count; ++index) {
    const Features weight = twice(Heads::load(weights + index * kHeads));
    const float* value = values + memory.node[index] * memory.features;
    for (int i = 0; i < kSums; ++i) sum[i].add_product(weight, Features::load(value + i * kPair));
  }
  const Features inverse = twice(Heads::load(memory.inverse + head));
  for (int i = 0; i < kSums; ++i) (sum[i] * inverse).store(cursor.glimpse + feature + i * kPair);
}

// Records the glimpse: the weighted sum of the listed nodes' values.
VRP_INLINE void mix(const Memory& memory, const Cursor& cursor, int count) {
  const std::int64_t width = memory.features / (memory.heads / kHeads);
  if (width % kBlock == 0) {
    for (std::int64_t feature = 0; feature < memory.features; feature += kBlock)
      mix_block<kBlock>(memory, cursor, feature, count);
  } else {
    for (std::int64_t feature = 0; feature < memory.features; feature += kFit)
      mix_block<kFit>(memory, cursor, feature, count);
  }
}

// Writes the pointer's scores of the listed nodes to `Memory::logit`.
VRP_INLINE void point(const Memory& memory, const Cursor& cursor, int count) {
  for (int index = 0; index < count; ++index) {
    const float* pointer = cursor.table.pointer + memory.node[index] * memory.features;
    Features one = Features::spread(0.0f), other = one;
    for (std::int64_t feature = 0; feature < memory.features; feature += 2 * kPair) {
      one.add_product(Features::load(cursor.glimpse + feature), Features::load(pointer + feature));
      other.add_product(Features::load(cursor.glimpse + feature + kPair),
                        Features::load(pointer + feature + kPair));
    }
    memory.logit[index] = total(one + other);
  }
}

// Probabilities of the listed nodes, and what the tanh's gradient needs.
//
// 10 tanh(u) = 10 - 20 q with q = 1 / (1 + e^2u); the constant cancels in the softmax.
template <int ways>
VRP_INLINE void weigh(const Memory& memory, const Cursor& cursor, int count) {
  const Features one = Features::spread(1.0f), two = Features::spread(2.0f);
  const int full = static_cast<int>(padded(count));
  for (int index = count; index < full; ++index) memory.logit[index] = 0.0f;
  for (int index = 0; index < full; index += kPair) {
    const Features q = one / (one + exponential(two * Features::load(memory.logit + index)));
    q.store(cursor.squash + index);
    (Features::spread(-2.0f * kBound) * q).store(memory.logit + index);
  }
  for (int index = 0; index < count; ++index)
    memory.logit[index] -= cursor.table.distance[memory.node[index]];
  for (int k = 0; k < ways; ++k) {
    const float* way = way_of(memory, k);
    for (int index = 0; index < count; ++index)
      memory.logit[index] -= cursor.table.way[k] * way[index];
  }
  for (int index = count; index < full; ++index) memory.logit[index] = -kFar;
  Features most = Features::spread(-kFar);
  for (int index = 0; index < full; index += kPair)
    most = largest(most, Features::load(memory.logit + index));
  float each[kPair];
  most.store(each);
  for (float other : each) each[0] = other > each[0] ? other : each[0];
  const Features top = Features::spread(each[0]);
  Features sum = Features::spread(0.0f);
  for (int index = 0; index < full; index += kPair) {
    const Features weight = exponential(Features::load(memory.logit + index) - top);
    weight.store(cursor.probability + index);
    sum = sum + weight;
  }
  const Features inverse = Features::spread(1.0f / total(sum));
  for (int index = 0; index < full; index += kPair)
    (Features::load(cursor.probability + index) * inverse).store(cursor.probability + index);
}

// Chooses a listed node: the one at which the running sum passes the threshold.
VRP_INLINE int draw(const Cursor& cursor, int count, float threshold) {
  float sum = 0.0f;
  for (int index = 0; index < count; ++index) {
    sum += cursor.probability[index];
    if (sum > threshold) return index;
  }
  return count - 1;
}

}  // namespace vrp
