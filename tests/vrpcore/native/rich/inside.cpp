// What the tests look at inside of the search with constraints. It is compiled before rich.cpp, in
// one unit, with a clock of its own.

#include <time.h>

#include <cstdint>
#include <vector>

namespace inside {

inline std::int64_t seconds = 0;

// A second goes by from one look at the clock to the next.
inline int look_at_clock(clockid_t, timespec* now) {
  *now = {++seconds, 0};
  return 0;
}

}  // namespace inside

#define clock_gettime inside::look_at_clock
#include "rich_search.hpp"

#define INSIDE extern "C" __attribute__((visibility("default")))

namespace inside {

constexpr std::size_t kRoom = 1 << 26;

// Parts of a search, laid out once more, for a plan that is empty.
struct Parts {
  explicit Parts(vrp::RichSearch* search)
      : memory(kRoom),
        plan(&search->plan),
        arena(memory.data()),
        ruin(vrp::RichRuin::lay_out(arena, plan)) {
    plan->clear();
    ruin.begin();
  }

  void serve(int stop) {
    const std::int32_t visit = stop;
    plan->put(plan->free_route(), 0, &visit, 1);
    plan->take_in(stop);
  }

  std::vector<char> memory;
  vrp::FleetPlan* plan;
  vrp::Arena arena;
  vrp::RichRuin ruin;
};

}  // namespace inside

// Two routes with a stop each, of whom the first has been missing. Returns who loses the route.
INSIDE int inside_freed(vrp::RichSearch* search, int missed, int served) {
  inside::Parts parts(search);
  vrp::Absences absences = vrp::Absences::lay_out(parts.arena, parts.plan, &parts.ruin);
  absences.begin();
  parts.serve(served);
  absences.note();
  parts.plan->clear();
  parts.serve(missed);
  parts.serve(served);
  absences.free_route();
  return parts.plan->route_of[missed] < 0 ? missed : served;
}

// Of an empty plan, how many units an iteration inserts that began with a ruin at a stop.
INSIDE int inside_inserted(vrp::RichSearch* search, int stop) {
  inside::Parts parts(search);
  vrp::RichRecreate recreate = vrp::RichRecreate::lay_out(parts.arena, parts.plan, &parts.ruin);
  recreate.prepare();
  const int before = parts.plan->num_out;
  recreate.insert_some({vrp::Order::kNarrow, stop, before, false, false, false}, search->random);
  return before - parts.plan->num_out;
}

// The cheapest assignment of `size` rows to columns, by a matrix of doubles.
INSIDE void inside_assigned(const double* cost, int size, std::int32_t* column_of) {
  vrp::Assignment<8> assignment;
  for (int row = 0; row < size; ++row) {
    std::copy(cost + row * size, cost + (row + 1) * size, assignment.cost[row]);
  }
  assignment.solve(size);
  std::copy(assignment.column_of, assignment.column_of + size, column_of);
}
