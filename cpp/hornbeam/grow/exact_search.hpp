// The search of a node whose weights lie too far apart for one grid: every candidate of every column, by exact sums.
//
// On a grid the light rows of such a node would lose their digits beside the heavy ones. Here each column is sorted and
// its buckets hold exact sums (exact_stats.hpp); the searches, limits and ties are those of all other nodes. No bound
// and no quick scan is used, so it takes far longer; such nodes are few.
#pragma once

#include <functional>
#include <span>

#include "hornbeam/grow/node.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

class ExactSearch {
  public:
    // Adds row `at` of the node to lanes on its grid.
    using AddRow = std::function<void(std::size_t at, i64* lanes)>;
    // each(n, body) runs a loop, in parallel or not.
    using Each = std::function<void(std::size_t, const std::function<void(std::size_t)>&)>;

    ExactSearch(const Growth& growth, std::span<const u32> id, AddRow add_row)
        : growth_(growth), id_(id), add_row_(std::move(add_row)) {}

    // The split of the node, with the values on both sides of a threshold or the values present; false if it stays a
    // leaf. Sets the impurity of the node.
    bool choose(Node& node, const Bounds* bounds, ColumnChoice& choice, const Each& each, Candidate& chosen) const;
    // A row of the node that lies just below the threshold chosen.
    u32 row_below(const Candidate& chosen) const;

  private:
    using Sorted = std::vector<std::pair<double, std::size_t>>;  // known value, place among the rows

    Sorted sort(i32 column, std::vector<std::size_t>& gaps) const;
    void offer_drawn_test(const Judge& judge, i32 column, u64 key, const Sorted& known, const Buckets& buckets,
                          Candidates& out) const;
    bool accepts(Candidate& chosen, const Judge& judge, int enlarged) const;
    void complete(Candidate& chosen) const;

    const Growth& growth_;
    std::span<const u32> id_;
    AddRow add_row_;
};

}  // namespace hornbeam
