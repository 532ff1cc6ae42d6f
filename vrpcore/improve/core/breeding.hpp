// Generations: children of two solutions, educated and admitted to the population.
//
// Source: Vidal 2022 (see local_search.hpp), section 3; most children are made of their
// parents' routes (crossover.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "clock.hpp"
#include "crossover.hpp"
#include "local_search.hpp"
#include "population.hpp"
#include "split.hpp"

namespace vrp {

// How many children are made of their parents' routes, the others of their orders.
constexpr double kByRoutes = 0.8;
// How many of those over the limits are educated once more, with excess so much dearer.
constexpr double kRepaired = 0.5;
constexpr double kRepairRate = 10.0;
// The price of excess follows how many of so many children are within the limits.
constexpr int kWatched = 100;
constexpr int kFewest = 15, kMost = 25;
constexpr double kDearer = 1.2, kCheaper = 0.85;
// After so many children a customer without a better solution a new population begins, and
// so many of random orders are born into one without two parents.
constexpr int kPatience = 30;
constexpr int kFirst = 8;

class Breeding {
 public:
  static Breeding* lay_out(Arena& arena, const Problem* problem, int vehicles) {
    auto* breeding = arena.take<Breeding>(1);
    Breeding unplaced;
    Breeding* made = breeding ? new (breeding) Breeding : &unplaced;
    made->problem_ = problem;
    made->population = Population::lay_out(arena, problem, vehicles);
    made->split_ = Split::lay_out(arena, problem, vehicles);
    made->crossover_ = Crossover::lay_out(arena, problem);
    made->search_ = LocalSearch::lay_out(arena, problem, vehicles);
    made->tour_ = arena.take<std::int32_t>(static_cast<std::size_t>(problem->num_nodes + vehicles));
    return breeding;
  }

  void begin(std::uint64_t seed) {
    random_.seed(seed);
    const auto cells = static_cast<std::int64_t>(problem_->num_nodes) * problem_->num_nodes;
    const double longest = *std::max_element(problem_->from, problem_->from + cells);
    const double heaviest = static_cast<double>(
        *std::max_element(problem_->demand, problem_->demand + problem_->num_nodes));
    set_rate(std::max(1.0, longest) / std::max(1.0, heaviest));
  }

  // Makes children; ends early when the seconds are over, if a clock runs (from 0 on).
  // Returns the children made.
  std::int64_t breed(std::int64_t children, double seconds) {
    const double end = seconds < 0.0 ? 0.0 : clock_seconds() + seconds;
    for (std::int64_t done = 0; done < children; ++done) {
      if (seconds >= 0.0 && clock_seconds() >= end) return done;
      make_child();
    }
    return children;
  }

  Population population;

 private:
  void make_child() {
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
      crossover_.shuffle_order(random_);
      educate_order();
      return;
    }
    const int mother = population.select(random_);
    int father = population.select(random_);
    for (int tries = 0; tries < 4 && father == mother; ++tries) {
      father = population.select(random_);
    }
    if (random_.unit() < kByRoutes) {
      crossover_.cross_regions(random_, population.tour(mother), population.tour(father), *search_,
                               rate_);
      educate(false);
    } else {
      crossover_.cross_orders(random_, population.tour(mother), population.tour(father));
      educate_order();
    }
  }

  void educate_order() {
    split_.cut(crossover_.order, rate_, tour_);
    search_->load(tour_, rate_);
    educate(true);
  }

  void educate(bool all) {
    search_->run(random_, all);
    search_->write_tour(tour_);
    population.admit(search_->cost, search_->excess, tour_);
    const bool good = search_->excess == 0;
    if (!good && random_.unit() < kRepaired) {
      search_->load(tour_, rate_ * kRepairRate);
      search_->run(random_, true);
      search_->write_tour(tour_);
      if (search_->excess == 0) population.admit(search_->cost, 0, tour_);
    }
    watch(good);
  }

  void watch(bool good) {
    num_good_ += good;
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
  Split split_{};
  Crossover crossover_{};
  LocalSearch* search_ = nullptr;
  std::int32_t* tour_ = nullptr;  // [M + R]
  double rate_ = 1.0;             // price of a unit of load over the limit
  std::int64_t last_best_ = std::int64_t{1} << 62;
  std::int64_t num_vain_ = 0;  // children since the best solution
  int num_orders_ = 0;         // children of random orders to come
  int num_good_ = 0;
  int num_watched_ = 0;
};

}  // namespace vrp
