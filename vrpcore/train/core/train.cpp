// What Python calls: whole constructions and their gradient, over memory that Python owns.
//
// A step reads only the nodes that it may choose, about half of all, so its data stays in the
// nearest cache.

#include <cstdint>
#include <limits>

#include "../../improve/core/api.hpp"
#include "../../improve/core/arithmetic.hpp"
#include "construction.hpp"
#include "layer.hpp"
#include "memory.hpp"
#include "muon.hpp"
#include "slope.hpp"
#include "step.hpp"

namespace {

using vrp::Construction;
using vrp::Memory;
using vrp::Place;
using vrp::Which;

// Chooses the nodes of one tour, or takes given ones, and records what the gradient needs.
void construct_one(const Memory& given_memory, const Which& which) {
  const Memory memory = given_memory;  // a local copy, which no other write can change
  Construction on_way(memory, which);
  const std::int64_t row = which.instance * memory.starts + which.start;
  std::int64_t* choices = on_way.choices();
  const bool given = memory.start[row] < 0;
  for (std::int64_t time = 0; !on_way.is_done(time); ++time) {
    const Place place = on_way.place(time);
    const int count = on_way.list();
    attend(memory, place, on_way.rooms(), count);
    mix(memory, place, count);
    point(memory, place, count);
    weigh(memory, place, count);
    if (!given && time == 0) {
      choices[time] = memory.start[row];
    } else if (!given) {
      const float threshold = vrp::uniform(memory.stream[row], time);
      choices[time] = memory.node[draw(place, count, threshold)];
    }
    on_way.visit(choices[time]);
  }
}

// Adds the gradient of one tour; returns -factor * log-likelihood.
double gradient_one(const Memory& given_memory, const Which& which, float factor) {
  const Memory memory = given_memory;
  Construction on_way(memory, which);
  const std::int64_t* choices = on_way.choices();
  double loss = 0.0;
  for (std::int64_t node = 0; node < memory.nodes; ++node) memory.times[node] = 0;
  Place first = on_way.place(0);
  std::int64_t held = 0;
  for (std::int64_t time = 0; !on_way.is_done(time); ++time) {
    const Place place = on_way.place(time);
    if (held == vrp::kSteps) {
      add_held(memory, first);
      first = place;
      held = 0;
    }
    const int count = on_way.list();
    int chosen = 0;
    while (chosen < count && memory.node[chosen] != choices[time]) ++chosen;
    if (chosen == count) return std::numeric_limits<double>::infinity();
    loss -= static_cast<double>(factor) *
            vrp::log_of(static_cast<double>(place.probability[chosen]));
    attend(memory, place, on_way.rooms(), count);
    unweigh(memory, place, chosen, factor, count);
    float* slope = memory.slope + held * memory.features;
    unpoint(memory, place, slope, count);
    unmix(memory, place, on_way.rooms(), slope, count);
    note(memory, place, held, count);
    ++held;
    on_way.visit(choices[time]);
  }
  add_held(memory, first);
  return loss;
}

}  // namespace

// Constructs the tours of the instances from `first` to before `behind` and records them.
VRP_API void vrp_construct(const Memory* memory, std::int64_t first, std::int64_t behind) {
  for (std::int64_t instance = first; instance < behind; ++instance)
    for (std::int64_t start = 0; start < memory->starts; ++start)
      construct_one(*memory, {first, instance, start});
}

// Adds the gradient of -sum(factor * log-likelihood) with respect to the tables. Returns the
// sum, infinite if a given tour is impossible. `factors` has one number per tour.
VRP_API double vrp_gradient(const Memory* memory, std::int64_t first, std::int64_t behind,
                            const double* factors) {
  double loss = 0.0;
  for (std::int64_t instance = first; instance < behind; ++instance)
    for (std::int64_t start = 0; start < memory->starts; ++start)
      loss += gradient_one(*memory, {first, instance, start}, static_cast<float>(*factors++));
  return loss;
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
