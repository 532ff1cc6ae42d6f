// The cheapest assignment of rows to columns.
//
// Source: Jonker and Volgenant 1987, "A shortest augmenting path algorithm for dense and sparse
// linear assignment problems", Computing 38.
#pragma once

namespace vrp {

// For up to `most` rows; one of as many columns each.
template <int most>
class Assignment {
 public:
  double cost[most][most];
  int column_of[most];  // by rows, once solved

  void solve(int size) {
    for (int column = 0; column < size; ++column) {
      row_of_[column] = -1;
      price_[column] = 0.0;
    }
    for (int row = 0; row < size; ++row) augment(row, size);
    for (int column = 0; column < size; ++column) column_of[row_of_[column]] = column;
  }

 private:
  // Gives one more row a column, along the cheapest path through columns that others have.
  void augment(int first, int size) {
    double length[most];  // of the cheapest path to a column
    int before[most];     // the row from which it comes
    bool is_final[most];
    int finals[most], count = 0;
    for (int column = 0; column < size; ++column) {
      length[column] = kNowhere;
      is_final[column] = false;
    }
    int row = first, end = -1;
    double here = 0.0;  // length of the path to the row
    while (row >= 0) {
      const double base = end < 0 ? 0.0 : cost[row][end] - price_[end];
      end = -1;
      for (int column = 0; column < size; ++column) {
        if (is_final[column]) continue;
        const double through = here + cost[row][column] - price_[column] - base;
        if (through < length[column]) {
          length[column] = through;
          before[column] = row;
        }
        if (end < 0 || length[column] < length[end]) end = column;
      }
      is_final[end] = true;
      finals[count++] = end;
      here = length[end];
      row = row_of_[end];
    }
    for (int index = 0; index < count; ++index) {
      price_[finals[index]] += length[finals[index]] - here;
    }
    for (;;) {
      const int from = before[end];
      const int other = from == first ? -1 : column_of_row(from, size);
      row_of_[end] = from;
      if (other < 0) return;
      end = other;
    }
  }

  int column_of_row(int row, int size) const {
    int column = 0;
    while (column < size && row_of_[column] != row) ++column;
    return column;
  }

  static constexpr double kNowhere = 1e300;
  double price_[most];
  int row_of_[most];
};

}  // namespace vrp
