// Choose, for a large node: histograms -> buckets -> candidates, then a look inside the bins that could still win.
//
//   1 every edge between bins of every column gives a best estimate over all columns
//   2 a bin whose bound stays below it cannot hold the winner (the bound is one, so nothing exact is lost)
//   3 where many are left, they are divided into cells, which are bounded in turn
//   4 the values in the other bins are sorted and scanned
//   5 what comes within the slack of the best is judged exactly, ties by K4
//
// The Chooser reads no rows: it asks the engine (engine.hpp) and judges the answers.
#pragma once

#include <functional>
#include <optional>

#include "hornbeam/search/bounds.hpp"
#include "hornbeam/search/count_cuts.hpp"
#include "hornbeam/search/inside_bins.hpp"
#include "hornbeam/search/searches.hpp"
#include "hornbeam/search/select.hpp"
#include "hornbeam/search/threshold.hpp"

namespace hornbeam {

class Chooser {
  public:
    using Each = Engine::Each;

    Chooser(const Growth& growth, Engine& engine, const Codes& codes)
        : growth_(growth),
          engine_(engine),
          codes_(codes),
          counter_(growth.layout, engine),
          scans_(growth.columns.size()) {}

    // False if the node has no candidate.
    bool choose(const Judge& judge, Job& job, ColumnChoice& choice, const Each& each, Candidate& chosen) {
        bool any = false;
        while (!any) {
            const std::vector<i32>& columns = choice.more();
            if (columns.empty()) break;
            engine_.tally(job, columns);
            best_.reset();
            for (i32 column : columns) scan(column).own.reset();
            std::vector<Candidates> candidates(columns.size(), Candidates(judge));
            each(columns.size(), [&](std::size_t i) { edges(judge, job, columns[i], candidates[i]); });
            std::vector<double> edge_best;
            for (i32 column : columns) edge_best.push_back(best_of(column).get());
            each(columns.size(), [&](std::size_t i) {
                offer_edges(through(columns[i], judge), columns[i], edge_best[i], candidates[i]);
            });
            each(columns.size(), [&](std::size_t i) { bound_bins(through(columns[i], judge), columns[i]); });
            bound_cells_of_bins(judge, job, columns, each);
            const auto order = most_promising_first(columns);
            engine_.values(
                job, columns.size(), each,
                [&](std::size_t k) {
                    const i32 column = columns[order[k].second];
                    return open_bins(through(column, judge), column);
                },
                [&](std::size_t k, ValuesInBins& values) {
                    const std::size_t i = order[k].second;
                    search_bins(through(columns[i], judge), columns[i], values, candidates[i]);
                });
            any = growth_.plan.selection.by_column() ? select(judge, job, candidates, each, chosen)
                                                     : pick(judge, std::move(candidates), chosen);
        }
        if (!any) return false;
        if (chosen.kind == SplitKind::subset || chosen.kind == SplitKind::multiway)
            chosen.present = present(chosen.column);
        if (chosen.kind == SplitKind::threshold && std::isnan(chosen.low)) find_neighbours(job, chosen);
        return true;
    }

  private:
    struct Scan {
        Buckets buckets;
        ValuePlaces places;
        bool thresholds = false;
        double best = 0;
        std::vector<double> bound;   // per bucket
        std::optional<Judge> known;  // the node without the column's gaps, where it is judged so
        Best own;                    // the best of this column, where columns do not compete yet
    };

    static bool pick(const Judge& judge, std::vector<Candidates> candidates, Candidate& chosen) {
        Candidates all(judge);
        for (auto& part : candidates) all.merge(std::move(part));
        if (all.empty()) return false;
        chosen = all.winner();
        return true;
    }
    bool select(const Judge& judge, const Place& place, std::vector<Candidates>& candidates, const Each& each,
                Candidate& chosen) {
        std::vector<ColumnBest> columns;
        for (auto& part : candidates)
            if (!part.empty()) columns.push_back({part.winner(), {}});
        if (growth_.plan.selection.charges())
            each(columns.size(), [&](std::size_t i) {
                const i32 column = columns[i].candidate.column;
                if (scan(column).thresholds)
                    columns[i].cuts = counter_.count(through(column, judge), place, column, codes_.column(column).exact,
                                                     scan(column).buckets);
            });
        return Selector(growth_, judge).select(columns, chosen);
    }
    const Judge& through(i32 column, const Judge& judge) const {
        const Scan& s = scans_[static_cast<std::size_t>(column)];
        return s.known ? *s.known : judge;
    }
    Best& best_of(i32 column) { return growth_.plan.selection.by_column() ? scan(column).own : best_; }

    const std::vector<i32>& present(i32 column) const { return scans_[static_cast<std::size_t>(column)].buckets.code; }
    Scan& scan(i32 column) { return scans_[static_cast<std::size_t>(column)]; }
    const ColumnView& view(i32 column) const { return growth_.columns[static_cast<std::size_t>(column)]; }

    void edges(const Judge& node, const Job& job, i32 column, Candidates& out) {
        Scan& s = scan(column);
        s.thresholds = view(column).split == SplitKind::threshold;
        engine_.buckets(job, column, s.places, s.buckets);
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

    // What a cut inside each bin is worth at most.
    void bound_bins(const Judge& judge, i32 column) {
        Scan& s = scan(column);
        s.bound.clear();
        if (!s.thresholds || codes_.column(column).exact) return;
        const Estimate estimate(judge);
        const double bar = best_of(column).bar(estimate.slack(best_of(column).get()));
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
                if (growth_.layout.rows(bin) > 1 && !codes_.flat(column, s.buckets.code[static_cast<std::size_t>(i)]))
                    bound = std::max(bound, estimate.bound(left.data(), bin, right.data(),
                                                           own ? s.buckets.missing.data() : nullptr, bar));
                add_lanes(left.data(), bin, width);
            }
        }
    }
    // The bins that may hold the winner.
    OpenBins open_bins(const Judge& judge, i32 column) {
        const Scan& s = scan(column);
        OpenBins open;
        open.column = column;
        if (s.bound.empty()) return open;
        const double bar = best_of(column).bar(Estimate(judge).slack(best_of(column).get()));
        for (std::size_t i = 0; i < s.bound.size(); ++i)
            if (s.bound[i] >= bar)
                open.add(static_cast<int>(i), static_cast<u32>(s.buckets.code[i]),
                         growth_.layout.rows(s.buckets.at(static_cast<int>(i))));
        return open;
    }

    // Places of columns, by the highest bound of a bin: what the first ones hold often closes those of the others.
    std::vector<std::pair<double, std::size_t>> most_promising_first(const std::vector<i32>& columns) {
        std::vector<std::pair<double, std::size_t>> order;  // a bound with its sign turned, a place
        for (i32 column : columns) {
            const std::vector<double>& bound = scan(column).bound;
            order.emplace_back(bound.empty() ? 0.0 : -*std::max_element(bound.begin(), bound.end()), order.size());
        }
        std::sort(order.begin(), order.end());
        return order;
    }

    // Where many rows lie in bins that may hold the winner: a closer bound for those bins.
    void bound_cells_of_bins(const Judge& judge, Job& job, const std::vector<i32>& columns, const Each& each) {
        constexpr std::size_t kRare = 16;
        std::vector<BinCells> questions;
        std::size_t cells = 0, n = 0;
        for (i32 column : columns) {
            const Scan& s = scan(column);
            if (!s.bound.empty()) cells += job.size();
            BinCells bins(column, codes_.column(column).tied);
            for (int i : open_bins(through(column, judge), column).buckets) {
                const i32 code = s.buckets.code[static_cast<std::size_t>(i)];
                const auto [low, high] = codes_.edges(column, code);
                const i64 rows = growth_.layout.rows(s.buckets.at(i));
                bins.add(i, static_cast<u32>(code), rows, low, high);
                n += static_cast<std::size_t>(rows);
            }
            if (!bins.buckets.empty()) questions.push_back(std::move(bins));
        }
        engine_.keep_cells(job, n, cells);
        if (n * kRare < cells || questions.empty()) return;
        engine_.cells(job, questions, each,
                      [&](const BinCells& bins) { lower_bounds(through(bins.column, judge), bins); });
    }
    // Lowers the bounds of a column's bins to those of their cells.
    void lower_bounds(const Judge& judge, const BinCells& bins) {
        Scan& s = scan(bins.column);
        Estimate estimate(judge);
        estimate.set_column(bins.column);
        Best& best = best_of(bins.column);
        Candidates none(judge);
        BinSearch search(judge, estimate, s.buckets, bins.column, estimate.slack(best.get()), best, none);
        const std::size_t words = engine_.words();
        const auto width = static_cast<std::size_t>(s.buckets.width);
        std::vector<i64> lanes(BinCells::kCells * width), before(width, 0);
        int next = 0;  // `before` is the sum of the buckets below it
        for (std::size_t k = 0; k < bins.buckets.size(); ++k) {
            for (; next < bins.buckets[k]; ++next) add_lanes(before.data(), s.buckets.at(next), s.buckets.width);
            const std::size_t at = k * BinCells::kCells;
            engine_.lanes(bins.cells.data() + at * words, BinCells::kCells, lanes.data());
            double& bound = s.bound[static_cast<std::size_t>(bins.buckets[k])];
            bound = -std::numeric_limits<double>::infinity();
            search.bound_cells(
                before, lanes, [&](std::size_t c) { return bins.varied[at + c] != 0; },
                [&](std::size_t, double most, double edge) {
                    bound = std::max({bound, most, edge});
                    if (!judge.plan().constrained()) best.raise(edge);
                });
        }
    }

    // Every cut inside the bins that were open when they were asked for, and still are.
    void search_bins(const Judge& judge, i32 column, ValuesInBins& values, Candidates& out) {
        const Scan& s = scan(column);
        Estimate estimate(judge);
        estimate.set_column(column);
        const double slack = estimate.slack(best_of(column).get());
        BinSearch search(judge, estimate, s.buckets, column, slack, best_of(column), out);
        const std::vector<int>& asked = values.question.buckets;
        for (std::size_t b = 0; b < asked.size(); ++b)
            if (s.bound[static_cast<std::size_t>(asked[b])] >= best_of(column).bar(slack))
                search.search_bin(asked[b], values, b);
    }

    // The values on both sides of a cut between two bins.
    void find_neighbours(const Place& place, Candidate& chosen) const {
        const std::vector<i32>& codes = present(chosen.column);
        const auto at = std::lower_bound(codes.begin(), codes.end(), chosen.below);
        const i32 next = *(at + 1);
        if (codes_.column(chosen.column).exact) {
            chosen.low = codes_.exact_value(chosen.column, chosen.below);
            chosen.high = codes_.exact_value(chosen.column, next);
            return;
        }
        std::tie(chosen.low, chosen.high) = engine_.neighbours(place, chosen.column, chosen.below, next);
    }

    const Growth& growth_;
    Engine& engine_;
    const Codes& codes_;
    CutCounter counter_;
    std::vector<Scan> scans_;
    Best best_;
};

}  // namespace hornbeam
