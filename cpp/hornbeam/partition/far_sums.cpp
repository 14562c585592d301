#include "hornbeam/partition/far_sums.hpp"

#include <bit>
#include <numeric>

#include "hornbeam/grow/leaf_sums.hpp"
#include "hornbeam/stats/exact_stats.hpp"

namespace hornbeam {
namespace {

// What a message says of a leaf.
struct LeafFacts {
    i64 rows = 0;
    double weight = 0, mean = 0, rest = 0, largest = 0;
};

std::vector<std::size_t> leaves_of_tree(const TreeArrays& tree) {
    std::vector<std::size_t> out;
    for (std::size_t n = 0; n < tree.n_nodes(); ++n)
        if (tree.is_leaf(n)) out.push_back(n);
    return out;
}

void write_range(const SumRange& range, Writer& out) {
    out.put(range.lowest());
    out.put(range.highest());
}
SumRange read_range(Reader& in) {
    const int lowest = in.get<int>(), highest = in.get<int>();
    return {lowest, highest};
}
void write_ranges(const SumRanges& ranges, Writer& out) {
    for (const SumRange* one : {&ranges.weight, &ranges.first, &ranges.log}) write_range(*one, out);
    out.put<u64>(ranges.n);
}
SumRanges read_ranges(Reader& in) {
    SumRanges out;
    for (SumRange* one : {&out.weight, &out.first, &out.log}) *one = read_range(in);
    out.n = static_cast<std::size_t>(in.get<u64>());
    return out;
}
void add_range(const SumRange& range, FieldWriter& out) {
    out.add_one(Merge::least, range.lowest());
    out.add_one(Merge::most, range.highest());
}
SumRange merged_range(FieldReader& in) {
    const double lowest = in.next().at<double>(0), highest = in.next().at<double>(0);
    return {static_cast<int>(lowest), static_cast<int>(highest)};
}

// One after the other, so that each quantity is a field of its own: the words of all leaves, `width` of each.
void add_sums(const std::vector<u64>& sums, std::size_t n_words, std::size_t at, std::size_t n, std::size_t width,
              FieldWriter& out) {
    std::vector<u64> some;
    for (std::size_t first = at; first < sums.size(); first += n_words)
        some.insert(some.end(), sums.begin() + static_cast<std::ptrdiff_t>(first),
                    sums.begin() + static_cast<std::ptrdiff_t>(first + n));
    out.add(Merge::add, some, std::max<std::size_t>(width, 1));
}

void answer_numbers(Topic topic, Reader& in, const RowsInLeaves& rows, const std::vector<std::size_t>& leaves,
                    FieldWriter& out) {
    const NodeTally tally(rows.rows, read_ranges(in));
    if (topic == Topic::leaf_sums) {
        std::vector<u64> sums(leaves.size() * tally.words(), 0);
        std::vector<i64> n_rows;
        for (std::size_t k = 0; k < leaves.size(); ++k)
            n_rows.push_back(tally.add(rows.by_leaf.rows(leaves[k]), sums.data() + k * tally.words()));
        out.add(Merge::add, n_rows);
        std::size_t at = 0;
        for (const std::size_t width : tally.widths()) {
            add_sums(sums, tally.words(), at, width, width, out);
            at += width;
        }
        return;
    }
    const std::vector<LeafFacts> facts = in.get_all<LeafFacts>();
    std::vector<double> largest;
    std::vector<u64> squares;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        RealStats stats;
        stats.rows = facts[k].rows;
        stats.weight = facts[k].weight;
        stats.mean = facts[k].mean;
        stats.rest = facts[k].rest;
        const std::span<const u32> mine = rows.by_leaf.rows(leaves[k]);
        if (topic == Topic::leaf_largest) {
            largest.push_back(tally.largest_square(mine, stats));
            continue;
        }
        const auto sum = static_cast<u128>(tally.fine_sum(mine, stats, facts[k].largest));
        squares.push_back(static_cast<u64>(sum));
        squares.push_back(static_cast<u64>(sum >> 64));
    }
    topic == Topic::leaf_largest ? out.add(Merge::most, largest) : out.add(Merge::add, squares, 2);
}

// The same for classes.
void answer_classes(Reader& in, const RowsInLeaves& rows, const std::vector<std::size_t>& leaves, FieldWriter& out) {
    const SumRange range = read_range(in);
    const ExactSum weights(range, static_cast<std::size_t>(in.get<u64>()));
    const ClassTally tally(rows.target, rows.rows, rows.by_leaf, weights);
    std::vector<u64> sums(leaves.size() * tally.words(), 0);
    std::vector<i64> n_rows;
    for (std::size_t k = 0; k < leaves.size(); ++k)
        n_rows.push_back(tally.leaf(leaves[k], sums.data() + k * tally.words()));
    out.add(Merge::add, n_rows);
    out.add(Merge::add, sums, weights.words());
}

void sum_classes(const AskLeaves& ask, const TargetView& target, TreeArrays& tree) {
    const auto width = static_cast<std::size_t>(tree.width);
    const std::string ranges = ask(Topic::leaf_ranges, [](Writer&) {});
    FieldReader of_ranges(ranges);
    const SumRange range = merged_range(of_ranges);
    const auto n = static_cast<u64>(of_ranges.next().at<i64>(0));
    const std::string answer = ask(Topic::leaf_sums, [&](Writer& out) {
        write_range(range, out);
        out.put(n);
    });
    FieldReader in(answer);
    const std::vector<i64> n_rows = in.next().all<i64>();
    const std::vector<u64> sums = in.next().all<u64>();
    const RealRows no_rows{};
    const ByLeaf nothing({}, Live(no_rows, 0), 0);
    const ClassTally tally(target, no_rows, nothing, ExactSum(range, static_cast<std::size_t>(n)));
    LeafSums<i64, ClassTally> known(tree, tally, tally.words());
    std::size_t k = 0;
    for (const std::size_t leaf : leaves_of_tree(tree)) {
        std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(k * tally.words()), tally.words(), known.at(leaf));
        known.known[leaf] = n_rows[k++];
    }
    sum_up<i64>(tree, tally.words(), known, [&](std::size_t node, i64 n_here, const u64* words) {
        if (!target.weights.empty()) tree.n_rows[node] = n_here;
        for (std::size_t c = 0; c < width; ++c) tree.stats[node * width + c] = tally.weight(words, c);
    });
    relabel(tree, width);
}

// Three times through the rows: sums, then the largest square around the mean, then the squares.
void sum_numbers(const AskLeaves& ask, const TargetView& target, TreeArrays& tree) {
    const auto width = static_cast<std::size_t>(tree.width);
    const std::string first = ask(Topic::leaf_ranges, [](Writer&) {});
    FieldReader of_ranges(first);
    SumRanges ranges;
    for (SumRange* one : {&ranges.weight, &ranges.first, &ranges.log}) *one = merged_range(of_ranges);
    ranges.n = static_cast<std::size_t>(of_ranges.next().at<i64>(0));
    const RealRows no_rows{{}, target.weights, target.counts, width > 3};
    const NodeTally tally(no_rows, ranges);
    const std::vector<std::size_t> leaves = leaves_of_tree(tree);
    struct Merging {
        const NodeTally& of;
        void merge(u64* sums, const u64* part) const { of.merge(sums, part); }
        RealStats above(const std::vector<RealStats>& members, const u64* sums) const {
            return of.above(members, sums);
        }
    } const merging{tally};
    LeafSums<RealStats, Merging> known(tree, merging, tally.words());
    std::vector<LeafFacts> facts(leaves.size());
    {
        const std::string answer = ask(Topic::leaf_sums, [&](Writer& out) { write_ranges(ranges, out); });
        FieldReader in(answer);
        const Field n_rows = in.next();
        const std::array<Field, 3> sums{in.next(), in.next(), in.next()};
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            u64* at = known.at(leaves[k]);
            for (std::size_t part = 0; part < 3; ++part)
                for (std::size_t i = 0; i < tally.widths()[part]; ++i)
                    *at++ = sums[part].at<u64>(k * tally.widths()[part] + i);
            RealStats& stats = known.known[leaves[k]];
            stats.rows = n_rows.at<i64>(k);
            if (stats.rows > 0) tally.summarize(known.at(leaves[k]), stats);
            facts[k] = {stats.rows, stats.weight, stats.mean, stats.rest, 0};
        }
    }
    const auto details = [&](Writer& out) {
        write_ranges(ranges, out);
        out.put_all(facts);
    };
    {
        const std::string answer = ask(Topic::leaf_largest, details);
        const Field largest = FieldReader(answer).next();
        for (std::size_t k = 0; k < leaves.size(); ++k) facts[k].largest = largest.at<double>(k);
    }
    const std::string answer = ask(Topic::leaf_squares, details);
    const Field squares = FieldReader(answer).next();
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        const u128 sum = static_cast<u128>(squares.at<u64>(2 * k + 1)) << 64 | squares.at<u64>(2 * k);
        RealStats& stats = known.known[leaves[k]];
        if (stats.rows > 0) stats.squares = NodeTally::squares(facts[k].largest, stats.rows, static_cast<i128>(sum));
    }
    sum_up<RealStats>(tree, tally.words(), known, [&](std::size_t n, const RealStats& stats, const u64*) {
        if (!target.weights.empty()) tree.n_rows[n] = stats.rows;
        stats.write(tree.stats.data() + n * width, width);
    });
    if (width > 3) deviances(tree);
}

}  // namespace

void add_targets(const TargetView& target, std::span<const u32> rows, FieldWriter& out) {
    const auto add = [&](const auto& from) {
        out.begin(Merge::join, 1, from.empty() ? 0 : rows.size() * sizeof(from[0]));
        for (std::size_t i = 0; i < rows.size() && !from.empty(); ++i) out.append(&from[rows[i]], sizeof(from[0]));
        out.end();
    };
    add(target.codes);
    add(target.values);
    add(target.weights);
    add(target.counts);
}

JoinedTarget::JoinedTarget(FieldReader& in)
    : codes(in.next().all<i32>()),
      values(in.next().all<double>()),
      weights(in.next().all<double>()),
      counts(in.next().all<i64>()),
      rows(std::max(codes.size(), values.size())) {
    std::iota(rows.begin(), rows.end(), 0);
}

void answer_leaves(Topic topic, Reader& in, const TableRows& table, FieldWriter& out) {
    const TreeArrays tree = read_tree(in);
    const bool classes = table.target.n_classes > 0;
    Pool pool(1, {});
    const bool rates = !classes && tree.width > 3;
    if (topic == Topic::leaf_ranges) {
        const RealRows all{table.target.values, table.target.weights, table.target.counts, rates};
        const Live live(all, table.n_rows());
        if (classes) {
            add_range(ClassTally::range(all, live), out);
            return out.add_count(static_cast<i64>(live.size() * all.n_weights()));
        }
        const SumRanges ranges = NodeTally::ranges(all, live);
        for (const SumRange* one : {&ranges.weight, &ranges.first, &ranges.log}) add_range(*one, out);
        return out.add_count(static_cast<i64>(ranges.n));
    }
    const RowsInLeaves rows(table, tree, rates, pool);
    if (topic == Topic::leaf_targets) {
        for (const i64 leaf : in.get_all<i64>())
            add_targets(table.target, rows.by_leaf.rows(static_cast<std::size_t>(leaf)), out);
        return;
    }
    const std::vector<std::size_t> leaves = leaves_of_tree(tree);
    classes ? answer_classes(in, rows, leaves, out) : answer_numbers(topic, in, rows, leaves, out);
}

void sum_far_nodes(const AskLeaves& ask, const TargetView& target, const Criterion& criterion, TreeArrays& tree) {
    const bool classes = target.n_classes > 0;
    const Layout layout{target.n_classes, tree.width == 4 && !classes};
    set_unknown_impurities(tree, [&](std::size_t n) {
        const std::string answer =
            ask(Topic::leaf_targets, [n](Writer& out) { out.put_all(std::vector<i64>{static_cast<i64>(n)}); });
        FieldReader in(answer);
        const JoinedTarget rows(in);
        return ExactStats(rows.view(target.n_classes), criterion, layout, kUnitGrid, rows.rows.data(), rows.rows.size())
            .impurity();
    });
    tree.stats.resize(tree.n_nodes() * static_cast<std::size_t>(tree.width));
    if (!target.weights.empty()) tree.n_rows.resize(tree.n_nodes());
    classes ? sum_classes(ask, target, tree) : sum_numbers(ask, target, tree);
}

void write_tree(const TreeArrays& tree, Writer& out) {
    out.put(tree.width);
    out.put_all(tree.kind);
    for (const auto* array : {&tree.first_child, &tree.column, &tree.n_children, &tree.missing, &tree.absent,
                              &tree.map_code, &tree.map_branch})
        out.put_all(*array);
    out.put_all(tree.threshold);
    out.put_all(tree.map_offset);
}

TreeArrays read_tree(Reader& in) {
    TreeArrays tree;
    tree.width = in.get<int>();
    tree.kind = in.get_all<std::int8_t>();
    for (auto* array : {&tree.first_child, &tree.column, &tree.n_children, &tree.missing, &tree.absent, &tree.map_code,
                        &tree.map_branch})
        *array = in.get_all<i32>();
    tree.threshold = in.get_all<double>();
    tree.map_offset = in.get_all<i64>();
    return tree;
}

}  // namespace hornbeam
