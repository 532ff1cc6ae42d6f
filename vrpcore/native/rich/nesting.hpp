// Loading order: what was loaded last is unloaded first, so that shipments nest.
//
// What comes on board at a depot, or is there from the start, lies under the shipments that are
// picked up on the way, and what is collected for the depot lies on them until then. So between the
// ends of a shipment come only whole shipments, and stops without amounts.
//
// Source: Cordeau, Iori, Laporte and Salazar-Gonzalez 2010, "A branch-and-cut algorithm for the
// pickup and delivery traveling salesman problem with LIFO loading", Networks 55(1).
#pragma once

#include <algorithm>
#include <cstdint>

#include "rich_problem.hpp"

namespace vrp {

// Whether goods change hands at a visit that is no end of a shipment with two.
[[gnu::noinline]] inline bool has_own_goods(const RichProblem& problem, int visit) {
  if (problem.in.partner[visit] >= 0 || problem.is_reload(visit)) return false;
  if (problem.kind[visit]) return true;
  const double* amount = problem.amounts(problem.in.shipment, visit);
  return std::any_of(amount, amount + problem.in.dimensions, [](double own) { return own != 0; });
}

// Whether the shipments of a route nest.
[[gnu::noinline]] inline bool are_nested(const RichProblem& problem, const std::int32_t* visits,
                                         int count) {
  const std::int32_t* partner = problem.in.partner;
  const auto ended = [&](int at) {  // 1 at a delivery, -1 at a pickup
    const int visit = visits[at];
    return partner[visit] < 0 ? 0 : partner[visit] < visit ? 1 : -1;
  };
  for (int at = 0, aboard = 0; at < count; ++at) {
    if (aboard > 0 && has_own_goods(problem, visits[at])) return false;
    aboard -= ended(at);
    int begin = at;  // of the shipment that ends here: those behind it have ended
    for (int inside = ended(at); inside > 0; inside += ended(begin)) {
      if (--begin < 0) return false;
    }
    if (begin < at && visits[begin] != partner[visits[at]]) return false;
  }
  return true;
}

// Fills what is open at each position of a route whose shipments nest: the position of the pickup
// that was last of those on board, or, with none on board, minus 1 and minus the position behind
// the last own goods of a stop. Both ends of a shipment fit at two positions with the same number.
// Behind the first, a lower number stands where none fits any more, and a higher one within others.
[[gnu::noinline]] inline void set_open(const RichProblem& problem, const std::int32_t* visits,
                                       int count, const std::int32_t* position_of,
                                       std::int32_t* open) {
  open[0] = -1;
  for (int at = 0; at < count; ++at) {
    const int visit = visits[at], behind = at + 1;
    if (problem.is_delivery_end(visit)) {
      open[behind] = open[position_of[problem.in.partner[visit]]];
    } else if (problem.in.partner[visit] >= 0) {
      open[behind] = behind;
    } else {
      const bool cuts = problem.is_reload(visit) || has_own_goods(problem, visit);
      open[behind] = cuts ? -1 - behind : open[at];
    }
  }
}

}  // namespace vrp
