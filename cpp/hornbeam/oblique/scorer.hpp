// Scorer: the best cut along a projection of rows.
#pragma once

#include <memory>

#include "hornbeam/oblique/goal.hpp"

namespace hornbeam::oblique {

// The best cut: its score (-infinity if there is none), and how many of the rows that have a value lie below it.
struct Cut {
    double score = -std::numeric_limits<double>::infinity();
    u32 below = 0;
};

// Keeps what a scan needs in memory; one for each thread.
class Scorer {
  public:
    virtual ~Scorer() = default;
    // The best cut of some rows along a projection of all.
    virtual Cut best(const float* projection, std::span<const u32> rows) = 0;
    // The same of rows in the order of the projection, all of them with a value.
    virtual Cut best_sorted(const float* projection, std::span<const u32> rows) = 0;
    // The score of every cut: that with i rows below at place i - 1; -infinity where there is none.
    virtual const std::vector<double>& all_sorted(const float* projection, std::span<const u32> rows) = 0;
};

// The scorer of a goal's criterion; the goal must outlive it.
std::unique_ptr<Scorer> scorer_of(const Goal& goal);

}  // namespace hornbeam::oblique
