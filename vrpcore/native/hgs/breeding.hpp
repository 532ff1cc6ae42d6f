// Breeding: which children the population has, and which solutions it admits.
//
// Source: Vidal 2022 (see local_search.hpp), section 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "../shared/clock.hpp"
#include "anneal.hpp"
#include "educator.hpp"
#include "population.hpp"

namespace vrp {

// Share of children built from their parents' routes; the others are built from giant tours.
constexpr double kByRoutes = 0.8;
// The price of excess adapts to how many of the last children are within the limits.
constexpr int kWatched = 100;
constexpr int kFewest = 15, kMost = 25;
constexpr double kDearer = 1.2, kCheaper = 0.85;
// After this many children per customer without a better solution, a new population begins.
// A population without two parents gets this many children of random orders.
constexpr int kPatience = 30;
constexpr int kFirst = 8;

// Up to `width` children are in progress at once. They are created, and enter the population,
// in a fixed order: a child is created when the one `width` before it has entered. So the
// number of threads that improve them does not change the children. Not thread-safe: one
// thread at a time may call this class.
class Breeding {
 public:
  static Breeding* lay_out(Arena& arena, const Problem* problem, int vehicles, int width) {
    auto* breeding = arena.take<Breeding>(1);
    Breeding unplaced;
    Breeding* made = breeding ? new (breeding) Breeding : &unplaced;
    made->problem_ = problem;
    made->width_ = width;
    made->population = Population::lay_out(arena, problem, vehicles);
    made->child_ = arena.take<Child>(static_cast<std::size_t>(width));
    for (int position = 0; position < width; ++position) {
      const Child child = Child::lay_out(arena, problem, vehicles);
      if (breeding) made->child_[position] = child;
    }
    return breeding;
  }

  void begin(std::uint64_t seed) {
    random_.seed(seed);
    seed_ = seed;
    const auto cells = static_cast<std::int64_t>(problem_->num_nodes) * problem_->num_nodes;
    const double longest = *std::max_element(problem_->from, problem_->from + cells);
    const double heaviest = static_cast<double>(
        *std::max_element(problem_->demand, problem_->demand + problem_->num_nodes));
    set_rate(std::max(1.0, longest) / std::max(1.0, heaviest));
  }

  // Admits an annealer's best solution. One with unserved customers is only recorded, if it is the
  // best so far, and never becomes a parent.
  void admit(const Annealer& annealer) {
    population.note(annealer.best_rank, annealer.best_tour);
    if (annealer.best_rank >= kUnservedRank) return;
    population.admit(annealer.best_rank, 0, annealer.best_tour);
  }

  // Requests more children, the first of them of random orders. Drops children in progress
  // that no thread improves.
  void expect(std::int64_t children, int orders) {
    conceived_ = educated_ = taken_in_ = 0;
    expected_ = children;
    num_orders_ = orders;
    conceive();
  }

  // Starts no more children. Returns the number made.
  std::int64_t stop() {
    expected_ = educated_;
    return taken_in_;
  }

  bool all_begun() const { return educated_ == expected_; }

  // The next child to improve; nullptr if the oldest one must enter the population first, or
  // if all have begun: none begins once the search is over.
  Child* next() {
    if (is_over(problem_->watch)) stop();
    if (all_begun() || educated_ == conceived_) return nullptr;
    return &child_[educated_++ % width_];
  }

  // Marks a child as improved. Admits improved children up to the oldest one that is not, and
  // creates as many new ones.
  void deliver(Child& delivered) {
    delivered.ready = true;
    while (taken_in_ < educated_ && child_[taken_in_ % width_].ready) {
      const std::int64_t known = population.best_rank;
      admit(child_[taken_in_++ % width_]);
      const bool gained = population.best_rank < known;
      problem_->note(problem_->num_nodes - 1, population.best_rank, gained);
      conceive();
    }
  }

  // Makes children in one thread, for at most `seconds` if these are at least 0. Returns the
  // number made.
  std::int64_t breed(Educator& educator, std::int64_t children, int orders, double seconds) {
    const double end = seconds < 0.0 ? 0.0 : clock_seconds() + seconds;
    expect(children, orders);
    for (;;) {
      if (seconds >= 0.0 && clock_seconds() >= end) stop();
      Child* child = next();
      if (!child) return taken_in_;
      educator.educate(*child);
      deliver(*child);
    }
  }

  Population population;

 private:
  void conceive() {
    while (conceived_ < expected_ && conceived_ - taken_in_ < width_) {
      Child& child = child_[conceived_++ % width_];
      child.ready = false;
      child.rate = rate_;
      child.random.seed(seed_ + ++num_children_);
      choose_parents(child);
    }
  }

  void choose_parents(Child& child) {
    if (population.best_rank < last_best_) {
      last_best_ = population.best_rank;
      num_vain_ = 0;
    } else if (++num_vain_ > std::int64_t{kPatience} * problem_->num_nodes) {
      population.clear();
      num_vain_ = 0;
    }
    if (population.size() < 2) num_orders_ = kFirst;
    if (num_orders_ > 0) {
      --num_orders_;
      child.making = Child::Making::kRandomOrder;
      return;
    }
    const int mother = population.select(random_);
    int father = population.select(random_);
    for (int tries = 0; tries < 4 && father == mother; ++tries) {
      father = population.select(random_);
    }
    copy_tour(population.tour(mother), child.mother);
    copy_tour(population.tour(father), child.father);
    const bool by_routes = random_.unit() < kByRoutes;
    child.making = by_routes ? Child::Making::kRoutes : Child::Making::kOrders;
  }

  void admit(const Child& child) {
    population.admit(child.cost, child.excess, child.tour);
    if (child.repaired_cost >= 0) population.admit(child.repaired_cost, 0, child.repaired);
    num_good_ += child.excess == 0;
    if (++num_watched_ < kWatched) return;
    if (num_good_ < kFewest) set_rate(std::min(rate_ * kDearer, 1e12));
    if (num_good_ > kMost) set_rate(std::max(rate_ * kCheaper, 1e-12));
    num_good_ = num_watched_ = 0;
  }

  void set_rate(double rate) {
    rate_ = rate;
    population.set_rate(rate);
  }

  const Problem* problem_ = nullptr;
  Random random_;
  std::uint64_t seed_ = 0;
  Child* child_ = nullptr;  // [width]
  std::int64_t width_ = 1;
  // Of the requested children: how many have been created, have begun to be improved, and have
  // entered the population.
  std::int64_t expected_ = 0;
  std::int64_t conceived_ = 0;
  std::int64_t educated_ = 0;
  std::int64_t taken_in_ = 0;
  std::uint64_t num_children_ = 0;  // created in all
  double rate_ = 1.0;               // price of each unit of load over the limit
  std::int64_t last_best_ = std::int64_t{1} << 62;
  std::int64_t num_vain_ = 0;  // children since the last better solution
  int num_orders_ = 0;         // children of random orders still to come
  int num_good_ = 0;
  int num_watched_ = 0;
};

}  // namespace vrp
