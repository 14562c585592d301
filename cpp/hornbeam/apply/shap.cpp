#include "hornbeam/apply/shap.hpp"

#include <algorithm>
#include <cmath>

#include "hornbeam/search/candidate.hpp"

namespace hornbeam {
namespace {

constexpr std::size_t kLanes = 2;  // rows that walk together: as many as every machine computes at once
// A branch without training weight counts as one of next to none, so that no factor is 0.
constexpr double kLeastShare = 1e-200;

using Lanes = Vector<double, kLanes>;  // a number for each of them

}  // namespace

ShapWalk::ShapWalk(const ShapTree& tree) : outside(tree.tests.kind.size(), 1.0) {
    const TreeView& view = tree.tests;
    struct Level {
        i32 node, column = -1, before = 0;  // `before`: where the column's last test led to, before this one
        std::size_t players = 0;            // columns on the way
    };
    std::vector<Level> way;
    std::vector<i32> last(view.column.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(view.column)) + 1, 0);
    std::vector<std::pair<i32, i32>> waiting{{0, 0}};  // nodes and depths
    while (!waiting.empty()) {
        const auto [node, depth] = waiting.back();
        waiting.pop_back();
        const auto n = static_cast<std::size_t>(node);
        if (view.first_child[n] < 0) continue;
        for (; way.size() > static_cast<std::size_t>(depth); way.pop_back())
            if (way.back().column >= 0) last[static_cast<std::size_t>(way.back().column)] = way.back().before;
        Level level{node};
        if (depth > 0) {
            level.column = view.column[static_cast<std::size_t>(way.back().node)];
            i32& led = last[static_cast<std::size_t>(level.column)];
            level.before = led;
            level.players = way.back().players + (led == 0);
            led = depth;
        }
        way.push_back(level);
        const i32 earlier = last[static_cast<std::size_t>(view.column[n])];
        const double above = outside[static_cast<std::size_t>(way[static_cast<std::size_t>(earlier)].node)];
        tests.push_back({node, depth, earlier});
        n_levels = std::max(n_levels, way.size());
        n_players = std::max(n_players, level.players + (earlier == 0));
        for (i32 b = view.n_children[n]; b-- > 0;) {
            const auto child = static_cast<std::size_t>(view.first_child[n] + b);
            outside[child] = std::max(above * tree.share[child], kLeastShare);
            waiting.emplace_back(static_cast<i32>(child), depth + 1);
        }
    }
}

namespace {

// What is the same for all rows.
struct Given {
    const ShapTree& tree;
    const ShapWalk& walk;
    std::span<const double> points, weights;
    const std::vector<ColumnView>& columns;
};

// What two rows need; a level is a depth on the way to the present test.
struct Work {
    std::vector<Lanes> value;         // of each column
    std::vector<u8> odd;              // whether one of the values is missing or never seen
    std::vector<Lanes> part;          // of each node: how much of a row at its parent goes there
    std::vector<Lanes> mass, leaves;  // of each node: the weight and the number of the leaves a row would reach
    std::vector<std::size_t> way;     // of each level: its test, by number
    std::vector<Lanes> inside, step;  // of each level: inside, and inside - outside, of the column tested above
    std::vector<Lanes> inverse;       // of each level and point: 1 / factor of that column
    std::vector<Lanes> others;   // of each level and point: the product of the factors of all but the test's column
    std::vector<Lanes> sums;     // of each level, answer and point: over the leaves below
    std::vector<Lanes> product;  // of each point
    std::vector<Lanes> credit;   // of each column and answer: the values

    explicit Work(const Given& given) {
        const std::size_t nodes = given.tree.share.size(), levels = given.walk.n_levels, points = given.points.size(),
                          columns = given.columns.size(), answers = given.tree.n_answers;
        value.resize(columns);
        odd.resize(columns);
        part.resize(nodes);
        way.resize(levels);
        inside.resize(levels);
        step.resize(levels);
        inverse.resize(levels * points);
        others.resize(levels * points);
        sums.resize(levels * answers * points);
        product.resize(points);
        credit.resize(columns * answers);
    }
};

// Reads the rows from `first` on; the last one twice if there is no other.
void read_rows(const Given& given, std::size_t first, std::size_t last, Work& work) {
    for (std::size_t c = 0; c < given.columns.size(); ++c) {
        bool odd = false;
        for (std::size_t i = 0; i < kLanes; ++i) {
            const double x = given.columns[c].value(std::min(first + i, last - 1));
            work.value[c].x[i] = x;
            odd |= !(x > -std::numeric_limits<double>::infinity());
        }
        work.odd[c] = odd;
    }
}

// The parts 1 and 0 of every test; -1 for all children where a row follows all paths. Returns whether one does.
bool find_parts(const Given& given, Work& work) {
    const TreeView& view = given.tree.tests;
    bool any_open = false;
    for (const ShapWalk::Test& test : given.walk.tests) {
        const auto n = static_cast<std::size_t>(test.node), column = static_cast<std::size_t>(view.column[n]);
        Lanes* part = work.part.data() + view.first_child[n];
        const Lanes value = work.value[column];
        if (static_cast<SplitKind>(view.kind[n]) == SplitKind::threshold && !work.odd[column]) {
            const double threshold = view.threshold[n];
            for (std::size_t i = 0; i < kLanes; ++i) {
                part[0].x[i] = value.x[i] <= threshold ? 1.0 : 0.0;
                part[1].x[i] = value.x[i] <= threshold ? 0.0 : 1.0;
            }
            for (i32 b = 2; b < view.n_children[n]; ++b) part[b] = Lanes{};
            continue;
        }
        i32 branch[kLanes];
        for (std::size_t i = 0; i < kLanes; ++i) {
            branch[i] = branch_taken(view, n, value.x[i]);
            any_open |= branch[i] == kAllPaths;
        }
        for (i32 b = 0; b < view.n_children[n]; ++b)
            for (std::size_t i = 0; i < kLanes; ++i)
                part[b].x[i] = branch[i] == kAllPaths ? -1.0 : branch[i] == b ? 1.0 : 0.0;
    }
    return any_open;
}

// Fills in the parts of rows that follow all paths, from the leaves up: children come after their parents.
void share_out(const Given& given, Work& work) {
    const TreeView& view = given.tree.tests;
    const std::size_t n_nodes = view.kind.size();
    const bool by_leaf = given.tree.part.empty();
    work.mass.resize(n_nodes);
    work.leaves.resize(n_nodes);
    for (std::size_t n = n_nodes; n-- > 0;) {
        if (view.first_child[n] < 0) {
            const Lanes zero{};
            work.mass[n].x = zero.x + (by_leaf ? given.tree.weight[n] : 1.0);
            work.leaves[n].x = zero.x + 1;
            continue;
        }
        const auto first = static_cast<std::size_t>(view.first_child[n]),
                   end = first + static_cast<std::size_t>(view.n_children[n]);
        Lanes taken{}, met{}, total{}, number{};  // of the branch taken, and of all branches
        for (std::size_t child = first; child < end; ++child) {
            const double share = by_leaf ? 1.0 : given.tree.part[child];
            taken.x += work.mass[child].x * work.part[child].x;
            met.x += work.leaves[child].x * work.part[child].x;
            total.x += work.mass[child].x * share;
            number.x += work.leaves[child].x;
        }
        const Lanes open = work.part[first];
        for (std::size_t child = first; child < end; ++child) {
            const double share = by_leaf ? 1.0 : given.tree.part[child];
            for (std::size_t i = 0; i < kLanes; ++i) {
                if (open.x[i] >= 0) continue;
                // Where no leaf has weight, all count the same.
                work.part[child].x[i] =
                    total.x[i] > 0 ? work.mass[child].x[i] * share / total.x[i] : work.leaves[child].x[i] / number.x[i];
            }
        }
        for (std::size_t i = 0; i < kLanes; ++i) {
            work.mass[n].x[i] = open.x[i] < 0 ? std::max(total.x[i], 0.0) : taken.x[i];
            work.leaves[n].x[i] = open.x[i] < 0 ? number.x[i] : met.x[i];
        }
    }
}

// Credits what the leaves below the test of a level add, and hands their sums up. This and walk_tree are always
// inlined, so that they are compiled for the instructions of their caller.
void leave(const Given& given, Work& work, std::size_t level) {
    const std::vector<ShapWalk::Test>& tests = given.walk.tests;
    const std::size_t n_points = given.points.size(), n_answers = given.tree.n_answers;
    const ShapWalk::Test& above = tests[work.way[level - 1]];
    const auto earlier = static_cast<std::size_t>(above.earlier);
    const Lanes step = work.step[level], step_earlier = work.step[earlier];
    const Lanes *inverse = &work.inverse[level * n_points], *inverse_earlier = &work.inverse[earlier * n_points];
    const auto column = static_cast<std::size_t>(given.tree.tests.column[static_cast<std::size_t>(above.node)]);
    for (std::size_t a = 0; a < n_answers; ++a) {
        const Lanes* sums = &work.sums[(level * n_answers + a) * n_points];
        Lanes* sums_above = &work.sums[((level - 1) * n_answers + a) * n_points];
        Lanes credit = work.credit[column * n_answers + a];
        for (std::size_t q = 0; q < n_points; ++q) {
            credit.x += sums[q].x * (step.x * inverse[q].x - step_earlier.x * inverse_earlier[q].x);
            sums_above[q].x += sums[q].x;
        }
        work.credit[column * n_answers + a] = credit;
    }
}

// The walk of two rows.
void walk_tree(const Given& given, Work& work) {
    const ShapTree& tree = given.tree;
    const TreeView& view = tree.tests;
    const std::vector<ShapWalk::Test>& tests = given.walk.tests;
    const std::size_t n_points = given.points.size(), n_answers = tree.n_answers;
    std::ranges::fill(work.credit, Lanes{});

    std::size_t depth = 0;  // of the present test
    for (std::size_t t = 0; t < tests.size(); ++t) {
        const ShapWalk::Test& test = tests[t];
        const auto level = static_cast<std::size_t>(test.depth), n = static_cast<std::size_t>(test.node),
                   earlier = static_cast<std::size_t>(test.earlier);
        if (t > 0)
            for (; depth >= level; --depth) leave(given, work, depth);
        depth = level;
        work.way[level] = t;
        Lanes* others = &work.others[level * n_points];
        Lanes* inverse = &work.inverse[level * n_points];
        if (level == 0) {
            const Lanes zero{};
            work.step[0] = zero;
            work.inside[0].x = zero.x + 1;
            for (std::size_t q = 0; q < n_points; ++q) {
                inverse[q].x = zero.x + 1;
                others[q].x = zero.x + given.weights[q];
            }
        } else {
            const auto before = static_cast<std::size_t>(tests[work.way[level - 1]].earlier);
            const double outside = given.walk.outside[n];
            const Lanes inside{work.inside[before].x * work.part[n].x};
            work.inside[level] = inside;
            work.step[level].x = inside.x - outside;
            const Lanes* others_above = &work.others[(level - 1) * n_points];
            const Lanes* inverse_earlier = &work.inverse[earlier * n_points];
            for (std::size_t q = 0; q < n_points; ++q) {
                const double u = given.points[q];
                const Lanes factor{outside * (1 - u) + inside.x * u};
                inverse[q].x = 1 / factor.x;
                others[q].x = others_above[q].x * factor.x * inverse_earlier[q].x;
            }
        }
        Lanes* sums = &work.sums[level * n_answers * n_points];
        std::fill_n(sums, n_answers * n_points, Lanes{});
        const Lanes inside_earlier = work.inside[earlier], step_earlier = work.step[earlier];
        const Lanes* inverse_earlier = &work.inverse[earlier * n_points];
        const auto column = static_cast<std::size_t>(view.column[n]);
        for (i32 b = 0; b < view.n_children[n]; ++b) {
            const auto child = static_cast<std::size_t>(view.first_child[n] + b);
            if (view.first_child[child] >= 0) continue;
            const double outside = given.walk.outside[child];
            const Lanes inside{inside_earlier.x * work.part[child].x}, step{inside.x - outside};
            Lanes value{};
            for (std::size_t q = 0; q < n_points; ++q) {
                const double u = given.points[q];
                const Lanes product{others[q].x * (outside * (1 - u) + inside.x * u)};
                work.product[q] = product;
                value.x += others[q].x * step.x - product.x * (step_earlier.x * inverse_earlier[q].x);
            }
            for (std::size_t a = 0; a < n_answers; ++a) {
                const double answer = tree.answers[child * n_answers + a];
                if (answer == 0) continue;
                work.credit[column * n_answers + a].x += answer * value.x;
                for (std::size_t q = 0; q < n_points; ++q) sums[a * n_points + q].x += answer * work.product[q].x;
            }
        }
    }
    for (; depth > 0; --depth) leave(given, work, depth);
}

}  // namespace

void add_shap_values(const ShapTree& tree, const ShapWalk& walk, std::span<const double> points,
                     std::span<const double> weights, const std::vector<ColumnView>& columns, std::size_t first,
                     std::size_t last, Pool& pool, const ShapOut& out) {
    const Given given{tree, walk, points, weights, columns};
    std::vector<Work> works(static_cast<std::size_t>(pool.n_threads()), Work(given));
    const bool mirrored = tree.n_answers == 1 && out.n_answers == 2;
    pool.each((last - first + kLanes - 1) / kLanes, [&](std::size_t block, int worker) {
        Work& work = works[static_cast<std::size_t>(worker)];
        const std::size_t begin = first + block * kLanes, end = std::min(begin + kLanes, last);
        read_rows(given, begin, last, work);
        if (find_parts(given, work)) share_out(given, work);
        walk_tree(given, work);
        for (std::size_t row = begin; row < end; ++row)
            for (std::size_t c = 0; c < columns.size(); ++c) {
                double* to =
                    out.values + (row * out.n_columns + static_cast<std::size_t>(out.places[c])) * out.n_answers;
                const Lanes* credit = &work.credit[c * tree.n_answers];
                for (std::size_t a = 0; a < tree.n_answers; ++a) to[a + mirrored] += credit[a].x[row - begin];
                if (mirrored) to[0] -= credit[0].x[row - begin];
            }
    });
}

}  // namespace hornbeam
