// Arrays laid out one behind the other in memory that the caller owns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vrp {

// Without memory (nullptr) it only counts the bytes that would be needed.
class Arena {
 public:
  explicit Arena(void* memory) : base_(static_cast<char*>(memory)) {}

  template <class T>
  T* take(std::size_t count) {
    used_ = (used_ + kAlignment - 1) / kAlignment * kAlignment;
    T* array = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += count * sizeof(T);
    return array;
  }

  // Bytes from a start that is aligned to a cache line.
  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  char* base_;
  std::size_t used_ = 0;
};

}  // namespace vrp
