// Layer norm and elementwise operations, forward and backward.
#pragma once

#include <cstdint>

namespace vrp {

constexpr float kLeastVariance = 1e-5f;  // same as torch.nn.LayerNorm

inline float square_root(float value) { return __builtin_sqrtf(value); }

// Normalizes each row to mean 0 and variance 1; writes the factors to `scale`.
inline void norm(float* rows, float* scale, std::int64_t count, std::int64_t width) {
  for (std::int64_t row = 0; row < count; ++row, rows += width) {
    float sum = 0.0f, squares = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < width; ++i) sum += rows[i];
    const float mean = sum / static_cast<float>(width);
#pragma omp simd reduction(+ : squares)
    for (std::int64_t i = 0; i < width; ++i) squares += (rows[i] - mean) * (rows[i] - mean);
    const float by = 1.0f / square_root(squares / static_cast<float>(width) + kLeastVariance);
    for (std::int64_t i = 0; i < width; ++i) rows[i] = (rows[i] - mean) * by;
    scale[row] = by;
  }
}

inline void affine(const float* __restrict from, const float* __restrict gain,
                   const float* __restrict shift, float* __restrict to, std::int64_t count,
                   std::int64_t width) {
  for (std::int64_t row = 0; row < count; ++row, from += width, to += width)
    for (std::int64_t i = 0; i < width; ++i) to[i] = from[i] * gain[i] + shift[i];
}

// Turns the gradient of `affine`'s result into that of the norm's input.
inline void unnorm(const float* __restrict normal, const float* __restrict scale,
                   const float* __restrict gain, float* __restrict slope,
                   float* __restrict gain_slope, float* __restrict shift_slope,
                   std::int64_t count, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i) gain_slope[i] = shift_slope[i] = 0.0f;
  const float share = 1.0f / static_cast<float>(width);
  for (std::int64_t row = 0; row < count; ++row, normal += width, slope += width) {
    float sum = 0.0f, along = 0.0f;
#pragma omp simd reduction(+ : sum, along)
    for (std::int64_t i = 0; i < width; ++i) {
      gain_slope[i] += slope[i] * normal[i];
      shift_slope[i] += slope[i];
      slope[i] *= gain[i];
      sum += slope[i];
      along += slope[i] * normal[i];
    }
    const float by = scale[row];
    sum *= share;
    along *= share;
    for (std::int64_t i = 0; i < width; ++i) slope[i] = by * (slope[i] - sum - normal[i] * along);
  }
}

// to = rows, with the same vector added to each.
inline void add_row(const float* __restrict rows, const float* __restrict row,
                    float* __restrict to, std::int64_t count, std::int64_t width) {
  for (std::int64_t each = 0; each < count; ++each, rows += width, to += width)
    for (std::int64_t i = 0; i < width; ++i) to[i] = rows[i] + row[i];
}

// Adds the same vector to each row, then applies ReLU.
inline void rectify(float* __restrict rows, const float* __restrict bias, std::int64_t count,
                    std::int64_t width) {
  for (std::int64_t row = 0; row < count; ++row, rows += width) {
    for (std::int64_t i = 0; i < width; ++i) {
      const float sum = rows[i] + bias[i];
      rows[i] = sum > 0.0f ? sum : 0.0f;
    }
  }
}

// Replaces the gradient of the rectified `rows` by that of ReLU's input; adds up the bias's.
inline void unrectify(const float* __restrict rows, float* __restrict slope,
                      float* __restrict bias_slope, std::int64_t count, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i) bias_slope[i] = 0.0f;
  for (std::int64_t row = 0; row < count; ++row, rows += width, slope += width) {
    for (std::int64_t i = 0; i < width; ++i) {
      slope[i] = rows[i] > 0.0f ? slope[i] : 0.0f;
      bias_slope[i] += slope[i];
    }
  }
}

inline void sum_rows(const float* __restrict rows, float* __restrict sum, std::int64_t count,
                     std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i) sum[i] = 0.0f;
  for (std::int64_t row = 0; row < count; ++row, rows += width)
    for (std::int64_t i = 0; i < width; ++i) sum[i] += rows[i];
}

}  // namespace vrp
