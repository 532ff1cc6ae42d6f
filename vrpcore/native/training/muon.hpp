// A step of Muon for one matrix (`vrpcore.learn.train.optimizer.Muon`).
//
// Each iteration multiplies X by a polynomial of X X^T, so all of them work only on X X^T. These
// products are smaller than those with a wide X, and symmetric, so only half is computed.
#pragma once

#include <cstdint>

#include "norm.hpp"
#include "product.hpp"

namespace vrp {

struct Muon {
  float* weight;          // [rows, columns]
  const float* gradient;  // the same
  float* mean;            // the same, moving average of the gradient
  float* ahead;           // the same, working memory
  float* square;          // five times the shorter side squared, working memory
  float* laid_out;        // `kLaidOut`
  std::int64_t rows;
  std::int64_t columns;
  float momentum;
  float keep;  // factor of the weight (decay)
  float rate;  // factor of the direction
};

// Jordan's quintic, the same as in Python.
constexpr float kFirst = 3.4445f, kThird = -4.7750f, kFifth = 2.0315f;
constexpr int kIterations = 5;
constexpr float kLeastNorm = 1e-7f;

// Symmetric matrices that commute, so that their products are symmetric too.
class Squares {
 public:
  Squares(std::int64_t size, float* memory, float* laid_out)
      : size_(size), laid_out_(laid_out), at_(memory) {}

  float* of(int number) const { return at_ + number * size_ * size_; }

  void product(int one, int other, int to) const {
    multiply({of(one), size_, 1}, {of(other), size_, 1}, {of(to), size_, 1}, {size_, size_, size_},
             Into::kMirror, laid_out_);
    mirror(of(to), size_);
  }

  // to = first + third square + fifth square^2
  void polynomial(int square, int to) const {
    product(square, square, to);
    float* found = of(to);
    const float* from = of(square);
    for (std::int64_t i = 0; i < size_ * size_; ++i)
      found[i] = kFifth * found[i] + kThird * from[i];
    for (std::int64_t i = 0; i < size_; ++i) found[i * (size_ + 1)] += kFirst;
  }

 private:
  std::int64_t size_;
  float* laid_out_;
  float* at_;
};

// Computes the left factor of X from X X^T, which is matrix 0. Returns the factor's number.
inline int all_iterations(const Squares& squares) {
  int square = 0, spare = 1, change = 2, product = 3, other = 4;
  squares.polynomial(square, product);
  for (int i = 1; i < kIterations; ++i) {
    const int last = i == 1 ? product : change;
    squares.product(last, square, spare);
    squares.product(last, spare, square);
    squares.polynomial(square, change);
    squares.product(change, product, other);
    const int kept = product;
    product = other;
    other = kept;
  }
  return product;
}

inline void move(const Muon& muon) {
  const std::int64_t count = muon.rows * muon.columns;
  const float fresh = 1.0f - muon.momentum;
  for (std::int64_t i = 0; i < count; ++i) {
    muon.mean[i] += fresh * (muon.gradient[i] - muon.mean[i]);
    // Nesterov momentum.
    muon.ahead[i] = muon.gradient[i] + muon.momentum * (muon.mean[i] - muon.gradient[i]);
    muon.weight[i] *= muon.keep;
  }
  const Matrix ahead = {muon.ahead, muon.columns, 1}, weight = {muon.weight, muon.columns, 1};
  const bool wide = muon.rows <= muon.columns;
  const Matrix flat = wide ? ahead : ahead.transposed();
  const std::int64_t size = wide ? muon.rows : muon.columns, sums = wide ? muon.columns : muon.rows;
  const Squares squares(size, muon.square, muon.laid_out);
  multiply(flat, flat.transposed(), {muon.square, size, 1}, {size, sums, size}, Into::kMirror,
           muon.laid_out);
  mirror(muon.square, size);
  float trace = 0.0f;
  for (std::int64_t i = 0; i < size; ++i) trace += muon.square[i * (size + 1)];
  const float norm = square_root(trace);
  const float inverse = 1.0f / (norm > kLeastNorm ? norm : kLeastNorm);
  for (std::int64_t i = 0; i < size * size; ++i) muon.square[i] *= inverse * inverse;
  float* direction = squares.of(all_iterations(squares));
  for (std::int64_t i = 0; i < size * size; ++i) direction[i] *= -muon.rate * inverse;
  const Matrix by = {direction, size, 1};
  multiply(wide ? by : ahead, wide ? ahead : by, weight,
           {muon.rows, size, muon.columns}, Into::kAdd, muon.laid_out);
}

}  // namespace vrp
