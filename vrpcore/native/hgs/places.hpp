// Lengths that are computed where they are needed, for instances too large for a matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vrp {

// A point of the plane (z = 0), or of a sphere around the origin.
struct Place {
  double x, y, z;

  double along(int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
};

inline double square_between(const Place& one, const Place& other) {
  const double x = one.x - other.x, y = one.y - other.y, z = one.z - other.z;
  return x * x + y * y + z * z;
}

// How the straight line between two places becomes a length in whole numbers.
struct Measure {
  double factor;  // whole numbers for each unit of the places
  double curve;   // 1 / (2 * radius)^2 of the sphere; 0 in the plane
  bool up;        // to the next whole number instead of the nearest

  std::int32_t between(const Place& one, const Place& other) const {
    const double square = square_between(one, other);
    double length = std::sqrt(square) * factor;
    if (curve > 0.0) length *= arc(square * curve);
    const auto whole = static_cast<std::int32_t>(length);
    if (up) return whole + (static_cast<double>(whole) < length);
    return static_cast<std::int32_t>(length + 0.5);
  }

  // arcsin(s) / s for the square of s, to 1e-4: the beginning of its series, beyond s = 0.7 for
  // half of the angle that is left to a right one.
  static double arc(double square) {
    if (square > 0.5) {
      const double sine = std::sqrt(square), rest = 0.5 * (1.0 - sine);
      return (1.5707963267948966 - 2.0 * std::sqrt(std::max(0.0, rest)) * arc(rest)) / sine;
    }
    constexpr double kTerm[] = {0.01396, 0.01735, 0.02237, 0.03038, 0.04464, 0.075, 1.0 / 6.0};
    double sum = 0.0;
    for (const double term : kTerm) sum = (sum + term) * square;
    return 1.0 + sum;
  }
};

}  // namespace vrp
