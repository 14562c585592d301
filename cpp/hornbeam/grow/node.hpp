// Nodes while a tree grows, and the memory they live in. A finished tree is arrays (tree_arrays.hpp).
#pragma once

#include <bit>
#include <deque>
#include <memory>
#include <vector>

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/search/candidate.hpp"
#include "hornbeam/stats/grid.hpp"

namespace hornbeam {

struct TargetView;
struct TreeArrays;
class PresortedColumns;

// What only some nodes have.
struct NodeSide {
    std::vector<std::pair<i32, i32>> map;  // subset, multiway: (value, branch), by value
    std::vector<Surrogate> surrogates;
};

struct Node {
    Node* children = nullptr;  // contiguous
    i32 n_children = 0;
    SplitKind kind = SplitKind::leaf;
    i32 column = -1;
    i32 missing = -1;  // branch of the missing values
    i32 absent = -1;   // multiway: the one child that stands for all values no row of the node has
    double threshold = std::numeric_limits<double>::quiet_NaN();
    double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
    double gain = 0;                                         // the split's score
    double decrease = 0;                                     // its impurity decrease, in units of the root's grid
    double loss = std::numeric_limits<double>::quiet_NaN();  // impurity, where it is no function of the lanes
    i64* lanes = nullptr;
    const Grid* grid = &kUnitGrid;  // of the lanes
    NodeSide* side = nullptr;
    TreeArrays* packed = nullptr;  // the finished subtree, this node included, where the nodes below are gone
    i64 absent_values = 0;
    bool hidden = false;  // best first: grown, but beyond the limit

    // Whether the first two children are below and above a threshold.
    bool ordered() const { return kind == SplitKind::threshold && !std::isinf(threshold); }
};

// Hands out nodes and lanes; one for each thread, so nobody waits. Pointers stay valid.
class Arena {
  public:
    explicit Arena(int width) : width_(static_cast<std::size_t>(width)) {}

    Node* nodes(std::size_t n) {
        while (at_ < chunks_.size() && used_ + n > chunks_[at_].size) next_chunk();
        if (at_ == chunks_.size()) chunks_.emplace_back(std::max(n, kChunk), width_);
        Node* first = chunks_[at_].nodes.get() + used_;
        i64* lanes = chunks_[at_].lanes.get() + used_ * width_;
        std::fill(lanes, lanes + n * width_, 0);
        for (std::size_t i = 0; i < n; ++i) {
            first[i] = {};
            first[i].lanes = lanes + i * width_;
        }
        used_ += n;
        count_ += n;
        return first;
    }
    NodeSide* side() { return &sides_.emplace_back(); }
    Grid* grid() { return &grids_.emplace_back(); }
    // The children of a node, on its grid.
    void add_children(Node& node, i32 n) {
        node.children = nodes(static_cast<std::size_t>(n));
        node.n_children = n;
        for (i32 b = 0; b < n; ++b) node.children[b].grid = node.grid;
    }
    std::size_t count() const { return count_; }
    // Forgets all nodes and keeps the memory.
    void clear() {
        at_ = used_ = count_ = 0;
        sides_.clear();
        grids_.clear();
    }

  private:
    static constexpr std::size_t kChunk = 512;

    struct Chunk {
        Chunk(std::size_t n, std::size_t width)
            : size(n), nodes(std::make_unique<Node[]>(n)), lanes(std::make_unique<i64[]>(n * width)) {}
        std::size_t size;
        std::unique_ptr<Node[]> nodes;
        std::unique_ptr<i64[]> lanes;
    };

    void next_chunk() {
        ++at_;
        used_ = 0;
    }

    std::size_t width_, at_ = 0, used_ = 0, count_ = 0;
    std::vector<Chunk> chunks_;
    std::deque<NodeSide> sides_;
    std::deque<Grid> grids_;
};

// What is the same for the whole growth: the columns, the plan, and the two questions asked at every node.
struct Growth {
    const std::vector<ColumnView>& columns;
    const Plan& plan;
    Layout layout;
    const TargetView* target = nullptr;
    std::size_t n_rows = 0;
    Grid grid{};             // of the root
    double weight_unit = 1;  // what one step of the root's weight lanes is worth
    double total_weight = 1, root_sd = 0;
    double root_impurity = 0;                     // in units of the root's grid
    SharedCodes* codes = nullptr;                 // null: the growth makes its own
    const PresortedColumns* presorted = nullptr;  // null: blocks are sorted one by one
    bool sums_later = false;                      // Stats and row counts are added up again (node_sums.hpp)
    bool rows_from_stats = false;                 // row counts follow from the Stats and are left out
    bool fractions = false;                       // rows may be divided among branches

    // Real impurities are in grid units inside the core.
    double impurity_unit(const Grid& of) const { return of.impurity_unit(plan.criterion->square_unit); }
    // The same in units of the root's grid, which no square of a large y exceeds.
    double relative_unit(const Grid& of) const {
        const double ratio = of.unit / grid.unit;
        return plan.criterion->square_unit == 0 ? 1 : plan.criterion->square_unit == 1 ? ratio : ratio * ratio;
    }
    // How many steps of a grid's weight lanes are one of the root's; finite, so that none of them is nothing.
    double lightness(const Grid& of) const {
        return std::min(grid.weight_unit / of.weight_unit, std::numeric_limits<double>::max());
    }
    // A node's share of the weight of the root.
    double share(const Node& node) const {
        return static_cast<double>(layout.weight(node.lanes)) / total_weight / lightness(*node.grid);
    }

    bool pure(const i64* lanes) const {
        if (!layout.classes()) return Moments(lanes).squares() <= 0;
        int present = 0;
        for (int k = 0; k < layout.n_classes; ++k) present += lanes[k] > 0;
        return present < 2;
    }
    bool must_be_leaf(const Node& node, int depth) const {
        return too_small(node, depth) || pure(node.lanes) || too_even(node);
    }
    bool too_even(const Node& node) const {
        return !layout.classes() && (plan.limits.min_variation > 0 || plan.limits.min_sd_share > 0) &&
               too_even(node, Moments(node.lanes).squares());
    }
    // `squares` of its real target. Uneven weights are judged by exact sums (exact_search.hpp).
    bool too_even(const Node& node, double squares) const {
        if (!(plan.limits.min_variation > 0 || plan.limits.min_sd_share > 0) || node.grid->uneven) return false;
        const Moments group(node.lanes);
        const double w = static_cast<double>(group.w);
        return too_even(node.grid->centre + node.grid->unit * (static_cast<double>(group.wy) / w),
                        node.grid->unit * std::sqrt(squares / w));
    }
    bool too_even(double mean, double sd) const {
        return sd < plan.limits.min_variation * std::fabs(mean) || sd < plan.limits.min_sd_share * root_sd;
    }
    // Whether its size alone makes a node a leaf, on whatever grid.
    bool too_small(const Node& node, int depth) const {
        const i64* lanes = node.lanes;
        const Limits& limits = plan.limits;
        const i64 rows = layout.rows(lanes);
        return depth >= limits.max_depth || rows < limits.min_rows_split || rows < 2 * limits.min_rows_leaf;
    }
    // `min_gain` must be exceeded by more than K4's margin, so that rounding never beats it.
    bool accepts(const Candidate& chosen, const Judge& judge) const {
        const double scale = impurity_unit(judge.grid());  // infinite where squares are beyond the range of doubles
        const double gain = (chosen.score - judge.margin(chosen.score)) * scale;
        if (!(gain > plan.limits.min_gain) && std::isfinite(plan.limits.min_gain)) return false;
        if (!(plan.limits.min_impurity_decrease > 0)) return true;
        return judge.weight() / total_weight / judge.lightness() * chosen.decrease * scale +
                   std::numeric_limits<double>::epsilon() >=
               plan.limits.min_impurity_decrease;
    }
};

inline Judge judge_node(const Growth& growth, const Node& node, const Bounds* bounds) {
    return {growth.plan, growth.layout, node.lanes, bounds, *node.grid, growth.lightness(*node.grid)};
}

// Which columns a node may look at, in a random order when only some are drawn (a function of seed and path alone).
class ColumnChoice {
  public:
    // Starts anew for a node; what was allocated is kept.
    void start(const Plan& plan, const std::vector<i32>& usable, u64 key) {
        order_.assign(usable.begin(), usable.end());
        key_ = key;
        state_ = plan.seed ^ (key * kMixStep);
        n_drawn_ = plan.max_features > 0 ? static_cast<std::size_t>(plan.max_features) : order_.size();
        random_ = n_drawn_ < order_.size();
        taken_ = 0;
    }
    // The next columns to search: as many as are drawn first, then one by one while there is no split. Empty at the
    // end.
    const std::vector<i32>& more() {
        const std::size_t n = std::min(order_.size() - taken_, taken_ == 0 ? n_drawn_ : 1);
        for (std::size_t i = taken_; i < taken_ + n && random_; ++i)
            std::swap(order_[i], order_[i + mix_bits(state_ += kMixStep) % (order_.size() - i)]);
        next_.assign(order_.begin() + static_cast<std::ptrdiff_t>(taken_),
                     order_.begin() + static_cast<std::ptrdiff_t>(taken_ + n));
        taken_ += n;
        if (random_) sort();
        return next_;
    }
    u64 key() const { return key_; }  // of the node

  private:
    // A few columns are sorted by setting bits.
    void sort() {
        u64 set = 0;
        for (i32 j : next_) {
            if (j >= 64) return std::sort(next_.begin(), next_.end());
            set |= u64{1} << j;
        }
        for (std::size_t i = 0; set != 0; set &= set - 1) next_[i++] = std::countr_zero(set);
    }
    std::vector<i32> order_, next_;
    u64 state_ = 0, key_ = 0;
    std::size_t n_drawn_ = 0, taken_ = 0;
    bool random_ = false;
};

// No key may be that of its own child: 1 would be that of its first one.
inline u64 child_key(u64 key, i32 branch) { return (key ^ (static_cast<u64>(branch) + 1)) * 0xD6E8FEB86659FD93ULL + 1; }

// Squares of large numbers can be beyond the range of doubles.
inline double at_most_finite(double x) { return std::min(x, std::numeric_limits<double>::max()); }

// Writes a chosen split into its node: test, value map, and how many children there are. Returns that number.
inline i32 write_split(const Growth& growth, Node& node, const Candidate& chosen, Arena& arena) {
    const std::vector<i32>& present = chosen.present;
    const double scale = growth.impurity_unit(*node.grid);
    node.kind = chosen.kind;
    node.column = chosen.column;
    node.missing = chosen.missing;
    node.gain = at_most_finite(chosen.score * scale);
    node.decrease = chosen.decrease * growth.relative_unit(*node.grid);
    const ColumnView& view = growth.columns[static_cast<std::size_t>(chosen.column)];
    if (chosen.kind == SplitKind::threshold) {
        node.low = chosen.low;
        node.high = chosen.high;
        if (std::isinf(chosen.high) && std::isinf(chosen.low))
            node.threshold = chosen.high;
        else if (!std::isnan(chosen.threshold))
            node.threshold = chosen.threshold;
        else
            node.threshold = view.kind == ColumnKind::ordinal ? chosen.low + 0.5 : midpoint(chosen.low, chosen.high);
        return std::max(2, chosen.missing + 1);
    }
    if (chosen.kind == SplitKind::equals) {
        node.threshold = static_cast<double>(chosen.below);
        return std::max(2, chosen.missing + 1);
    }
    node.side = arena.side();
    if (chosen.kind == SplitKind::subset) {
        for (i32 code : present)
            node.side->map.emplace_back(code, std::binary_search(chosen.set.begin(), chosen.set.end(), code) ? 0 : 1);
        return std::max(2, chosen.missing + 1);
    }
    const i32 n = static_cast<i32>(present.size());
    for (i32 i = 0; i < n; ++i) node.side->map.emplace_back(present[static_cast<std::size_t>(i)], i);
    node.absent_values = view.n_values - n;
    i32 count = n;
    if (node.absent_values > 0) node.absent = count++;
    if (chosen.missing == n) node.missing = count++;  // its own branch comes last
    return count;
}

}  // namespace hornbeam
