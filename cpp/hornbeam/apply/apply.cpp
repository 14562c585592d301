#include "hornbeam/apply/apply.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <type_traits>

#include "hornbeam/search/candidate.hpp"

namespace hornbeam {
namespace {

constexpr std::size_t kChunk = 4096;

// The branch a known value takes; kAllPaths if none was learned for it.
i32 branch_of(const TreeView& tree, std::size_t node, double x) {
    switch (static_cast<SplitKind>(tree.kind[node])) {
        case SplitKind::threshold:
            return x <= tree.threshold[node] ? 0 : 1;
        case SplitKind::equals:
            return x == tree.threshold[node] ? 0 : 1;
        default: {
            const auto first = tree.map_code.begin() + tree.map_offset[node],
                       last = tree.map_code.begin() + tree.map_offset[node + 1];
            // Where all smaller codes are there as well, a code is at its own place.
            const auto code = static_cast<i32>(x);
            const bool in_place = code >= 0 && code < last - first && first[code] == code;
            const auto entry = in_place ? first + code : std::lower_bound(first, last, code);
            if (entry != last && *entry == code)
                return tree.map_branch[static_cast<std::size_t>(entry - tree.map_code.begin())];
            return tree.absent.empty() ? kAllPaths : tree.absent[node];
        }
    }
}

i32 missing_branch(const TreeView& tree, std::size_t node) {
    return tree.all_paths || tree.missing.empty() ? kAllPaths : tree.missing[node];
}

}  // namespace

i32 branch_taken(const TreeView& tree, std::size_t node, double x) {
    const bool unseen = x == -std::numeric_limits<double>::infinity();
    if (unseen && tree.unseen_all_paths) return kAllPaths;
    const i32 branch = x == x && !unseen ? branch_of(tree, node, x) : kAllPaths;
    return branch != kAllPaths ? branch : missing_branch(tree, node);
}

namespace {

// Walks one row; `value(column)` is NaN for a missing value.
template <class Value>
i32 walk(const TreeView& tree, Value&& value) {
    std::size_t node = 0;
    while (tree.first_child[node] >= 0) {
        const i32 branch = branch_taken(tree, node, value(tree.column[node]));
        if (branch == kAllPaths) return kAllPaths;
        node = static_cast<std::size_t>(tree.first_child[node] + branch);
    }
    return static_cast<i32>(node);
}

template <class T>
T read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

// The largest T that is not above `x`: for values of type T it separates exactly like `x`.
float below(double x, float) {
    float y = static_cast<float>(x);
    return static_cast<double>(y) > x ? std::nextafter(y, -std::numeric_limits<float>::infinity()) : y;
}
double below(double x, double) { return x; }

// `n` rows at a time, level by level, until all have come to rest in a leaf. A leaf's threshold is infinite and its
// `first` is itself, so a row at rest stays without a question.
template <std::size_t n, class T>
void walk_rows(const PackedNode<T>* tree, const DenseRows& rows, std::size_t r, i32* out) {
    i32 at[n] = {};
    const std::byte* row[n];
    for (std::size_t i = 0; i < n; ++i) row[i] = rows.row(r + i);
    u32 on_all_paths = 0;  // rows that follow all paths
    for (i32 moved = 1; moved != 0;) {
        moved = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const PackedNode<T>& node = tree[at[i]];
            const T x =
                read<T>(row[i] + static_cast<std::ptrdiff_t>(node.column_and_missing >> 2) * rows.column_stride);
            i32 next = node.first + static_cast<i32>(x > node.threshold);
            if (x != x && node.first != at[i]) [[unlikely]] {
                const i32 missing = static_cast<i32>(node.column_and_missing & 3);
                on_all_paths |= static_cast<u32>(missing == 3) << i;
                next = node.first + (missing == 3 ? 0 : missing);
            }
            moved |= next ^ at[i];
            at[i] = next;
        }
    }
    for (std::size_t i = 0; i < n; ++i) out[r + i] = on_all_paths >> i & 1 ? kAllPaths : at[i];
}

template <class T>
void walk_rows(const PackedNode<T>* tree, const DenseRows& rows, std::size_t first, std::size_t last, i32* out) {
    constexpr std::size_t kRows = 8;
    std::size_t r = first;
    for (; r + kRows <= last; r += kRows) walk_rows<kRows>(tree, rows, r, out);
    for (; r < last; ++r) walk_rows<1>(tree, rows, r, out);
}

// Whether one of `n` values in a row is infinite; on the bits, so that the loop becomes vector instructions.
template <class T>
bool any_infinite(const std::byte* data, std::size_t n) {
    using Bits = std::conditional_t<sizeof(T) == 4, u32, u64>;
    const Bits no_sign = std::numeric_limits<Bits>::max() >> 1,
               infinite = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    Bits any = 0;
    for (std::size_t j = 0; j < n; ++j) {
        Bits bits;
        std::memcpy(&bits, data + j * sizeof(T), sizeof(T));
        any |= (bits & no_sign) == infinite;
    }
    return any != 0;
}

template <class T>
bool any_infinite(const DenseRows& rows, std::size_t first, std::size_t last) {
    const auto size = static_cast<std::ptrdiff_t>(sizeof(T));
    const std::byte* data = rows.data + static_cast<std::ptrdiff_t>(first) * rows.row_stride;
    if (rows.column_stride == size && rows.row_stride == size * static_cast<std::ptrdiff_t>(rows.n_columns))
        return any_infinite<T>(data, (last - first) * rows.n_columns);
    for (std::size_t r = first; r < last; ++r, data += rows.row_stride)
        for (std::size_t j = 0; j < rows.n_columns; ++j)
            if (any_infinite<T>(data + static_cast<std::ptrdiff_t>(j) * rows.column_stride, 1)) return true;
    return false;
}

template <class T>
PackedNode<T> packed_test(double threshold, i32 first, i32 column, i32 missing) {
    return {below(threshold, T{}), first, static_cast<u32>(column) << 2 | (static_cast<u32>(missing) & 3)};
}

// `test(n)` is asked for every test in turn.
template <class T, class Leaf, class Test>
std::vector<PackedNode<T>> pack_nodes(std::span<const std::int8_t> kind, Leaf&& is_leaf, Test&& test) {
    std::vector<PackedNode<T>> out(kind.size());
    for (std::size_t n = 0; n < out.size(); ++n) {
        if (is_leaf(n))
            out[n] = {std::numeric_limits<T>::infinity(), static_cast<i32>(n), 0};
        else if (static_cast<SplitKind>(kind[n]) == SplitKind::threshold)
            out[n] = test(n);
        else
            return {};
    }
    return out;
}

}  // namespace

template <class T>
std::vector<PackedNode<T>> pack(const TreeView& tree) {
    return pack_nodes<T>(
        tree.kind, [&](std::size_t n) { return tree.first_child[n] < 0; },
        [&](std::size_t n) {
            return packed_test<T>(tree.threshold[n], tree.first_child[n], tree.column[n], missing_branch(tree, n));
        });
}

template <class T>
std::vector<PackedNode<T>> pack(const CompactView& tree) {
    return pack_nodes<T>(
        tree.kind, [&](std::size_t n) { return tree.kind[n] == 0; },
        [&, i = std::size_t{0}](std::size_t) mutable {
            const i32 missing = tree.missing.empty() ? kAllPaths : tree.missing[i];
            const auto test = packed_test<T>(tree.threshold[i], tree.first_child[i], tree.column[i], missing);
            ++i;
            return test;
        });
}

template <class T>
bool apply_packed(std::span<const PackedNode<T>> tree, const DenseRows& rows, Pool& pool, i32* out) {
    std::atomic<bool> infinite{false};
    pool.each((rows.n_rows + kChunk - 1) / kChunk, [&](std::size_t c, int) {
        const std::size_t first = c * kChunk, last = std::min(rows.n_rows, first + kChunk);
        if (rows.chosen == nullptr && any_infinite<T>(rows, first, last))
            infinite = true;  // brings the chunk into the cache, too
        walk_rows(tree.data(), rows, first, last, out);
    });
    return infinite;
}

void apply_columns(const TreeView& tree, const std::vector<ColumnView>& columns, std::size_t n_rows, Pool& pool,
                   i32* out) {
    pool.each((n_rows + kChunk - 1) / kChunk, [&](std::size_t c, int) {
        for (std::size_t r = c * kChunk; r < std::min(n_rows, (c + 1) * kChunk); ++r)
            out[r] = walk(tree, [&](i32 column) { return columns[static_cast<std::size_t>(column)].value(r); });
    });
}

namespace {

// One of the values dealt to a row, and where its leaf is written.
struct Dealt {
    double x;
    std::size_t at;
};

// Nodes where values wait from which others have parted, and the number of the last of these values.
using Waiting = std::vector<std::pair<std::size_t, std::size_t>>;

// Takes one row with all values dealt to it to their leaves: together, as long as no test parts them.
template <class Value>
void walk_dealt(const TreeView& tree, i32 dealt, Value&& own, std::vector<Dealt>& values, Waiting& waiting, i32* out) {
    std::size_t begin = 0;
    waiting.assign(1, {0, values.size()});
    while (!waiting.empty()) {
        std::size_t node = waiting.back().first, end = waiting.back().second;  // clang 14 captures no bindings
        waiting.pop_back();
        i32 branch = 0;
        while (tree.first_child[node] >= 0) {
            if (tree.column[node] != dealt) {
                branch = branch_taken(tree, node, own(tree.column[node]));
            } else {
                branch = branch_taken(tree, node, values[begin].x);
                const auto first = values.begin() + static_cast<std::ptrdiff_t>(begin);
                const auto parted =
                    std::partition(first + 1, values.begin() + static_cast<std::ptrdiff_t>(end),
                                   [&](const Dealt& value) { return branch_taken(tree, node, value.x) == branch; });
                const auto middle = static_cast<std::size_t>(parted - values.begin());
                if (middle < end) waiting.emplace_back(node, end);
                end = middle;
            }
            if (branch == kAllPaths) break;
            node = static_cast<std::size_t>(tree.first_child[node] + branch);
        }
        for (; begin < end; ++begin) out[values[begin].at] = branch == kAllPaths ? kAllPaths : static_cast<i32>(node);
    }
}

}  // namespace

void apply_dealt(const TreeView& tree, const std::vector<ColumnView>& columns, i32 dealt, std::span<const i64> rows,
                 const std::vector<std::span<const i64>>& orders, Pool& pool, i32* out) {
    const std::size_t n = rows.size();
    const ColumnView& column = columns[static_cast<std::size_t>(dealt)];
    pool.each((n + kChunk - 1) / kChunk, [&](std::size_t c, int) {
        std::vector<Dealt> values;
        Waiting waiting;
        for (std::size_t i = c * kChunk; i < std::min(n, (c + 1) * kChunk); ++i) {
            const auto row = static_cast<std::size_t>(rows[i]);
            values.clear();
            for (std::size_t k = 0; k < orders.size(); ++k)
                values.push_back({column.value(static_cast<std::size_t>(orders[k][row])), k * n + i});
            walk_dealt(
                tree, dealt, [&](i32 other) { return columns[static_cast<std::size_t>(other)].value(row); }, values,
                waiting, out);
        }
    });
}

Paths apply_paths(const TreeView& tree, const std::vector<ColumnView>& columns, std::span<const i64> rows,
                  std::span<const double> weight, std::span<const double> share) {
    Paths out;
    out.offset.push_back(0);
    std::vector<std::pair<i32, double>> stack, leaves;
    for (i64 row : rows) {
        stack.assign(1, {0, 1.0});
        leaves.clear();
        double total = 0;
        while (!stack.empty()) {
            const auto [node, part] = stack.back();
            stack.pop_back();
            const auto n = static_cast<std::size_t>(node);
            if (tree.first_child[n] < 0) {
                leaves.emplace_back(node, share.empty() ? weight[n] : part);
                total += leaves.back().second;
                continue;
            }
            const double x = columns[static_cast<std::size_t>(tree.column[n])].value(static_cast<std::size_t>(row));
            const i32 branch = branch_taken(tree, n, x);
            for (i32 b = 0; b < tree.n_children[n]; ++b) {
                const i32 child = tree.first_child[n] + b;
                if (branch == kAllPaths)
                    stack.emplace_back(child, share.empty() ? 1.0 : part * share[static_cast<std::size_t>(child)]);
                else if (branch == b)
                    stack.emplace_back(child, part);
            }
        }
        std::sort(leaves.begin(), leaves.end());
        for (const auto& [leaf, part] : leaves) {
            if (total > 0 && part == 0 && leaves.size() > 1) continue;
            out.leaf.push_back(leaf);
            out.weight.push_back(leaves.size() == 1 ? 1.0
                                 : total > 0        ? part / total
                                                    : 1.0 / static_cast<double>(leaves.size()));
        }
        out.offset.push_back(static_cast<i64>(out.leaf.size()));
    }
    return out;
}

template std::vector<PackedNode<float>> pack(const TreeView&);
template std::vector<PackedNode<double>> pack(const TreeView&);
template std::vector<PackedNode<float>> pack(const CompactView&);
template std::vector<PackedNode<double>> pack(const CompactView&);
template bool apply_packed(std::span<const PackedNode<float>>, const DenseRows&, Pool&, i32*);
template bool apply_packed(std::span<const PackedNode<double>>, const DenseRows&, Pool&, i32*);

}  // namespace hornbeam
