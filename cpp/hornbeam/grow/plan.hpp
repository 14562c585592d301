// The Plan: everything growth needs, resolved. It holds numbers only; the bindings looked the names up.
#pragma once

#include <vector>

#include "hornbeam/criteria/criteria.hpp"
#include "hornbeam/grow/surrogates.hpp"
#include "hornbeam/search/selection.hpp"
#include "hornbeam/types.hpp"

namespace hornbeam {

// The numbers that stop growth.
struct Limits {
    int max_depth = std::numeric_limits<int>::max();
    i64 max_leaves = std::numeric_limits<i64>::max();
    i64 max_nodes = std::numeric_limits<i64>::max();
    i64 min_rows_split = 2;
    i64 min_rows_leaf = 1;
    double min_weight_leaf = 0;  // in units of the weight lanes
    double min_impurity_decrease = 0;
    double min_gain = -std::numeric_limits<double>::infinity();  // a split must score more than this
    double min_variation = 0;                                    // real targets: leaf if sd / |mean| is below
    double min_sd_share = 0;  // real targets: leaf if sd is below this share of the root's

    bool best_first() const {
        return max_leaves != std::numeric_limits<i64>::max() || max_nodes != std::numeric_limits<i64>::max();
    }
};

// A linear function of a node's answer that a monotonic constraint orders.
struct Functional {
    enum class Kind : u8 { at_least_class = 0, one_class = 1, mean = 2 } kind;
    i32 index = 0;
};
struct MonotoneTerm {
    i32 functional;
    i32 sign;
};

struct Plan {
    const Criterion* criterion = &kCriteria[0];
    double level = 0;       // real targets: judged by the pinball loss of this quantile; 0: by the criterion
    double loss_scale = 1;  // what a pinball loss is multiplied by; 2 makes it the absolute error at level 1/2
    MissingRule missing = MissingRule::learn;
    Selection selection;
    SurrogateRule surrogates;
    Limits limits;
    int max_features = 0;      // 0: all
    bool random_cuts = false;  // one test is drawn for each column (random_cut.hpp), by `seed`
    u64 seed = 0;
    int n_threads = 1;
    std::vector<Functional> functionals;
    std::vector<std::vector<MonotoneTerm>> monotone;  // per column

    // Where one way of working gives way to another. They change the speed, never the tree.
    u32 block_rows = 4096;              // nodes up to this size are sorted once and grown in a block
    std::size_t block_cells = 1 << 18;  // tables that one thread grows are one block up to this size
    std::size_t shared_rows = 65536;    // nodes above this size are worked on by all threads together
    std::size_t serial_cells = 100000;  // tables below this many cells are grown by one thread

    bool constrained() const { return !functionals.empty(); }
};

}  // namespace hornbeam
