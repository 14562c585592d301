// Engine: where the rows live while a tree grows, and all that growth asks of them.
//
// Whoever decides (Grower, Chooser) never reads a row. It asks, and what it is told adds up: an engine may answer from
// parts of the rows that never meet, and merge their answers in any order. Sums are integers (lanes, stats.hpp, or
// words of packed lanes, outcome.hpp), so the tree is the same whoever answers.
//
//   question     about                                answer                                     answers merge by
//   cuts         the columns, before the first node   a sample; then whether the codes are       joining; or
//                                                     exact, and which bins hold one value
//   range        the rows of a node                   heaviest weight, least and largest y, n    max, min, +
//   regrid       the rows of a node, and a grid       their lanes on that grid                   +
//                (uneven weights: also how far rows lie from their mean)                         +
//   tally        columns at a node                    lanes of each code, and of the gaps        +
//   cells        the bins that may hold the winner    lanes of sixteen cells of each bin;        +
//                                                     whether a cell has more than one value     or
//   values       what is still open of these bins     the distinct values, the lanes of each     joining, equal ones +
//   neighbours   the winning cut, between two bins    the last value below it, the next above    max, min
//   distinct     a column (C4.5's charge)             how many values it has                     joining
//   route        a split                              lanes of each branch (of known rows only   +
//                                                     its weight, where the gaps follow later)
//   rows         a node of few rows, or of weights    the rows, to be grown to the end, or       joining
//                too far apart for one grid           searched by exact sums
//   fetch        a node that fits in memory           the rows, with an engine of their own      joining
//   leaf sums    the finished tree (node_sums.hpp)    exact sums of each leaf                    max, min, +
//
// Questions come for all columns of a node at a time. Memory may answer them one by one, because each answer leaves
// less to ask; an engine far away collects them first. Virtual calls are for each node, column or bin, never for a row.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hornbeam/grow/open_node.hpp"
#include "hornbeam/stats/buckets.hpp"

namespace hornbeam {

using BinFlags = std::array<u8, kBins>;  // by code: 1 for the bins meant

// Some bins of one column at a node.
struct OpenBins {
    i32 column = -1;
    std::vector<int> buckets;      // numbers of the bins among the node's buckets
    BinFlags in_bins{};            // by code
    std::array<u8, kBins> slot{};  // by code: place in `buckets`
    std::vector<i64> n_rows;       // of each bin

    void add(int bucket, u32 code, i64 rows) {
        in_bins[code] = 1;
        slot[code] = static_cast<u8>(buckets.size());
        buckets.push_back(bucket);
        n_rows.push_back(rows);
    }
};

// The same divided into cells of equal width, with their tallies.
struct BinCells : OpenBins {
    static constexpr std::size_t kCells = 16;

    bool tied;                       // whether many rows have the same value
    std::vector<double> low, scale;  // by slot: cell = (x - low) * scale
    std::vector<u64> cells;          // `words` for each cell
    std::vector<double> first;       // a value of the cell, NaN where it is empty; where tied
    std::vector<u8> varied;          // 1: the cell has another value, or may have

    BinCells(i32 of, bool has_ties) : tied(has_ties) { column = of; }

    // A bin that cannot be divided evenly is left out.
    void add(int bucket, u32 code, i64 rows, double from, double to) {
        const double by = static_cast<double>(kCells) / (to - from);
        if (!std::isfinite(by) || !std::isfinite(to - from) || by <= 0) return;
        OpenBins::add(bucket, code, rows);
        low.push_back(from);
        scale.push_back(by);
    }
    void prepare(std::size_t words) {
        const std::size_t n = buckets.size() * kCells;
        cells.assign(n * words, 0);
        first.assign(tied ? n : 0, std::numeric_limits<double>::quiet_NaN());
        varied.assign(n, tied ? 0 : 1);
    }
    std::size_t cell(u32 code, double x) const {
        const std::size_t s = slot[code];
        const double at = std::min(std::max((x - low[s]) * scale[s], 0.0), static_cast<double>(kCells - 1));
        return s * kCells + static_cast<std::size_t>(static_cast<i32>(at));
    }
    void see(std::size_t c, double value) {
        if (std::isnan(first[c]))
            first[c] = value;
        else if (first[c] != value)
            varied[c] = 1;
    }
    // Adds what another part of the rows answered.
    void merge(const BinCells& other) {
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] += other.cells[i];
        for (std::size_t c = 0; c < varied.size(); ++c) {
            varied[c] |= other.varied[c];
            if (tied && !std::isnan(other.first[c])) see(c, other.first[c]);
        }
    }
};

// A row of a bin, or all rows that have one value there.
struct BinEntry {
    double value;
    u32 at;  // where its lanes are
};

// The entries of some bins in any order, and their lanes.
class ValuesInBins {
  public:
    explicit ValuesInBins(OpenBins of) : question(std::move(of)), bins(question.buckets.size()) {}
    virtual ~ValuesInBins() = default;
    // Adds entry i to the lanes of cell[i].
    virtual void add_to_cells(std::span<const BinEntry> entries, const u8* cell, i64* lanes) const = 0;
    // Writes the lanes of each entry, one after the other.
    virtual void lanes(std::span<const BinEntry> entries, i64* out) const = 0;

    OpenBins question;
    std::vector<std::vector<BinEntry>> bins;  // in the order of the question
};

// Memory that an engine keeps from question to question about a nominal column of many values.
struct ValuePlaces {
    std::vector<u64> seen;  // by value: one bit, none is left set
    std::vector<u32> place;
    std::vector<i64> lanes;
};

// Thrown by an engine far away where somebody waits for an answer that nobody wants any more.
struct StoppedWaiting {};

class Engine;

// The rows of a node that were fetched to be grown to the end in memory, and what growth needs to know of them.
class FetchedNode {
  public:
    virtual ~FetchedNode() = default;
    virtual const Growth& growth() const = 0;
    virtual Engine& engine(Pool& pool) = 0;
    // Frees the rows; nodes that grew from them stay.
    virtual void clear() = 0;
};

class Engine {
  public:
    // each(n, body) runs a loop, in parallel or not.
    using Each = std::function<void(std::size_t, const std::function<void(std::size_t)>&)>;

    virtual ~Engine() = default;

    virtual Place root() const = 0;
    // Codes the columns; asked before the first node that is tallied. Only what it says of columns may be used.
    virtual const Codes& prepare() = 0;
    // The same where tests are drawn: no column is coded, and a node of many rows is searched by their values.
    virtual void prepare_values() {}
    virtual bool choose_drawn(const Judge&, const Place&, ColumnChoice&, Candidate&) const { return false; }
    // Frees everything.
    virtual void clear() = 0;

    virtual TargetRange range(const Place& place) const = 0;
    // Puts rows on the grid that follows from their range, and adds up their lanes.
    virtual void regrid(const Place& place, const TargetRange& range, Grid& grid, i64* lanes) = 0;

    virtual double fourth_powers(const Place& place, double mean) const = 0;

    // The columns are those that `buckets` is asked for next.
    virtual void tally(Job& job, const std::vector<i32>& columns) = 0;
    virtual void buckets(const Job& job, i32 column, ValuePlaces& places, Buckets& out) const = 0;
    // So many rows, of all columns together, lie in open bins: whether the cells of all bins had better be kept.
    virtual void keep_cells(Job& job, std::size_t n_open, std::size_t n_all) = 0;
    // Calls take(answer) for each question, in any order.
    virtual void cells(const Job& job, std::span<BinCells> questions, const Each& each,
                       const std::function<void(const BinCells&)>& take) const = 0;
    // Words of packed lanes, as cells have them.
    virtual std::size_t words() const = 0;
    virtual void lanes(const u64* packed, std::size_t n, i64* out) const = 0;
    // Calls take(i, answer) for each question ask(i), i < n, that has bins, in any order; answers given may make later
    // questions smaller.
    virtual void values(const Place& place, std::size_t n, const Each& each,
                        const std::function<OpenBins(std::size_t)>& ask,
                        const std::function<void(std::size_t, ValuesInBins&)>& take) const = 0;
    // The largest value with code `below`, the smallest with code `above`.
    virtual std::pair<double, double> neighbours(const Place& place, i32 column, i32 below, i32 above) const = 0;
    virtual i64 distinct(const Place& place, i32 column) const = 0;

    // Sends the rows of a node to its children, whose lanes it sets; writes where gaps go if a rule decides that.
    virtual std::vector<Place> route(const Job& job, const Candidate& chosen, Arena& arena) = 0;
    // May set the tallies of open children, if that saves work. `children`: all of them.
    virtual void tally_children(Job& job, std::vector<Job>& open, std::span<const Place> children) = 0;

    // Rows that whoever decides may read after all, until the next are asked for: through the columns and the target of
    // the growth, and adding them one by one to lanes.
    virtual Rows rows(const Place& place) = 0;
    virtual void add_row(const Rows& rows, std::size_t at, i64* lanes) const = 0;
    // Grows few rows to the end: nodes go into `arena`; without one a finished subtree is packed.
    virtual std::unique_ptr<SubtreeGrower> subtree_grower(Arena* arena) = 0;

    // Rows elsewhere: whether those of a node fit in memory, and these rows.
    virtual bool fetches(const Place&) const { return false; }
    virtual std::unique_ptr<FetchedNode> fetch_node(const Job&) { return nullptr; }
    // The range that the grid of a node follows from.
    virtual TargetRange grid_range(const Place&) const { return {}; }
};

}  // namespace hornbeam
