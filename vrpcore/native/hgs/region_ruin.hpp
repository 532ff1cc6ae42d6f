// Ruin in a region: removes strings of customers from routes that are near each other, as
// ruin.hpp does in rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/strings.hpp"
#include "region.hpp"

namespace vrp {

class RegionRuin {
 public:
  explicit RegionRuin(Region& region) : region_(region), plan_(*region.plan) {}

  // Adds the removed customers to `removed`, updates the cost, and returns their number.
  int remove(int seed, std::int32_t* removed) {
    const Problem& problem = *plan_.problem;
    Random& random = region_.random;
    Strings strings = Strings::draw(
        random, static_cast<double>(region_.num_customers) / std::max(1, region_.num_routes));
    const std::int32_t* near = problem.near + static_cast<std::int64_t>(seed) * problem.num_near;
    int count = 0;
    for (int rank = -1; rank < problem.num_near && strings.count > 0; ++rank) {
      const int customer = rank < 0 ? seed : near[rank];
      const int row = region_.vehicle_of(customer);
      if (row < 0 || plan_.route[row].ruined == region_.iteration) continue;
      const String string = strings.draw_string(random, plan_.route[row].size);
      plan_.route[row].ruined = region_.iteration;
      count += remove_string(customer, row, string, removed + count);
      --strings.count;
    }
    return count;
  }

 private:
  // Removes a string around a customer from its route.
  int remove_string(int customer, int row, const String& string, std::int32_t* removed) {
    LinkedPlan::Stop* stop = plan_.stop;
    Random& random = region_.random;
    const auto [size, kept] = string;
    const int total = size + kept;
    int behind = 0, ahead = 0;
    for (int at = customer; behind < total - 1 && stop[at].previous; ++behind) {
      at = stop[at].previous;
    }
    for (int at = customer; ahead < total - 1 && stop[at].next; ++ahead) at = stop[at].next;
    const int fewest = std::max(0, total - 1 - ahead);
    int at = customer;
    for (int back = fewest + random.below(behind - fewest + 1); back > 0; --back) {
      at = stop[at].previous;
    }
    const int keep_from = kept > 0 ? 1 + random.below(size - 1) : total;
    region_.touch_route(row);
    LinkedPlan::Route& route = plan_.route[row];
    int before = stop[at].previous, count = 0;
    region_.cost -= stop[at].into;
    for (int index = 0; index < total; ++index) {
      const int next = stop[at].next;
      const std::int32_t out = stop[at].out;
      if (index >= keep_from && index < keep_from + kept) {
        if (index == keep_from) {
          join(row, before, at);
        } else {
          region_.cost += stop[at].into;
        }
        before = at;
      } else {
        removed[count++] = at;
        region_.touch(at);
        stop[at].route = -1;
        route.load -= plan_.problem->demand[at];
        --route.size;
      }
      region_.cost -= out;
      at = next;
    }
    join(row, before, at);
    if (route.size == 0) region_.note_empty(row);
    return count;
  }

  // With two depots as neighbours the route is empty.
  void join(int row, int before, int node) {
    const std::int32_t length = plan_.length(before, node);
    region_.join(row, before, node, length);
    region_.cost += length;
  }

  Region& region_;
  LinkedPlan& plan_;
};

}  // namespace vrp
