// Arrays placed one after the other in memory that the caller owns.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace vrp {

// Without memory (nullptr) it only counts the bytes needed.
class Arena {
 public:
  explicit Arena(void* memory) : base_(static_cast<char*>(memory)) {}

  template <class T>
  T* take(std::size_t count) {
    used_ = (used_ + kAlignment - 1) / kAlignment * kAlignment;
    T* array = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += count * sizeof(T);
#if defined(__SANITIZE_ADDRESS__)
    // A gap that no code may touch, so that a write past one array is not a write into the
    // next. It is so wide that the allocator does not keep memory with gaps for other uses.
    if (base_) __asan_poison_memory_region(base_ + used_, kGap);
    used_ += kGap;
#endif
    return array;
  }

  // Makes memory that had arrays ready for others.
  static void clear([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(memory, bytes);
#endif
  }

  // Bytes used, from a start that is aligned to a cache line.
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
