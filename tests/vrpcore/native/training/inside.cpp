// Windows into the compiled step's smallest parts, for the tests.

#include <cstdint>

#include "construction.hpp"
#include "lanes.hpp"

#define VRP_WINDOW extern "C" __attribute__((visibility("default")))

namespace {

template <int count>
float each(const float* one, const float* other, float* found) {
  using Group = vrp::Lanes<count>;
  const Group a = Group::load(one), b = Group::load(other);
  Group sum = a;
  sum.add_product(b, Group::spread(3.0f));
  const Group results[] = {a + b, a - b, a * b, a / b, vrp::largest(a, b), vrp::smallest(a, b),
                           sum,   vrp::exponential(a)};
  for (const Group& result : results) {
    result.store(found);
    found += count;
  }
  return vrp::total(a);
}

}  // namespace

VRP_WINDOW int inside_widest() { return vrp::kWidest; }

VRP_WINDOW float inside_eight(const float* one, const float* other, float* found) {
  return each<8>(one, other, found);
}

VRP_WINDOW float inside_sixteen(const float* one, const float* other, float* found) {
  return each<16>(one, other, found);
}

VRP_WINDOW void inside_exponentials(const float* value, float* found, int count) {
  for (int index = 0; index < count; index += 16)
    vrp::exponential(vrp::Lanes<16>::load(value + index)).store(found + index);
}

VRP_WINDOW float inside_uniform(std::int64_t stream, std::int64_t step) {
  return vrp::uniform(stream, step);
}
