// What Python calls: whole constructions and their gradient, over memory that Python owns.
//
// A step reads only the nodes that it may choose, about half of all, so its data stays in the
// nearest cache.

#include <cstdint>
#include <limits>

#include "../shared/api.hpp"
#include "../shared/arithmetic.hpp"
#include "construction.hpp"
#include "layer.hpp"
#include "memory.hpp"
#include "muon.hpp"
#include "variant_construction.hpp"
#include "slope.hpp"
#include "step.hpp"

namespace {

using vrp::Construction;
using vrp::Memory;
using vrp::Cursor;
using vrp::VariantConstruction;
using vrp::Which;

// Where a node stands in the list; `count` where it does not.
int listed(const Memory& memory, std::int64_t node, int count) {
  int index = 0;
  while (index < count && memory.node[index] != node) ++index;
  return index;
}

// Chooses the nodes of one tour, or takes given ones, and records what the gradient needs.
// Returns the log-likelihood up to the last customer; of a tour that cannot be, minus infinity.
template <class State>
double construct_one(const Memory& given_memory, const typename State::Problem& problem,
                     const Which& which) {
  const Memory memory = given_memory;  // a local copy, which no other write can change
  State on_way(memory, problem, which);
  const std::int64_t row = which.instance * memory.starts + which.start;
  const std::int64_t start = memory.start[row];
  std::int64_t* choices = on_way.choices();
  double sum = 0.0, likelihood = 0.0;
  for (std::int64_t time = State::kFirst; !on_way.is_done(time); ++time) {
    const bool begins = time == State::kFirst && start > 0 && on_way.may_begin(start);
    if (begins) choices[time] = start;
    const bool given = begins || start < 0;
    const Cursor cursor = on_way.cursor(time);
    const int count = on_way.list(given ? choices[time] : -1);
    if (count == 0) return -std::numeric_limits<double>::infinity();  // no customer fits
    attend(memory, cursor, on_way.numbers(), count);
    mix(memory, cursor, count);
    point(memory, cursor, count);
    vrp::weigh<State::kWays>(memory, cursor, count);
    const float threshold = vrp::uniform(memory.stream[row], time - State::kFirst);
    const int chosen =
        given ? listed(memory, choices[time], count) : draw(cursor, count, threshold);
    if (!given) choices[time] = memory.node[chosen];
    sum += chosen < count ? vrp::log_of(static_cast<double>(cursor.probability[chosen]))
                          : -std::numeric_limits<double>::infinity();
    if (choices[time] >= on_way.num_depots()) likelihood = sum;
    on_way.visit(choices[time]);
  }
  return likelihood;
}

// Where the choices of a tour end: behind its last customer.
template <class State>
std::int64_t end_of(const Memory& memory, const State& on_way) {
  std::int64_t end = memory.length;
  while (end > State::kFirst && on_way.choices()[end - 1] < on_way.num_depots()) --end;
  return end;
}

// Adds the gradient of one tour; of one that cannot be, a part.
template <class State>
void gradient_one(const Memory& given_memory, const typename State::Problem& problem,
                  const Which& which, float factor) {
  const Memory memory = given_memory;
  State on_way(memory, problem, which);
  const std::int64_t* choices = on_way.choices();
  const std::int64_t end = end_of(memory, on_way);
  for (std::int64_t node = 0; node < memory.nodes; ++node) memory.times[node] = 0;
  Cursor first = on_way.cursor(State::kFirst);
  std::int64_t held = 0;
  for (std::int64_t time = State::kFirst; time < end; ++time) {
    const Cursor cursor = on_way.cursor(time);
    if (held == vrp::kSteps) {
      add_held(memory, first);
      first = cursor;
      held = 0;
    }
    const int count = on_way.list(choices[time]);
    const int chosen = listed(memory, choices[time], count);
    if (chosen == count) break;
    attend(memory, cursor, on_way.numbers(), count);
    vrp::unweigh<State::kWays>(memory, cursor, chosen, factor, count);
    float* slope = memory.slope + held * memory.features;
    unpoint(memory, cursor, slope, count);
    unmix(memory, cursor, on_way.numbers(), slope, count);
    note(memory, cursor, held, count);
    ++held;
    on_way.visit(choices[time]);
  }
  add_held(memory, first);
}

// All starts of the instances from `first` to before `behind`.
template <class State>
void construct(const Memory& memory, const typename State::Problem& problem, std::int64_t first,
               std::int64_t behind) {
  double* likelihood = memory.likelihood;
  for (std::int64_t instance = first; instance < behind; ++instance)
    for (std::int64_t start = 0; start < memory.starts; ++start)
      *likelihood++ = construct_one<State>(memory, problem, {first, instance, start});
}

template <class State>
void gradient(const Memory& memory, const typename State::Problem& problem, std::int64_t first,
              std::int64_t behind, const double* factors) {
  for (std::int64_t instance = first; instance < behind; ++instance)
    for (std::int64_t start = 0; start < memory.starts; ++start) {
      const Which which = {first, instance, start};
      gradient_one<State>(memory, problem, which, static_cast<float>(*factors++));
    }
}

}  // namespace

// Constructs the tours of the instances from `first` to before `behind` and records them.
VRP_API void vrp_construct(const Memory* memory, const vrp::Loads* loads, std::int64_t first,
                           std::int64_t behind) {
  construct<Construction>(*memory, *loads, first, behind);
}

// The same of the literature's variants.
VRP_API void vrp_construct_variants(const Memory* memory, const vrp::VariantArrays* variants,
                                 std::int64_t first, std::int64_t behind) {
  construct<VariantConstruction>(*memory, *variants, first, behind);
}

// Adds the gradient of -sum(factor * log-likelihood) with respect to the tables. `factors` has one
// number per tour.
VRP_API void vrp_gradient(const Memory* memory, const vrp::Loads* loads, std::int64_t first,
                          std::int64_t behind, const double* factors) {
  gradient<Construction>(*memory, *loads, first, behind, factors);
}

// The same of the literature's variants.
VRP_API void vrp_gradient_variants(const Memory* memory, const vrp::VariantArrays* variants,
                                std::int64_t first, std::int64_t behind, const double* factors) {
  gradient<VariantConstruction>(*memory, *variants, first, behind, factors);
}

// Passes the instances from `first` to before `behind` through a layer of the encoder.
VRP_API void vrp_layer(const vrp::Layer* layer, std::int64_t first, std::int64_t behind) {
  vrp::run_layer(*layer, first, behind);
}

// Passes their gradient back.
VRP_API void vrp_layer_gradient(const vrp::Layer* layer, std::int64_t first, std::int64_t behind) {
  vrp::unrun_layer(*layer, first, behind);
}

// Updates a weight matrix by one step of Muon.
VRP_API void vrp_muon(const vrp::Muon* muon) { vrp::move(*muon); }
