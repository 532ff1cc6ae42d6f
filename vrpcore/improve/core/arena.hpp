// Arrays laid out one behind the other in memory that the caller owns.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

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
#if defined(__SANITIZE_ADDRESS__)
    // A gap that nobody may touch: one array's end is not another's beginning. It is wide, so
    // that memory with gaps is too large to be kept for other uses by who gave it.
    if (base_) __asan_poison_memory_region(base_ + used_, kGap);
    used_ += kGap;
#endif
    return array;
  }

  // Bytes from a start that is aligned to a cache line.
  std::size_t used() const { return used_; }

 private:
  static constexpr std::size_t kAlignment = 64;
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t kGap = 512;
#endif
  char* base_;
  std::size_t used_ = 0;
};

}  // namespace vrp
