#include "hornbeam/prune/fewest_errors.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace hornbeam {
namespace {

constexpr double kTie = 1e-12;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOften = 1e8;  // steps between two looks at `stop`

using Errors = std::vector<double>;
using Part = std::span<const double>;

struct Walk {
    const ErrorTree& tree;
    i64 stride, longest;

    std::size_t child(std::size_t t, i32 b) const { return static_cast<std::size_t>(tree.first_child[t] + b); }
    bool is_leaf(std::size_t t) const { return tree.first_child[t] < 0; }
    i64 as_leaf(std::size_t t) const { return is_leaf(t) ? tree.size[t] : 1; }
    // How many nodes the children of t have as leaves.
    i64 width(std::size_t t) const {
        i64 sum = 0;
        for (i32 b = 0; b < tree.n_children[t]; ++b) sum += as_leaf(child(t, b));
        return sum;
    }
    // Entries of the sum of two tables.
    i64 joined(i64 a, i64 b) const { return std::min(a + b - 1, longest); }
    // Entries of t, given those of its children together.
    i64 length(std::size_t t, i64 joined_children) const {
        return std::max<i64>(1, std::min(longest, first(t) + joined_children));
    }
    // The first entry of t that is not a leaf.
    i64 first(std::size_t t) const { return width(t) / stride; }
};

Walk walk_of(const ErrorTree& tree) {
    Walk walk{tree, 1, 1};
    i64 stride = 0;
    for (std::size_t t = 0; t < tree.first_child.size(); ++t)
        if (!walk.is_leaf(t)) stride = std::gcd(stride, walk.width(t));
    walk.stride = std::max<i64>(stride, 1);
    walk.longest = std::max<i64>(1, (tree.most - 1) / walk.stride + 1);
    return walk;
}

// out[i + j] = the least of a[i] + b[j].
Errors sums(Part a, Part b, i64 longest) {
    const auto n = static_cast<std::size_t>(std::min(static_cast<i64>(a.size() + b.size()) - 1, longest));
    Errors out(n, kInfinity);
    if (a.size() > b.size()) std::swap(a, b);
    for (std::size_t i = 0; i < std::min(a.size(), n); ++i) {
        if (a[i] == kInfinity) continue;
        const double more = a[i];
        const std::size_t m = std::min(b.size(), n - i);
        double* to = out.data() + i;
        for (std::size_t j = 0; j < m; ++j) to[j] = std::min(to[j], more + b[j]);
    }
    return out;
}

struct Tables {
    std::span<const i64> offset;
    Part errors;

    Part operator[](std::size_t t) const {
        const auto from = static_cast<std::size_t>(offset[t]), to = static_cast<std::size_t>(offset[t + 1]);
        return errors.subspan(from, to - from);
    }
};

// The tables of the last children of t together, from the second child on; that of all of them is in the table of t.
std::vector<Errors> from_each(const Walk& walk, const Tables& tables, std::size_t t) {
    const auto m = static_cast<std::size_t>(walk.tree.n_children[t]);
    std::vector<Errors> tails(m);
    for (std::size_t b = m; b-- > 1;) {
        const Part own = tables[walk.child(t, static_cast<i32>(b))];
        tails[b] = b + 1 == m ? Errors(own.begin(), own.end()) : sums(own, tails[b + 1], walk.longest);
    }
    return tails;
}

}  // namespace

FewestCost fewest_cost(const ErrorTree& tree) {
    const Walk walk = walk_of(tree);
    std::vector<i64> length(tree.first_child.size(), 1);
    FewestCost cost{walk.stride, 0, 0};
    for (std::size_t t = length.size(); t-- > 0;) {
        if (!walk.is_leaf(t)) {
            i64 joined_children = length[walk.child(t, tree.n_children[t] - 1)];
            for (i32 b = tree.n_children[t] - 1; b-- > 0;) {
                const i64 own = length[walk.child(t, b)];
                cost.steps += static_cast<double>(own) * static_cast<double>(joined_children);
                joined_children = walk.joined(own, joined_children);
            }
            length[t] = walk.length(t, joined_children);
        }
        cost.cells += static_cast<double>(length[t]);
    }
    return cost;
}

FewestTables fewest_tables(const ErrorTree& tree, const std::function<bool()>& stop) {
    const Walk walk = walk_of(tree);
    const std::size_t n = tree.first_child.size();
    FewestTables tables{fewest_cost(tree), std::vector<i64>(n + 1, 0), {}, false};
    std::vector<Errors> each(n);
    double steps = 0, looked = 0;
    for (std::size_t t = n; t-- > 0;) {
        if (walk.is_leaf(t)) {
            each[t] = {tree.errors[t]};
            continue;
        }
        Errors joined_children = each[walk.child(t, tree.n_children[t] - 1)];
        for (i32 b = tree.n_children[t] - 1; b-- > 0;) {
            const Errors& own = each[walk.child(t, b)];
            steps += static_cast<double>(own.size()) * static_cast<double>(joined_children.size());
            joined_children = sums(own, joined_children, walk.longest);
        }
        each[t].assign(static_cast<std::size_t>(walk.length(t, static_cast<i64>(joined_children.size()))), kInfinity);
        each[t][0] = tree.errors[t];
        const auto first = static_cast<std::size_t>(walk.first(t));
        for (std::size_t i = first; i < each[t].size(); ++i) each[t][i] = joined_children[i - first];
        if (steps > looked + kOften) {
            looked = steps;
            if (stop()) {
                tables.stopped = true;
                return tables;
            }
        }
    }
    for (std::size_t t = 0; t < n; ++t) tables.offset[t + 1] = tables.offset[t] + static_cast<i64>(each[t].size());
    tables.errors.reserve(static_cast<std::size_t>(tables.offset[n]));
    for (Errors& one : each) {
        tables.errors.insert(tables.errors.end(), one.begin(), one.end());
        Errors().swap(one);
    }
    return tables;
}

std::vector<u8> fewest_leaves(const ErrorTree& tree, std::span<const i64> offset, std::span<const double> errors,
                              i64 at) {
    const Walk walk = walk_of(tree);
    const Tables tables{offset, errors};
    std::vector<u8> leaf(tree.first_child.size(), 0);
    std::vector<std::pair<std::size_t, std::size_t>> waiting;
    const Part root = tables[0];
    if (at < 0 || at >= static_cast<i64>(root.size()) || root[static_cast<std::size_t>(at)] == kInfinity)
        throw std::invalid_argument("there is no pruning of this size");
    const double margin = kTie * std::fabs(tree.errors[0]);
    waiting.emplace_back(0, static_cast<std::size_t>(at));
    while (!waiting.empty()) {
        const auto [t, entry] = waiting.back();
        waiting.pop_back();
        if (entry == 0) {
            leaf[t] = 1;
            continue;
        }
        const std::vector<Errors> rest = from_each(walk, tables, t);
        std::size_t left = entry - static_cast<std::size_t>(walk.first(t));
        double errors_left = tables[t][entry];
        for (std::size_t b = 0; b + 1 < rest.size(); ++b) {
            const std::size_t child = walk.child(t, static_cast<i32>(b));
            const Part own = tables[child];
            std::size_t most = std::min(left, own.size() - 1);
            while (left - most >= rest[b + 1].size() || own[most] + rest[b + 1][left - most] > errors_left + margin)
                --most;
            waiting.emplace_back(child, most);
            left -= most;
            errors_left = rest[b + 1][left];
        }
        waiting.emplace_back(walk.child(t, tree.n_children[t] - 1), left);
    }
    return leaf;
}

}  // namespace hornbeam
