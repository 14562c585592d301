// Choose, for a large node: histograms -> buckets -> candidates, then a look inside the bins that could still win.
//
//   1 every edge between bins of every column gives a best estimate over all columns
//   2 a bin whose bound stays below it cannot hold the winner (the bound is one, so nothing exact is lost)
//   3 the rows of the other bins are gathered, sorted and scanned
//   4 what comes within the slack of the best is judged exactly, ties by K4
#pragma once

#include <atomic>
#include <mutex>

#include "estimate.hpp"
#include "histogram.hpp"
#include "node.hpp"
#include "searches.hpp"

namespace hornbeam {

// One node's rows: ids and what they carry, side by side.
template <class O>
struct Rows {
    const u32* id;
    const typename O::Carry* carry;
    std::size_t n;
};

template <class O>
class Chooser {
  public:
    Chooser(const Growth& growth, const O& outcome, const Codes& codes, const HistogramShape& shape)
        : growth_(growth), outcome_(outcome), codes_(codes), shape_(shape), scans_(growth.columns.size()) {}

    // `each(n, body)` runs a loop, in parallel or not. False if the node has no candidate.
    template <class Each>
    bool choose(const Judge& judge, const Rows<O>& rows, const Histogram& histogram, ColumnChoice& choice, Each&& each,
                Candidate& chosen) {
        Candidates all(judge);
        for (auto columns = choice.more(); !columns.empty() && all.empty(); columns = choice.more()) {
            best_ = -std::numeric_limits<double>::infinity();
            std::vector<Candidates> found(columns.size(), Candidates(judge));
            each(columns.size(), [&](std::size_t i) { edges(judge, rows, histogram, columns[i], found[i]); });
            const double edge_best = best_;
            each(columns.size(), [&](std::size_t i) { offer_edges(judge, columns[i], edge_best, found[i]); });
            each(columns.size(), [&](std::size_t i) { inside(judge, rows, columns[i], found[i]); });
            for (auto& part : found) all.merge(std::move(part));
        }
        if (all.empty()) return false;
        chosen = all.winner();
        if (chosen.kind == SplitKind::subset || chosen.kind == SplitKind::multiway) chosen.present = present(chosen.column);
        if (chosen.kind == SplitKind::threshold && std::isnan(chosen.low)) find_neighbours(rows, chosen);
        return true;
    }

  private:
    struct Scan {
        Buckets buckets;
        bool thresholds = false;
        double best = 0;
        std::vector<double> bound;  // per bucket
    };

    const std::vector<i32>& present(i32 column) const { return scans_[static_cast<std::size_t>(column)].buckets.code; }
    Scan& scan(i32 column) { return scans_[static_cast<std::size_t>(column)]; }
    const ColumnView& view(i32 column) const { return growth_.columns[static_cast<std::size_t>(column)]; }

    void raise(double value) {
        double seen = best_.load(std::memory_order_relaxed);
        while (value > seen && !best_.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
        }
    }

    void edges(const Judge& judge, const Rows<O>& rows, const Histogram& histogram, i32 column, Candidates& out) {
        Scan& s = scan(column);
        s.thresholds = view(column).split == SplitKind::threshold;
        if (codes_.column(column).wide())
            fill_wide(rows, column, s.buckets);
        else
            fill(histogram, column, s.buckets);
        if (!s.thresholds) {
            search(judge, s.buckets, column, view(column).split, view(column).n_values, out);
            if (!out.empty() && !judge.plan().criterion->ratio) raise(out.best() * judge.weight());
            if (!out.empty() && judge.plan().criterion->ratio) raise(out.best());
            return;
        }
        s.best = -std::numeric_limits<double>::infinity();
        s.bound.clear();
        if (judge.plan().constrained()) return raise_allowed(judge, column, s);
        Estimate estimate(judge);
        walk(judge, s, [&](int, const i64* left, const i64* right, const i64* own) {
            s.best = std::max(s.best, estimate.value(left, right, own));
        });
        raise(s.best);
    }
    // Under constraints only admissible cuts may raise the bar.
    void raise_allowed(const Judge& judge, i32 column, Scan& s) {
        Candidates allowed(judge);
        search_thresholds(judge, s.buckets, column, allowed);
        if (allowed.empty()) return;
        s.best = judge.plan().criterion->ratio ? allowed.best() : allowed.best() * judge.weight();
        raise(s.best);
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
                if (i + 1 < b.size() || variant == 1) body(i, left.data(), right.data(), own ? b.missing.data() : nullptr);
                if (own && b.size() == 1) body(i, left.data(), b.missing.data(), nullptr);  // the value against the gaps
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
    // A nominal column of very many values: sort the codes of the rows.
    void fill_wide(const Rows<O>& rows, i32 column, Buckets& out) const {
        out.clear(growth_.layout.width());
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
        const double slack = estimate.slack(best_), bar = best_ - slack;
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

    struct Gathered {
        double value;
        u32 at;
    };

    void gather(const Judge& judge, Estimate& estimate, const Rows<O>& rows, i32 column, double slack, Candidates& out) {
        Scan& s = scan(column);
        std::array<i32, kBins> slot;
        slot.fill(-1);
        std::vector<int> chosen;
        const double bar = best_ - slack;
        for (int i = 0; i < s.buckets.size(); ++i)
            if (s.bound[static_cast<std::size_t>(i)] >= bar) {
                slot[static_cast<std::size_t>(s.buckets.code[static_cast<std::size_t>(i)])] = static_cast<i32>(chosen.size());
                chosen.push_back(i);
            }
        if (chosen.empty()) return;
        std::vector<std::vector<Gathered>> bins(chosen.size());
        const Group& group = codes_.groups()[static_cast<std::size_t>(codes_.column(column).group)];
        const u8* codes = group.codes.get() + codes_.column(column).offset;
        const ColumnView& values = view(column);
        for (std::size_t i = 0; i < rows.n; ++i) {
            const i32 to = slot[codes[std::size_t{rows.id[i]} * group.width]];
            if (to >= 0)
                bins[static_cast<std::size_t>(to)].push_back({values.value(rows.id[i]), static_cast<u32>(i)});
        }
        for (std::size_t b = 0; b < chosen.size(); ++b) {
            if (s.bound[static_cast<std::size_t>(chosen[b])] < best_ - slack) continue;
            std::sort(bins[b].begin(), bins[b].end(), [](const Gathered& a, const Gathered& c) { return a.value < c.value; });
            scan_bin(judge, estimate, rows, column, chosen[b], bins[b], slack, out);
        }
    }

    void scan_bin(const Judge& judge, const Estimate& estimate, const Rows<O>& rows, i32 column, int bucket,
                  const std::vector<Gathered>& sorted, double slack, Candidates& out) {
        const Buckets& b = scan(column).buckets;
        const int width = b.width;
        const auto size = static_cast<std::size_t>(width);
        const bool own = b.has_missing && judge.plan().missing == MissingRule::branch;
        const i64* gap = b.has_missing ? b.missing.data() : nullptr;
        CutJudge cuts(judge, column, gap, out);
        std::vector<i64> left(size, 0), right = b.sum(), one(size), with(size);
        for (int i = 0; i < bucket; ++i) add_lanes(left.data(), b.at(i), width);
        subtract_lanes(right.data(), left.data(), width);
        for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
            std::fill(one.begin(), one.end(), 0);
            outcome_.row_lanes(rows.carry[sorted[i].at], one.data());
            add_lanes(left.data(), one.data(), width);
            subtract_lanes(right.data(), one.data(), width);
            if (sorted[i].value == sorted[i + 1].value) continue;
            double top;
            if (gap == nullptr || own) {
                top = estimate.value(left.data(), right.data(), own ? gap : nullptr);
            } else {
                std::copy(left.begin(), left.end(), with.begin());
                add_lanes(with.data(), gap, width);
                top = estimate.value(with.data(), right.data(), nullptr);
                std::copy(right.begin(), right.end(), with.begin());
                add_lanes(with.data(), gap, width);
                top = std::max(top, estimate.value(left.data(), with.data(), nullptr));
            }
            if (top < best_ - slack) continue;
            raise(top);
            cuts.cut(left.data(), right.data(), b.code[static_cast<std::size_t>(bucket)], sorted[i].value, sorted[i + 1].value);
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
    std::vector<Scan> scans_;
    std::atomic<double> best_{0};
};

}  // namespace hornbeam
