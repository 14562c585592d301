#include "hornbeam/leaves/fit_equations.hpp"

#include <algorithm>
#include <memory>

namespace hornbeam {
namespace {

constexpr std::size_t kSerialRows = 8192;  // a subtree of so many rows is one task

// An equation among the `Models` of one walk.
struct Place {
    i32 node;
    u32 walk;
    std::size_t at;
};

// What does not change while subtrees are walked.
class TreeEntries {
  public:
    explicit TreeEntries(const ModelTask& task) : task_(task) {
        const std::size_t n = task.first_child.size();
        low.assign(n, std::numeric_limits<double>::quiet_NaN());
        high = low;
        count_entries();
        find_bottoms();
        sort_entries();
        if (task.only_tested) note_tests();
    }

    bool is_bottom(std::size_t node) const { return bottom_[node] == static_cast<i32>(node); }
    std::size_t entries_below(std::size_t node) const { return n_entries_[node]; }
    std::span<const u32> entries_of(std::size_t bottom) const {
        return std::span(entries_).subspan(start_[bottom], n_entries_[bottom]);
    }
    // Which of the columns the node may use; empty: all.
    void allowed(std::size_t node, std::vector<u8>& out) const {
        out.clear();
        if (!task_.only_tested) return;
        for (const i32 c : task_.column) out.push_back(below_[node * task_.n_tested + static_cast<std::size_t>(c)]);
    }

    std::vector<double> low, high;

  private:
    void count_entries() {
        n_entries_.assign(task_.first_child.size(), 0);
        for (const i32 leaf : task_.leaf) ++n_entries_[static_cast<std::size_t>(leaf)];
        for (std::size_t n = n_entries_.size(); n-- > 0;)
            for (i32 b = 0; b < task_.n_children[n]; ++b)
                n_entries_[n] += n_entries_[static_cast<std::size_t>(task_.first_child[n] + b)];
    }
    // A leaf, or the highest node below which none has rows enough for an equation: its rows are summed at once.
    void find_bottoms() {
        bottom_.assign(task_.first_child.size(), -1);
        for (std::size_t n = 0; n < bottom_.size(); ++n) {
            if (bottom_[n] < 0 && (task_.n_children[n] == 0 || static_cast<double>(task_.n_rows[n]) < task_.least_rows))
                bottom_[n] = static_cast<i32>(n);
            if (bottom_[n] < 0) continue;
            for (i32 b = 0; b < task_.n_children[n]; ++b)
                bottom_[static_cast<std::size_t>(task_.first_child[n] + b)] = bottom_[n];
        }
    }
    void sort_entries() {
        start_.assign(bottom_.size(), 0);
        std::size_t next = 0;
        for (std::size_t n = 0; n < bottom_.size(); ++n)
            if (is_bottom(n)) start_[n] = next, next += n_entries_[n];
        std::vector<std::size_t> at = start_;
        entries_.resize(task_.leaf.size());
        for (std::size_t i = 0; i < task_.leaf.size(); ++i) {
            const auto bottom = static_cast<std::size_t>(bottom_[static_cast<std::size_t>(task_.leaf[i])]);
            entries_[at[bottom]++] = static_cast<u32>(i);
        }
    }
    void note_tests() {
        const std::size_t width = task_.n_tested;
        below_.assign(bottom_.size() * width, 0);
        for (std::size_t n = bottom_.size(); n-- > 0;) {
            u8* mine = below_.data() + n * width;
            for (i64 i = task_.tested_offset[n]; i < task_.tested_offset[n + 1]; ++i)
                mine[task_.tested[static_cast<std::size_t>(i)]] = 1;
            for (i32 b = 0; b < task_.n_children[n]; ++b) {
                const u8* theirs = below_.data() + static_cast<std::size_t>(task_.first_child[n] + b) * width;
                for (std::size_t c = 0; c < width; ++c) mine[c] |= theirs[c];
            }
        }
    }

    const ModelTask& task_;
    std::vector<std::size_t> n_entries_, start_;
    std::vector<i32> bottom_;  // of each node the bottom it is in, -1 above
    std::vector<u32> entries_;
    std::vector<u8> below_;
};

// Walks one subtree; nodes with moments of their own (`done`) are not entered.
class Walk {
  public:
    using Done = std::vector<std::unique_ptr<RowMoments>>;

    Walk(const ModelTask& task, TreeEntries& entries, const Done& done)
        : task_(task), entries_(entries), done_(done), solver_(task.options) {}

    Models models;  // in the order of the walk

    RowMoments run(std::size_t root) {
        const std::size_t width = task_.columns.size() + 1;
        std::vector<Step> path;
        std::vector<RowMoments> sums;  // one for each step of the path
        const auto enter = [&](std::size_t node) {
            path.push_back({node, 0});
            if (sums.size() < path.size()) sums.emplace_back(width);
            sums[path.size() - 1].clear();
        };
        enter(root);
        while (true) {
            Step& step = path.back();
            RowMoments& sum = sums[path.size() - 1];
            const bool known = done_[step.node] != nullptr && path.size() > 1;
            if (!known && !entries_.is_bottom(step.node) && step.branch < task_.n_children[step.node]) {
                enter(static_cast<std::size_t>(task_.first_child[step.node] + step.branch++));
                continue;
            }
            if (known)
                sum = *done_[step.node];
            else
                close(step.node, sum);
            path.pop_back();
            if (path.empty()) return std::move(sum);
            sums[path.size() - 1].take(sum);
        }
    }

  private:
    struct Step {
        std::size_t node;
        i32 branch;
    };

    void close(std::size_t node, RowMoments& sum) {
        if (entries_.is_bottom(node))
            summing_.sum(
                {task_.columns, task_.target, task_.fallback, task_.row, task_.weight, entries_.entries_of(node)}, sum);
        if (sum.weight <= 0) return;
        entries_.low[node] = one_zero(sum.low);
        entries_.high[node] = one_zero(sum.high);
        const auto n = static_cast<double>(task_.n_rows[node]);
        if (n < task_.least_rows || n < 2 || sum.point) return;
        entries_.allowed(node, allowed_);
        const Equation& equation = solver_.solve(sum, n, allowed_);
        if (equation.terms.empty()) return;
        entries_.low[node] = equation.low;
        entries_.high[node] = equation.high;
        models.node.push_back(static_cast<i32>(node));
        models.intercept.push_back(equation.intercept);
        models.squares.push_back(equation.squares);
        for (std::size_t i = 0; i < equation.terms.size(); ++i) {
            models.term.push_back(static_cast<i32>(equation.terms[i]));
            models.slope.push_back(equation.slope[i]);
            models.gap.push_back(equation.gap[i]);
        }
        models.offset.push_back(static_cast<i64>(models.term.size()));
    }

    const ModelTask& task_;
    TreeEntries& entries_;
    const Done& done_;
    LeastSquares solver_;
    Summing summing_;
    std::vector<u8> allowed_;
};

std::vector<std::size_t> subtrees(const ModelTask& task, const TreeEntries& entries) {
    std::vector<std::size_t> roots, todo{0};
    while (!todo.empty()) {
        const std::size_t node = todo.back();
        todo.pop_back();
        if (entries.is_bottom(node) || entries.entries_below(node) <= kSerialRows) {
            roots.push_back(node);
            continue;
        }
        for (i32 b = 0; b < task.n_children[node]; ++b)
            todo.push_back(static_cast<std::size_t>(task.first_child[node] + b));
    }
    return roots;
}

// The equations of all walks in the order of their nodes.
Models gathered(const std::vector<Models>& walks, std::size_t n_nodes) {
    std::vector<Place> place(n_nodes, {-1, 0, 0});
    std::size_t n_terms = 0;
    for (u32 w = 0; w < walks.size(); ++w) {
        for (std::size_t i = 0; i < walks[w].node.size(); ++i)
            place[static_cast<std::size_t>(walks[w].node[i])] = {walks[w].node[i], w, i};
        n_terms += walks[w].term.size();
    }
    Models out;
    out.term.reserve(n_terms);
    out.slope.reserve(n_terms);
    out.gap.reserve(n_terms);
    for (const Place& one : place) {
        if (one.node < 0) continue;
        const Models& from = walks[one.walk];
        out.node.push_back(one.node);
        out.intercept.push_back(from.intercept[one.at]);
        out.squares.push_back(from.squares[one.at]);
        const i64 first = from.offset[one.at], last = from.offset[one.at + 1];
        out.term.insert(out.term.end(), from.term.begin() + first, from.term.begin() + last);
        out.slope.insert(out.slope.end(), from.slope.begin() + first, from.slope.begin() + last);
        out.gap.insert(out.gap.end(), from.gap.begin() + first, from.gap.begin() + last);
        out.offset.push_back(static_cast<i64>(out.term.size()));
    }
    return out;
}

}  // namespace

Models fit_models(const ModelTask& task, Pool& pool) {
    TreeEntries entries(task);
    Walk::Done done(task.first_child.size());
    const std::vector<std::size_t> roots = subtrees(task, entries);
    std::vector<Models> parts(roots.size() + 1);
    pool.each(roots.size(), [&](std::size_t i, int) {
        Walk walk(task, entries, done);
        RowMoments moments = walk.run(roots[i]);
        parts[i] = std::move(walk.models);
        if (roots[i] != 0) done[roots[i]] = std::make_unique<RowMoments>(std::move(moments));
    });
    if (roots.size() != 1 || roots[0] != 0) {
        Walk walk(task, entries, done);
        walk.run(0);
        parts.back() = std::move(walk.models);
    }
    Models out = gathered(parts, task.first_child.size());
    out.low = std::move(entries.low);
    out.high = std::move(entries.high);
    return out;
}

}  // namespace hornbeam
