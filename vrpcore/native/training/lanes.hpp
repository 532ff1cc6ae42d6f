// Groups of floats that a processor handles at once.
//
// A compiler finds such groups by itself only in long plain loops, and a decoder step consists
// of short ones over a few heads. So the group is a type here, made of as many of the
// processor's vectors as it needs.
#pragma once

#include <cstdint>

// Always inline: a call would pass a group through memory.
#define VRP_INLINE __attribute__((always_inline)) inline

namespace vrp {

template <int width>
struct Native;

template <>
struct Native<4> {
  typedef float Floats __attribute__((vector_size(16)));
  typedef std::int32_t Whole __attribute__((vector_size(16)));
};

template <>
struct Native<8> {
  typedef float Floats __attribute__((vector_size(32)));
  typedef std::int32_t Whole __attribute__((vector_size(32)));
};

template <>
struct Native<16> {
  typedef float Floats __attribute__((vector_size(64)));
  typedef std::int32_t Whole __attribute__((vector_size(64)));
};

// Floats in a vector of the target processor.
#if defined(__AVX512F__)
constexpr int kWidest = 16;
#elif defined(__AVX2__)
constexpr int kWidest = 8;
#else
constexpr int kWidest = 4;
#endif

template <int count>
struct Lanes {
  static constexpr int kWidth = count < kWidest ? count : kWidest;
  static constexpr int kParts = count / kWidth;
  using Floats = typename Native<kWidth>::Floats;
  using Whole = typename Native<kWidth>::Whole;

  Floats part[kParts];

  VRP_INLINE static Lanes load(const float* from) {
    Lanes lanes;
    for (int i = 0; i < kParts; ++i)
      __builtin_memcpy(&lanes.part[i], from + i * kWidth, sizeof(Floats));
    return lanes;
  }

  VRP_INLINE void store(float* to) const {
    for (int i = 0; i < kParts; ++i) __builtin_memcpy(to + i * kWidth, &part[i], sizeof(Floats));
  }

  // One number in all places.
  VRP_INLINE static Lanes spread(float value) {
    Lanes lanes;
    for (Floats& each : lanes.part) each = value - Floats{};
    return lanes;
  }

  VRP_INLINE friend Lanes operator+(Lanes one, const Lanes& other) {
    for (int i = 0; i < kParts; ++i) one.part[i] += other.part[i];
    return one;
  }

  VRP_INLINE friend Lanes operator-(Lanes one, const Lanes& other) {
    for (int i = 0; i < kParts; ++i) one.part[i] -= other.part[i];
    return one;
  }

  VRP_INLINE friend Lanes operator*(Lanes one, const Lanes& other) {
    for (int i = 0; i < kParts; ++i) one.part[i] *= other.part[i];
    return one;
  }

  VRP_INLINE friend Lanes operator/(Lanes one, const Lanes& other) {
    for (int i = 0; i < kParts; ++i) one.part[i] /= other.part[i];
    return one;
  }

  // this += one * other, rounded once where the processor can.
  VRP_INLINE void add_product(const Lanes& one, const Lanes& other) {
    for (int i = 0; i < kParts; ++i) part[i] += one.part[i] * other.part[i];
  }
};

template <int count>
VRP_INLINE Lanes<count> largest(Lanes<count> one, const Lanes<count>& other) {
  for (int i = 0; i < Lanes<count>::kParts; ++i)
    one.part[i] = one.part[i] > other.part[i] ? one.part[i] : other.part[i];
  return one;
}

template <int count>
VRP_INLINE Lanes<count> smallest(Lanes<count> one, const Lanes<count>& other) {
  for (int i = 0; i < Lanes<count>::kParts; ++i)
    one.part[i] = one.part[i] < other.part[i] ? one.part[i] : other.part[i];
  return one;
}

// The first and the second half.
template <int count>
struct Halves {
  Lanes<count / 2> low;
  Lanes<count / 2> high;
};

template <int count>
VRP_INLINE Halves<count> halves(const Lanes<count>& lanes) {
  Halves<count> found;
#if __has_builtin(__builtin_shufflevector)
  if constexpr (Lanes<count>::kParts == 1 && count == 16) {
    const auto& all = lanes.part[0];
    found.low.part[0] = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7);
    found.high.part[0] = __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
    return found;
  } else if constexpr (Lanes<count>::kParts == 1 && count == 8) {
    const auto& all = lanes.part[0];
    found.low.part[0] = __builtin_shufflevector(all, all, 0, 1, 2, 3);
    found.high.part[0] = __builtin_shufflevector(all, all, 4, 5, 6, 7);
    return found;
  }
#endif
  __builtin_memcpy(&found, &lanes, sizeof(found));
  return found;
}

// The sums of the first and the second half.
template <int count>
VRP_INLINE Lanes<count / 2> folded(const Lanes<count>& lanes) {
  const Halves<count> half = halves(lanes);
  return half.low + half.high;
}

// Eight floats, and the same eight again.
VRP_INLINE Lanes<16> twice(const Lanes<8>& lanes) {
  Lanes<16> both;
#if defined(__AVX512F__) && __has_builtin(__builtin_shufflevector)
  const auto& all = lanes.part[0];
  both.part[0] = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
#else
  __builtin_memcpy(&both, &lanes, sizeof(lanes));
  __builtin_memcpy(reinterpret_cast<char*>(&both) + sizeof(lanes), &lanes, sizeof(lanes));
#endif
  return both;
}

// The sum of all.
template <int count>
VRP_INLINE float total(const Lanes<count>& lanes) {
  if constexpr (count > 4) {
    return total(folded(lanes));
  } else {
    const auto& part = lanes.part[0];
    return (part[0] + part[2]) + (part[1] + part[3]);
  }
}

// The largest of all.
template <int count>
VRP_INLINE float highest(const Lanes<count>& lanes) {
  if constexpr (count > 4) {
    const Halves<count> half = halves(lanes);
    return highest(largest(half.low, half.high));
  } else {
    const auto& part = lanes.part[0];
    const float one = part[0] > part[2] ? part[0] : part[2];
    const float other = part[1] > part[3] ? part[1] : part[3];
    return one > other ? one : other;
  }
}

// e^value, with a relative error of 2e-7. Values are clamped to [-60, 60], so that products of
// the result and a feature are not denormal.
//
// 2^n e^r with n the nearest whole number to value / ln 2 and a polynomial of |r| < 0.35:
// Taylor's coefficients, the last ones tuned for that range.
template <int count>
VRP_INLINE Lanes<count> exponential(const Lanes<count>& value) {
  using All = Lanes<count>;
  constexpr float kSeries[] = {1.3981999e-3f, 8.3334519e-3f, 4.1665796e-2f, 1.6666665e-1f,
                               0.5f,          1.0f,          1.0f};
  const All bounded = smallest(largest(value, All::spread(-60.0f)), All::spread(60.0f));
  All result;
  for (int i = 0; i < All::kParts; ++i) {
    const auto& x = bounded.part[i];
    // Positive, so that truncation rounds down.
    const auto cut =
        __builtin_convertvector(x * 1.4426950408889634f + 127.5f, typename All::Whole);
    const auto whole = __builtin_convertvector(cut, typename All::Floats) - 127.0f;
    auto rest = x + whole * -0.693359375f;
    rest = rest + whole * 2.12194440e-4f;
    auto sum = rest * 1.9875691e-4f + kSeries[0];
    for (int k = 1; k < 7; ++k) sum = sum * rest + kSeries[k];
    // The whole number becomes the exponent bits of a float.
    const auto bits = cut << 23;
    typename All::Floats power;
    __builtin_memcpy(&power, &bits, sizeof(power));
    result.part[i] = sum * power;
  }
  return result;
}

}  // namespace vrp
