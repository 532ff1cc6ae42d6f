// Solutions that are parents of others, those within the load limits and those over it apart.
//
// Source: Vidal 2022 (see local_search.hpp), section 3: fitness is cost and distance from the
// others.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../shared/arena.hpp"
#include "problem.hpp"
#include "../shared/random.hpp"
#include "solution.hpp"

namespace vrp {

// How many of each group survive, and how many more join before the others are dropped.
constexpr int kSurvivors = 5;
constexpr int kBorn = 20;
// The best are kept regardless of distance; distance is measured to the nearest few.
constexpr int kElite = 4;
constexpr int kNearest = 5;

inline void copy_tour(const std::int32_t* from, std::int32_t* to) {
  while ((*to++ = *from++) != kEnd) {
  }
}

class Population {
 public:
  static Population lay_out(Arena& arena, const Problem* problem, int vehicles) {
    Population made;
    made.num_nodes_ = problem->num_nodes;
    made.tour_length_ = problem->num_nodes + vehicles;
    made.member_ = arena.take<Member>(kSlots);
    made.tour_ = arena.take<std::int32_t>(static_cast<std::size_t>(kSlots * made.tour_length_));
    made.after_ = arena.take<std::int32_t>(static_cast<std::size_t>(kSlots * made.num_nodes_));
    made.before_ = arena.take<std::int32_t>(static_cast<std::size_t>(kSlots * made.num_nodes_));
    made.distance_ = arena.take<std::int32_t>(kSlots * kSlots);
    made.best_tour = arena.take<std::int32_t>(static_cast<std::size_t>(made.tour_length_));
    if (made.best_tour) *made.best_tour = kEnd;
    for (int slot = 0; slot < kSlots; ++slot) made.free_[slot] = slot;
    return made;
  }

  const std::int32_t* tour(int slot) const { return tour_ + slot * tour_length_; }
  int size() const { return size_[0] + size_[1]; }

  // Records a solution within the load limits, complete or not, if it is the best so far.
  void note(std::int64_t rank, const std::int32_t* new_tour) {
    if (rank >= best_rank) return;
    best_rank = rank;
    copy_tour(new_tour, best_tour);
  }

  // Admits a complete solution unless a member has the same cost.
  void admit(std::int64_t cost, std::int64_t excess, const std::int32_t* new_tour) {
    const int group = excess > 0;
    if (group == 0) note(cost, new_tour);
    std::int32_t* list = group_[group];
    int& size = size_[group];
    for (int index = 0; index < size; ++index) {
      const Member& other = member_[list[index]];
      if (other.cost == cost && other.excess == excess) return;
    }
    const int slot = free_[--num_free_];
    member_[slot] = {cost, excess, 0.0, 0.0, 0.0};
    copy_tour(new_tour, tour_ + slot * tour_length_);
    note_neighbours(slot);
    for (int index = 0; index < size; ++index) {
      const int other = list[index];
      distance_[slot * kSlots + other] = distance_[other * kSlots + slot] = differ(slot, other);
    }
    list[size++] = slot;
    if (size > kSurvivors + kBorn) {
      while (size > kSurvivors) remove_worst(group);
    }
    rated_ = false;
  }

  // Drops all members; keeps the record of the best solution.
  void clear() {
    for (int& size : size_) {
      while (size > 0) free_[num_free_++] = group_[&size - size_][--size];
    }
  }

  // Sets the price of each unit of load over the limit.
  void set_rate(double rate) {
    rate_ = rate;
    rated_ = false;
  }

  // The fitter of two random members. Needs at least one member.
  int select(Random& random) {
    for (int group = 0; group < 2 && !rated_; ++group) rate_group(group);
    rated_ = true;
    const int one = pick(random), two = pick(random);
    return member_[one].fitness < member_[two].fitness ? one : two;
  }

  std::int64_t best_rank = std::int64_t{1} << 62;
  std::int32_t* best_tour = nullptr;  // [M + R] empty at first

 private:
  struct Member {
    std::int64_t cost;
    std::int64_t excess;
    double price;      // cost including the excess
    double diversity;  // sum of the distances to the nearest
    double fitness;    // lower is better
  };

  // Two groups, and a spare one while the worst are dropped.
  static constexpr int kMost = kSurvivors + kBorn + 1;
  static constexpr int kSlots = 2 * kMost;

  int pick(Random& random) const {
    const int index = random.below(size());
    return index < size_[0] ? group_[0][index] : group_[1][index - size_[0]];
  }

  void note_neighbours(int slot) {
    std::int32_t* after = after_ + slot * num_nodes_;
    std::int32_t* before = before_ + slot * num_nodes_;
    int last = 0;
    for (const std::int32_t* at = tour(slot); *at != kEnd; ++at) {
      if (last) after[last] = *at;
      if (*at) before[*at] = last;
      last = *at;
    }
  }

  // How many neighbours of customers in one are not neighbours in the other.
  int differ(int one, int two) const {
    const std::int32_t* after = after_ + one * num_nodes_;
    const std::int32_t* before = before_ + one * num_nodes_;
    const std::int32_t* other_after = after_ + two * num_nodes_;
    const std::int32_t* other_before = before_ + two * num_nodes_;
    int count = 0;
    for (int node = 1; node < num_nodes_; ++node) {
      count += (after[node] != other_after[node]) & (after[node] != other_before[node]);
      count += (before[node] == 0) & (other_before[node] != 0) & (other_after[node] != 0);
    }
    return count;
  }

  // Sorts a group by price, and computes each member's fitness: its rank by price plus its rank
  // by distance to the others, which weighs less in a small group.
  void rate_group(int group) {
    std::int32_t* list = group_[group];
    const int size = size_[group];
    for (int index = 0; index < size; ++index) {
      Member& member = member_[list[index]];
      member.price =
          static_cast<double>(member.cost) + static_cast<double>(member.excess) * rate_;
      member.diversity = -nearest_sum(list[index], group);
    }
    std::int32_t by_distance[kMost];
    for (int index = 0; index < size; ++index) by_distance[index] = list[index];
    sort(list, size, [this](int slot) { return member_[slot].price; });
    sort(by_distance, size, [this](int slot) { return member_[slot].diversity; });
    const double last = std::max(1, size - 1);
    const double weight = size <= kElite ? 0.0 : 1.0 - static_cast<double>(kElite) / size;
    for (int rank = 0; rank < size; ++rank) member_[list[rank]].fitness = rank / last;
    for (int rank = 0; rank < size; ++rank) {
      member_[by_distance[rank]].fitness += weight * (rank / last);
    }
  }

  // Stable: of two equal keys, the first stays first.
  template <class Key>
  static void sort(std::int32_t* list, int size, Key key) {
    for (int index = 1; index < size; ++index) {
      const int slot = list[index];
      const double value = key(slot);
      int at = index;
      for (; at > 0 && key(list[at - 1]) > value; --at) list[at] = list[at - 1];
      list[at] = slot;
    }
  }

  double nearest_sum(int slot, int group) const {
    std::int32_t nearest[kNearest];
    int count = 0;
    for (int index = 0; index < size_[group]; ++index) {
      const int other = group_[group][index];
      if (other == slot) continue;
      const std::int32_t value = distance_[slot * kSlots + other];
      if (count == kNearest && value >= nearest[count - 1]) continue;
      int at = count < kNearest ? count++ : count - 1;
      for (; at > 0 && nearest[at - 1] > value; --at) nearest[at] = nearest[at - 1];
      nearest[at] = value;
    }
    double sum = 0.0;
    for (int index = 0; index < count; ++index) sum += nearest[index];
    return sum;
  }

  bool has_twin(int slot, int group) const {
    for (int index = 0; index < size_[group]; ++index) {
      const int other = group_[group][index];
      if (other != slot && distance_[slot * kSlots + other] == 0) return true;
    }
    return false;
  }

  // Removes the worst member, twins first; never the cheapest.
  void remove_worst(int group) {
    rate_group(group);
    std::int32_t* list = group_[group];
    int worst = -1;
    double most = -1.0;
    for (int index = 1; index < size_[group]; ++index) {
      const double badness = member_[list[index]].fitness + (has_twin(list[index], group) ? 4 : 0);
      if (badness > most) {
        worst = index;
        most = badness;
      }
    }
    free_[num_free_++] = list[worst];
    --size_[group];
    for (int index = worst; index < size_[group]; ++index) list[index] = list[index + 1];
  }

  std::int64_t num_nodes_ = 0;
  std::int64_t tour_length_ = 0;
  Member* member_ = nullptr;          // [slots]
  std::int32_t* tour_ = nullptr;      // [slots, M + R]
  std::int32_t* after_ = nullptr;     // [slots, M] who follows each customer; 0 is the depot
  std::int32_t* before_ = nullptr;    // [slots, M]
  std::int32_t* distance_ = nullptr;  // [slots, slots] within a group
  std::int32_t group_[2][kMost];      // within the limits; over them
  int size_[2] = {0, 0};
  std::int32_t free_[kSlots];
  int num_free_ = kSlots;
  double rate_ = 1.0;
  bool rated_ = false;
};

}  // namespace vrp
