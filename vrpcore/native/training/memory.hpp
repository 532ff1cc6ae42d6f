// What Python passes (`vrpcore.learn.train.training_library`), and where a choice's numbers begin.
#pragma once

#include <cstdint>

#include "lanes.hpp"

namespace vrp {

// Heads are stored in groups of eight: feature by feature, one number for each head.
constexpr int kHeads = 8;
using Heads = Lanes<kHeads>;
// Two features of eight heads.
using Features = Lanes<2 * kHeads>;
constexpr int kPair = 2 * kHeads;
// Number of steps whose feature gradients are collected and added together.
constexpr int kSteps = 16;

// The decoder's tables, or their gradient: `vrpcore.learn.train.arrays.Arrays`.
struct Tables {
  float* near;
  float* room;
  float* value;
  float* pointer;
  float* distance;
  float* way;
};

// Flat form of `vrpcore.learn.train.arrays.Memory`.
struct Memory {
  Tables table;
  Tables gradient;
  const std::int64_t* start;
  const std::int64_t* stream;
  std::int64_t* choice;
  float* glimpse;
  float* squash;
  float* probability;
  double* likelihood;
  std::int64_t* node;  // from here on, one thread's working memory
  double* open_need;
  std::int64_t* open;
  float* way;
  float* weight;
  float* inverse;
  float* logit;
  float* slope;
  std::int64_t* times;
  std::int64_t* time;
  float* score;
  float* held;
  std::int64_t nodes;
  std::int64_t heads;
  std::int64_t features;
  std::int64_t numbers;  // rows of `Tables::room`
  std::int64_t ways;     // columns of `Tables::way`
  std::int64_t starts;
  std::int64_t length;
};

// What a vehicle tells of itself; each is multiplied with a row of `Tables::room`.
template <int count>
struct Numbers {
  float each[count];
};

// Where the numbers of a choice begin: in `near` and `distance`, those of the vehicle's node; in
// the other tables, those of the instance.
struct Cursor {
  Tables table;
  Tables gradient;
  float* glimpse;
  float* squash;
  float* probability;
};

inline Tables moved(const Tables& tables, const Memory& memory, std::int64_t instance,
                    std::int64_t last) {
  const std::int64_t here = instance * memory.nodes + last;
  return {tables.near + here * memory.nodes * memory.heads,
          tables.room + instance * memory.numbers * memory.nodes * memory.heads,
          tables.value + instance * memory.nodes * memory.features,
          tables.pointer + instance * memory.nodes * memory.features,
          tables.distance + here * memory.nodes,
          tables.way + instance * memory.ways};
}

// Numbers per choice in `squash` and `probability`.
inline std::int64_t padded(std::int64_t count) { return (count + kPair - 1) / kPair * kPair; }

}  // namespace vrp
