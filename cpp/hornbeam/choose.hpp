// Choose, for a large node: histograms -> buckets -> candidates, then a look inside the bins that could still win.
//
//   1 every edge between bins of every column gives a best estimate over all columns
//   2 a bin whose bound stays below it cannot hold the winner (the bound is one, so nothing exact is lost)
//   3 the rows of the other bins are gathered, sorted and scanned
//   4 what comes within the slack of the best is judged exactly, ties by K4
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "estimate.hpp"
#include "histogram.hpp"
#include "inside.hpp"
#include "ranks.hpp"
#include "searches.hpp"
#include "select.hpp"

namespace hornbeam {

template <class O>
class Chooser {
  public:
    // `ranks` is there where the selection counts distinct values.
    Chooser(const Growth& growth, const O& outcome, const Codes& codes, const HistogramShape& shape, const Ranks* ranks)
        : growth_(growth),
          outcome_(outcome),
          codes_(codes),
          shape_(shape),
          ranks_(ranks),
          scans_(growth.columns.size()) {}

    // `each(n, body)` runs a loop, in parallel or not; `before(columns)` is told which histograms are wanted next.
    // False if the node has no candidate.
    template <class Before, class Each>
    bool choose(const Judge& judge, const Rows<O>& rows, const Histogram& histogram, ColumnChoice& choice,
                Before&& before, Each&& each, Candidate& chosen) {
        bool any = false;
        while (!any) {
            const std::vector<i32>& columns = choice.more();
            if (columns.empty()) break;
            before(columns);
            best_.reset();
            for (i32 column : columns) scan(column).own.reset();
            std::vector<Candidates> found(columns.size(), Candidates(judge));
            each(columns.size(), [&](std::size_t i) { edges(judge, rows, histogram, columns[i], found[i]); });
            std::vector<double> edge_best;
            for (i32 column : columns) edge_best.push_back(best_of(column).get());
            each(columns.size(),
                 [&](std::size_t i) { offer_edges(through(columns[i], judge), columns[i], edge_best[i], found[i]); });
            each(columns.size(),
                 [&](std::size_t i) { inside(through(columns[i], judge), rows, columns[i], found[i]); });
            any = growth_.plan.selection.by_column() ? select(judge, rows, found, each, chosen)
                                                     : pick(judge, std::move(found), chosen);
        }
        if (!any) return false;
        if (chosen.kind == SplitKind::subset || chosen.kind == SplitKind::multiway)
            chosen.present = present(chosen.column);
        if (chosen.kind == SplitKind::threshold && std::isnan(chosen.low)) find_neighbours(rows, chosen);
        return true;
    }

  private:
    struct Scan {
        Buckets buckets;
        bool thresholds = false;
        double best = 0;
        std::vector<double> bound;   // per bucket
        std::optional<Judge> known;  // the node without the column's gaps, where it is judged so
        Best own;                    // the best of this column, where columns do not compete yet
    };

    static bool pick(const Judge& judge, std::vector<Candidates> found, Candidate& chosen) {
        Candidates all(judge);
        for (auto& part : found) all.merge(std::move(part));
        if (all.empty()) return false;
        chosen = all.winner();
        return true;
    }
    template <class Each>
    bool select(const Judge& judge, const Rows<O>& rows, std::vector<Candidates>& found, Each&& each,
                Candidate& chosen) {
        std::vector<ColumnBest> columns;
        for (auto& part : found)
            if (!part.empty()) columns.push_back({part.winner(), {}});
        if (growth_.plan.selection.charges())
            each(columns.size(), [&](std::size_t i) {
                const i32 column = columns[i].candidate.column;
                if (scan(column).thresholds) columns[i].cuts = count_cuts(through(column, judge), rows, column);
            });
        return Selector(growth_, judge).select(columns, chosen);
    }
    // The cuts between the distinct values of a column: all but those that leave too little on one side.
    CutCount count_cuts(const Judge& judge, const Rows<O>& rows, i32 column) {
        const double least = judge.least_side() * (1 - 1e-9);
        const Buckets& bins = scan(column).buckets;
        CutCount out;
        if (codes_.column(column).exact) {  // a bucket is a value
            double all = 0, left = 0;
            for (int i = 0; i < bins.size(); ++i) all += static_cast<double>(growth_.layout.weight(bins.at(i)));
            for (int i = 0; i + 1 < bins.size(); ++i) {
                left += static_cast<double>(growth_.layout.weight(bins.at(i)));
                out.tried += left >= least && all - left >= least;
            }
            out.distinct = bins.size();
            return out;
        }
        out.distinct = ranks_->distinct(column, rows.id, rows.n);
        const i64 low = too_near(rows, column, least, false), high = too_near(rows, column, least, true);
        out.tried = std::max<i64>(0, out.distinct - low - std::max<i64>(1, high));
        return out;
    }
    // How many values from one end cannot be cut at: less than `least` lies beyond the cut after (at the high end:
    // above) them. Only the bins at that end are looked into.
    i64 too_near(const Rows<O>& rows, i32 column, double least, bool high) {
        const Buckets& bins = scan(column).buckets;
        std::array<u8, kBins> wanted{};
        double weight = 0;
        for (int k = 0; k < bins.size() && weight < least; ++k) {
            const int i = high ? bins.size() - 1 - k : k;
            wanted[static_cast<std::size_t>(bins.code[static_cast<std::size_t>(i)])] = 1;
            weight += static_cast<double>(growth_.layout.weight(bins.at(i)));
        }
        if (weight == 0) return 0;
        std::vector<std::pair<double, i64>> values;
        collect(rows, column, wanted, [&](u32 at, u8, double value) {
            values.emplace_back(high ? -value : value, outcome_.weight(rows.carry[at]));
        });
        std::sort(values.begin(), values.end());
        i64 count = 0;
        double beyond = 0;
        for (std::size_t i = 0; i < values.size();) {
            double own = 0;
            const double value = values[i].first;
            for (; i < values.size() && values[i].first == value; ++i) own += static_cast<double>(values[i].second);
            if ((high ? beyond : beyond + own) >= least) break;
            beyond += own;
            ++count;
        }
        return count;
    }
    const Judge& through(i32 column, const Judge& judge) const {
        const Scan& s = scans_[static_cast<std::size_t>(column)];
        return s.known ? *s.known : judge;
    }
    Best& best_of(i32 column) { return growth_.plan.selection.by_column() ? scan(column).own : best_; }

    const std::vector<i32>& present(i32 column) const { return scans_[static_cast<std::size_t>(column)].buckets.code; }
    Scan& scan(i32 column) { return scans_[static_cast<std::size_t>(column)]; }
    const ColumnView& view(i32 column) const { return growth_.columns[static_cast<std::size_t>(column)]; }

    void edges(const Judge& node, const Rows<O>& rows, const Histogram& histogram, i32 column, Candidates& out) {
        Scan& s = scan(column);
        s.thresholds = view(column).split == SplitKind::threshold;
        if (codes_.column(column).wide())
            fill_wide(rows, column, s.buckets);
        else
            fill(histogram, column, s.buckets);
        s.known.reset();
        if (known_only(growth_.plan.missing) && s.buckets.has_missing) {
            s.buckets.leave_out_missing();
            s.known.emplace(node, s.buckets.gaps.data());
        }
        const Judge& judge = through(column, node);
        if (!s.thresholds) {
            search(judge, s.buckets, column, view(column).split, view(column).n_values, out);
            if (!out.empty()) best_of(column).raise(judge.ratio() ? out.best() : out.best() * judge.weight());
            return;
        }
        s.best = -std::numeric_limits<double>::infinity();
        s.bound.clear();
        if (judge.plan().constrained()) return raise_allowed(judge, column, s);
        Estimate estimate(judge);
        walk(judge, s, [&](int, const i64* left, const i64* right, const i64* own) {
            s.best = std::max(s.best, estimate.value(left, right, own));
        });
        best_of(column).raise(s.best);
    }
    // Under constraints only admissible cuts may raise the bar.
    void raise_allowed(const Judge& judge, i32 column, Scan& s) {
        Candidates allowed(judge);
        search_thresholds(judge, s.buckets, column, allowed);
        if (allowed.empty()) return;
        s.best = judge.ratio() ? allowed.best() : allowed.best() * judge.weight();
        best_of(column).raise(s.best);
    }

    // Calls body(i, left, right, own) for the cut after bucket i, once for each place of the missing rows.
    template <class Body>
    void walk(const Judge& judge, const Scan& s, Body&& body) const {
        const Buckets& b = s.buckets;
        const int width = b.width;
        const auto size = static_cast<std::size_t>(width);
        const bool own = b.has_missing && judge.plan().missing == MissingRule::branch;
        const int variants = b.has_missing && !own ? 2 : 1;
        for (int variant = 0; variant < variants; ++variant) {
            std::vector<i64> left(size, 0), right = b.sum();
            if (variants == 2) add_lanes((variant == 0 ? left : right).data(), b.missing.data(), width);
            for (int i = 0; i < b.size(); ++i) {
                add_lanes(left.data(), b.at(i), width);
                subtract_lanes(right.data(), b.at(i), width);
                if (i + 1 < b.size() || variant == 1)
                    body(i, left.data(), right.data(), own ? b.missing.data() : nullptr);
                if (own && b.size() == 1)
                    body(i, left.data(), b.missing.data(), nullptr);  // the value against the gaps
            }
        }
    }

    void offer_edges(const Judge& judge, i32 column, double best, Candidates& out) {
        Scan& s = scan(column);
        if (!s.thresholds || s.best < best - Estimate(judge).slack(best)) return;
        search_thresholds(judge, s.buckets, column, out);
    }

    void fill(const Histogram& histogram, i32 column, Buckets& out) const {
        out.clear(growth_.layout.width());
        std::vector<i64> lanes(static_cast<std::size_t>(out.width));
        for (u32 code = 0; code < kMissingCode; ++code) {
            outcome_.lanes(shape_.bin(histogram, column, code), lanes.data());
            if (growth_.layout.rows(lanes.data()) == 0) continue;
            std::copy(lanes.begin(), lanes.end(), out.add(static_cast<i32>(code)));
        }
        outcome_.lanes(shape_.bin(histogram, column, kMissingCode), out.missing.data());
        out.has_missing = growth_.layout.rows(out.missing.data()) > 0;
    }
    // A nominal column of more values than a byte holds: a tally over all of them, or over the sorted codes if the
    // node has far fewer rows.
    void fill_wide(const Rows<O>& rows, i32 column, Buckets& out) const {
        out.clear(growth_.layout.width());
        const auto n_values = static_cast<std::size_t>(view(column).n_values),
                   width = static_cast<std::size_t>(out.width);
        n_values* width <= 8 * rows.n ? tally_wide(rows, column, n_values, out) : sort_wide(rows, column, out);
    }
    void tally_wide(const Rows<O>& rows, i32 column, std::size_t n_values, Buckets& out) const {
        const auto width = static_cast<std::size_t>(out.width);
        std::vector<i64> lanes(n_values * width, 0);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const i32 code = view(column).template raw<i32>(rows.id[i]);
            out.has_missing |= code < 0;
            outcome_.row_lanes(rows.carry[i],
                               code < 0 ? out.missing.data() : lanes.data() + static_cast<std::size_t>(code) * width);
        }
        for (std::size_t code = 0; code < n_values; ++code) {
            const i64* at = lanes.data() + code * width;
            if (growth_.layout.rows(at) > 0) std::copy(at, at + width, out.add(static_cast<i32>(code)));
        }
    }
    void sort_wide(const Rows<O>& rows, i32 column, Buckets& out) const {
        std::vector<std::pair<i32, u32>> order(rows.n);
        for (std::size_t i = 0; i < rows.n; ++i)
            order[i] = {view(column).template raw<i32>(rows.id[i]), static_cast<u32>(i)};
        std::sort(order.begin(), order.end());
        i64* lanes = nullptr;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (order[i].first < 0) {
                out.has_missing = true;
                lanes = out.missing.data();
            } else if (i == 0 || order[i].first != order[i - 1].first) {
                lanes = out.add(order[i].first);
            }
            outcome_.row_lanes(rows.carry[order[i].second], lanes);
        }
    }

    // Bounds every bin, then gathers those that may hold the winner.
    void inside(const Judge& judge, const Rows<O>& rows, i32 column, Candidates& out) {
        Scan& s = scan(column);
        if (!s.thresholds || codes_.column(column).exact) return;
        Estimate estimate(judge);
        estimate.set_column(column);
        const double slack = estimate.slack(best_of(column).get()), bar = best_of(column).bar(slack);
        const int n = s.buckets.size(), width = s.buckets.width;
        s.bound.assign(static_cast<std::size_t>(n), -std::numeric_limits<double>::infinity());
        const bool own = s.buckets.has_missing && judge.plan().missing == MissingRule::branch;
        const int variants = s.buckets.has_missing && !own ? 2 : 1;
        for (int variant = 0; variant < variants; ++variant) {
            std::vector<i64> left(static_cast<std::size_t>(width), 0), right = s.buckets.sum();
            if (variants == 2) add_lanes((variant == 0 ? left : right).data(), s.buckets.missing.data(), width);
            for (int i = 0; i < n; ++i) {
                const i64* bin = s.buckets.at(i);
                subtract_lanes(right.data(), bin, width);
                double& bound = s.bound[static_cast<std::size_t>(i)];
                if (growth_.layout.rows(bin) > 1)
                    bound = std::max(bound, estimate.bound(left.data(), bin, right.data(),
                                                           own ? s.buckets.missing.data() : nullptr, bar));
                add_lanes(left.data(), bin, width);
            }
        }
        gather(judge, estimate, rows, column, slack, out);
    }

    void gather(const Judge& judge, Estimate& estimate, const Rows<O>& rows, i32 column, double slack,
                Candidates& out) {
        Scan& s = scan(column);
        std::array<u8, kBins> wanted{};
        std::array<i32, kBins> slot{};
        std::vector<int> chosen;
        const double bar = best_of(column).bar(slack);
        for (int i = 0; i < s.buckets.size(); ++i)
            if (s.bound[static_cast<std::size_t>(i)] >= bar) {
                const auto code = static_cast<std::size_t>(s.buckets.code[static_cast<std::size_t>(i)]);
                wanted[code] = 1;
                slot[code] = static_cast<i32>(chosen.size());
                chosen.push_back(i);
            }
        if (chosen.empty()) return;
        std::vector<Gathered> bins(chosen.size());
        for (std::size_t b = 0; b < chosen.size(); ++b)
            bins[b].reserve(static_cast<std::size_t>(growth_.layout.rows(s.buckets.at(chosen[b]))));
        collect(rows, column, wanted, [&](u32 at, u8 code, double value) {
            bins[static_cast<std::size_t>(slot[code])].push_back({value, at});
        });
        Inside<O> look(growth_, outcome_, judge, estimate, rows, s.buckets, column, slack, best_of(column), out);
        for (std::size_t b = 0; b < chosen.size(); ++b)
            if (s.bound[static_cast<std::size_t>(chosen[b])] >= best_of(column).bar(slack))
                look.look(chosen[b], bins[b]);
    }

    // Calls found(position, code, value) for the rows whose code is wanted. Positions are listed first, then values are
    // fetched with the next ones on their way: they lie anywhere in the caller's memory.
    template <class Found>
    void collect(const Rows<O>& rows, i32 column, const std::array<u8, kBins>& wanted, Found&& found) const {
        constexpr std::size_t kBatch = 4096, kAhead = 16;
        const Group& group = codes_.groups()[static_cast<std::size_t>(codes_.column(column).group)];
        const u8* codes = group.codes.get() + codes_.column(column).offset;
        const ColumnView& values = view(column);
        std::array<u32, kBatch> list;
        for (std::size_t first = 0; first < rows.n; first += kBatch) {
            const std::size_t last = std::min(rows.n, first + kBatch);
            std::size_t n = 0;
            for (std::size_t i = first; i < last; ++i) {
                __builtin_prefetch(codes + std::size_t{rows.id[std::min(i + 2 * kAhead, rows.n - 1)]} * group.width);
                list[n] = static_cast<u32>(i);
                n += wanted[codes[std::size_t{rows.id[i]} * group.width]];
            }
            for (std::size_t k = 0; k < n; ++k) {
                if (k + kAhead < n)
                    __builtin_prefetch(values.data +
                                       static_cast<std::ptrdiff_t>(rows.id[list[k + kAhead]]) * values.stride);
                const u32 row = rows.id[list[k]];
                found(list[k], codes[std::size_t{row} * group.width], values.value(row));
            }
        }
    }

    // The values on both sides of a cut between two bins: one pass over the winning column.
    void find_neighbours(const Rows<O>& rows, Candidate& chosen) const {
        const std::vector<i32>& codes = present(chosen.column);
        const auto at = std::lower_bound(codes.begin(), codes.end(), chosen.below);
        const i32 next = *(at + 1);
        const CodedColumn& coded = codes_.column(chosen.column);
        if (coded.exact) {
            chosen.low = codes_.exact_value(chosen.column, chosen.below);
            chosen.high = codes_.exact_value(chosen.column, next);
            return;
        }
        const Group& group = codes_.groups()[static_cast<std::size_t>(coded.group)];
        const u8* bytes = group.codes.get() + coded.offset;
        chosen.low = -std::numeric_limits<double>::infinity();
        chosen.high = std::numeric_limits<double>::infinity();
        const ColumnView& values = view(chosen.column);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const i32 code = bytes[std::size_t{rows.id[i]} * group.width];
            if (code == chosen.below) chosen.low = std::max(chosen.low, values.value(rows.id[i]));
            if (code == next) chosen.high = std::min(chosen.high, values.value(rows.id[i]));
        }
    }

    const Growth& growth_;
    const O& outcome_;
    const Codes& codes_;
    const HistogramShape& shape_;
    const Ranks* ranks_;
    std::vector<Scan> scans_;
    Best best_;
};

}  // namespace hornbeam
