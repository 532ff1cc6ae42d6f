// Functions that give the same bits on every platform and with every compiler. They use only
// sums, products and quotients of doubles, whose rounding IEEE 754 defines.
#pragma once

#include <bit>
#include <cstdint>

namespace vrp {

// The nearest whole number, halves to even, for |value| < 2^51.
inline double rounded(double value) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: leaves no fractional digits
  return (value + kShift) - kShift;
}

// Natural logarithm of a normal positive number, to about 1e-12.
// 2 atanh((m - 1) / (m + 1)) for a mantissa m between sqrt(1/2) and sqrt(2).
inline double log_of(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double mantissa =
      std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  const double ratio = (mantissa - 1.0) / (mantissa + 1.0);
  const double square = ratio * ratio;
  double series = 1.0 / 15.0;
  for (double odd = 13.0; odd >= 1.0; odd -= 2.0) series = series * square + 1.0 / odd;
  return static_cast<double>(exponent) * 0.6931471805599453 + 2.0 * ratio * series;
}

// e to a power between -700 and 700, to about 1e-12: a power of two times a short series.
inline double exp_of(double power) {
  const double twos = rounded(power * 1.4426950408889634);
  const double rest = power - twos * 0.6931471805599453;
  double series = 1.0;
  for (double term = 14.0; term >= 1.0; term -= 1.0) series = 1.0 + rest / term * series;
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(twos) + 1023);
  return series * std::bit_cast<double>(exponent << 52);
}

}  // namespace vrp
