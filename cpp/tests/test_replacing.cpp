// Replacing a test by a child's subtree: the worked example of the specification (P75), and the same with gaps.

#include "hornbeam/prune/replace_by_child.hpp"

#include <vector>

#include "tests/check.hpp"

namespace hornbeam {
namespace {

// x1[0: leaf | 1: x2[0: leaf | 1: leaf]] on rows of (x1, x2) with counts of two classes.
struct Example {
    std::vector<std::int8_t> kind{1, 0, 1, 0, 0};
    std::vector<i32> first_child{1, -1, 3, -1, -1}, n_children{2, 0, 2, 0, 0}, column{0, -1, 1, -1, -1};
    std::vector<i32> missing{-1, -1, -1, -1, -1}, absent{-1, -1, -1, -1, -1}, none;
    std::vector<double> threshold{0.5, 0, 0.5, 0, 0}, share{1, 0.2, 0.8, 0.4, 0.6}, answer{1, 0, 1, 0, 1};
    std::vector<i64> no_map{0, 0, 0, 0, 0, 0}, size{1, 1, 1, 1, 1}, n_rows{46, 9, 37, 14, 23};

    TreeView view() const {
        TreeView tree;
        tree.kind = kind;
        tree.first_child = first_child;
        tree.n_children = n_children;
        tree.column = column;
        tree.missing = missing;
        tree.absent = absent;
        tree.threshold = threshold;
        tree.map_offset = no_map;
        tree.map_code = none;
        tree.map_branch = none;
        return tree;
    }
};

struct Cells {
    std::vector<double> x1{0, 0, 0, 0, 1, 1, 1, 1}, x2{0, 0, 1, 1, 0, 0, 1, 1}, weight;
    std::vector<i32> code{0, 1, 0, 1, 0, 1, 0, 1}, leaf{1, 1, 1, 1, 3, 3, 4, 4};
    std::vector<i64> row{0, 1, 2, 3, 4, 5, 6, 7};

    Sample sample() const {
        Sample out{row, leaf, weight, {}};
        for (const auto* x : {&x1, &x2}) {
            ColumnView view;
            view.data = reinterpret_cast<const std::byte*>(x->data());
            view.stride = sizeof(double);
            out.columns.push_back(view);
        }
        return out;
    }
};

ReplacingOutput replace(const Example& tree, const Cells& grown, const Cells& held, int n_threads = 1) {
    ReplacingInput in;
    in.n_threads = n_threads;
    in.task_rows = 2;
    in.training_tree = in.held_tree = tree.view();
    in.share = tree.share;
    in.leaf_size = tree.size;
    in.answer = tree.answer;
    in.n_rows = tree.n_rows;
    in.training = grown.sample();
    in.held = held.sample();
    const ClassOutcome classes{2, grown.code, held.code, {}, {}};
    return replace_by_children(in, classes);
}

TEST("the subtree of a child takes the place of a test") {
    Cells grown, held;
    grown.weight = {4, 0, 3, 2, 12, 2, 3, 20};
    held.weight = {3, 0, 0, 5, 10, 1, 2, 12};
    const ReplacingOutput replaced = replace({}, grown, held);
    CHECK(replaced.action[0] == 2);
    CHECK(replaced.child[0] == 2);
    CHECK(replaced.keep_cost[0] == 8);
    CHECK(replaced.leaf[0] == 15);
    CHECK(replaced.raised[0] == 3);
    CHECK(replaced.stand[0] == 2);
    CHECK(replaced.stats == (std::vector<double>{22, 24, 7, 2, 22, 24, 16, 2, 6, 22}));
    CHECK(replaced.action[2] == 0);
}

// Checks that a row with this value follows all paths of the subtree in parts.
void check_divided(double value) {
    Cells grown, held;
    grown.weight = {4, 0, 3, 2, 12, 2, 3, 20};
    held.weight = {3, 0, 0, 5, 10, 1, 2, 12};
    grown.x2[0] = value;
    const ReplacingOutput replaced = replace({}, grown, held);
    CHECK(replaced.action[0] == 2);
    CHECK(replaced.stats[6] == 12 + 4 * 0.4);
    CHECK(replaced.stats[8] == 6 + 4 * 0.6);
}

TEST("a row with a gap follows all paths of the subtree in parts") {
    check_divided(std::numeric_limits<double>::quiet_NaN());
}

TEST("a row with a category never seen goes where a gap goes") {
    check_divided(-std::numeric_limits<double>::infinity());
}

TEST("a test that no held row reaches becomes a leaf") {
    Cells grown, held;
    grown.weight = {4, 0, 3, 2, 12, 2, 3, 20};
    held.weight = {0, 0, 0, 0, 0, 0, 0, 0};
    const ReplacingOutput replaced = replace({}, grown, held);
    CHECK(replaced.action[0] == 1);
    CHECK(replaced.action[2] == 1);
    CHECK(replaced.is_leaf[0] == 1);
}

TEST("threads change nothing") {
    Cells grown, held;
    grown.weight = {4, 0, 3, 2, 12, 2, 3, 20};
    held.weight = {3, 0, 0, 5, 10, 1, 2, 12};
    const ReplacingOutput alone = replace({}, grown, held), threaded = replace({}, grown, held, 3);
    CHECK(alone.action == threaded.action);
    CHECK(alone.stats == threaded.stats);
    CHECK(alone.stand == threaded.stand);
}

}  // namespace
}  // namespace hornbeam
