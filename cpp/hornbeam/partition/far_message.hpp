// The folder partition/ grows a tree from rows that are elsewhere, in parts that never see each other: in files, or
// with the workers of a cluster.
//
//   driver  ── message ──►  every part          a message says what is asked, and how the growth stands
//   driver  ◄── answer ───  merged (fields.hpp)
//
// A message is all that a task needs beside its rows: any task may run again, anywhere, in any order. What a part
// remembers (codes, the node of each row) is a cache that says what it was made from.
#pragma once

#include "hornbeam/grow/learn_target.hpp"
#include "hornbeam/partition/fields.hpp"

namespace hornbeam {

// What a message asks about all rows of a part.
enum class Topic : u64 {
    summary = 0,       // of the target
    sample = 1,        // values of each column, for cuts
    flags = 2,         // what codes say of each column
    nodes = 3,         // questions about nodes
    leaf_ranges = 4,   // of the exact sums of the finished tree
    leaf_sums = 5,     // exact sums of each leaf
    leaf_largest = 6,  // the largest square around the mean of each leaf
    leaf_squares = 7,  // the sum of squares of each leaf
    leaf_targets = 8,  // the targets of some leaves
};

// What is asked about one node.
enum class Ask : u8 { range, lanes, fourth_powers, tally, buckets, cells, values, neighbours, known_weights, rows };

// The test of a node that was split: enough to send rows on by their values.
struct FarTest {
    i32 column = -1;
    SplitKind kind = SplitKind::leaf;
    double threshold = 0;
    i32 missing = 0;  // the branch of gaps; negative: they have none yet
    u32 first_child = 0;
    std::vector<i32> branch;  // by value, of nominal columns

    FarTest() = default;
    FarTest(const Node& node, const ColumnView& view, u32 first)
        : column(node.column), kind(node.kind), threshold(node.threshold), missing(node.missing), first_child(first) {
        if (kind != SplitKind::subset && kind != SplitKind::multiway) return;
        branch.assign(static_cast<std::size_t>(view.n_values), 0);
        for (const auto& [value, to] : node.side->map) branch[static_cast<std::size_t>(value)] = to;
    }
    // The branch of a row; that of gaps if its value is missing.
    i32 of(const ColumnView& view, std::size_t row) const {
        const double x = view.value(row);
        if (std::isnan(x)) return missing;
        if (kind == SplitKind::threshold) return x <= threshold ? 0 : 1;
        if (kind == SplitKind::equals) return x == threshold ? 0 : 1;
        return branch[static_cast<std::size_t>(x)];
    }
    void write(Writer& out) const {
        out.put(column);
        out.put(kind);
        out.put(threshold);
        out.put(missing);
        out.put(first_child);
        out.put_all(branch);
    }
    static FarTest read(Reader& in) {
        FarTest out;
        out.column = in.get<i32>();
        out.kind = in.get<SplitKind>();
        out.threshold = in.get<double>();
        out.missing = in.get<i32>();
        out.first_child = in.get<u32>();
        out.branch = in.get_all<i32>();
        return out;
    }
};

// How the growth stands: what every message says first.
struct FarState {
    u64 key = 0;  // of this growth among others
    TargetSummary summary;
    i64 root_rows = 0;               // that the root's grid was made for; 0: it has none yet
    std::vector<SavedCuts> cuts;     // of each column, once they are known
    std::vector<CodingFlags> flags;  // of each column, once all parts are coded
    std::vector<FarTest> tests;      // by node; those of leaves and open nodes have no column

    u64 cuts_key() const {
        Writer out;
        write_cuts(out);
        return checksum(out.bytes.data(), out.bytes.size());
    }
    void write(Topic topic, Writer& out) const {
        out.put(topic);
        out.put(key);
        out.put(summary);
        out.put(root_rows);
        write_cuts(out);
        out.put_all(flags);
        out.put<u64>(tests.size());
        for (const FarTest& test : tests) test.write(out);
    }
    static FarState read(Reader& in) {
        FarState out;
        out.key = in.get<u64>();
        out.summary = in.get<TargetSummary>();
        out.root_rows = in.get<i64>();
        for (u64 n = in.get<u64>(); n > 0; --n) {
            SavedCuts& one = out.cuts.emplace_back();
            one.maybe_exact = in.get<u8>() != 0;
            one.tied = in.get<u8>() != 0;
            one.cuts = in.get_all<double>();
        }
        out.flags = in.get_all<CodingFlags>();
        for (u64 n = in.get<u64>(); n > 0; --n) out.tests.push_back(FarTest::read(in));
        return out;
    }

  private:
    void write_cuts(Writer& out) const {
        out.put<u64>(cuts.size());
        for (const SavedCuts& one : cuts) {
            out.put<u8>(one.maybe_exact);
            out.put<u8>(one.tied);
            out.put_all(one.cuts);
        }
    }
};

// Bins of a column, as questions about cells and values have them.
inline void write_bins(const OpenBins& bins, Writer& out) {
    out.put(bins.column);
    std::vector<i32> code(bins.buckets.size());
    for (u32 c = 0; c < kBins; ++c)
        if (bins.in_bins[c] != 0) code[bins.slot[c]] = static_cast<i32>(c);
    out.put_all(code);
    out.put_all(bins.n_rows);
}
inline OpenBins read_bins(Reader& in) {
    OpenBins out;
    out.column = in.get<i32>();
    const std::vector<i32> code = in.get_all<i32>();
    const std::vector<i64> n_rows = in.get_all<i64>();
    for (std::size_t k = 0; k < code.size(); ++k) out.add(static_cast<int>(k), static_cast<u32>(code[k]), n_rows[k]);
    return out;
}

// The arrays of a finished tree that send rows to its leaves.
void write_tree(const TreeArrays& tree, Writer& out);
TreeArrays read_tree(Reader& in);

}  // namespace hornbeam
