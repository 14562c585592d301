// Select: the winner among the best candidates of all columns, where that is more than the best score (selection.hpp).
#pragma once

#include "hornbeam/grow/node.hpp"

namespace hornbeam {

// How many cuts a column offered: what C4.5's release 8 charges a threshold for.
struct CutCount {
    i64 tried = 0;     // that leave enough cases on both sides
    i64 distinct = 0;  // values
};

struct ColumnBest {
    Candidate candidate;
    CutCount cuts;
};

class Selector {
  public:
    Selector(const Growth& growth, const Judge& judge)
        : growth_(growth), judge_(judge), how_(growth.plan.selection), unit_(growth.impurity_unit(judge.grid())) {}

    // False if no column is worth a split.
    bool select(std::vector<ColumnBest>& columns, Candidate& chosen) const {
        std::vector<double> gain(columns.size()), score(columns.size());
        for (std::size_t i = 0; i < columns.size(); ++i) gain[i] = gain_of(columns[i]);
        const double least = how_.average() ? mean_gain(columns, gain) - Selection::kEpsilon : 0;
        const double none = -std::numeric_limits<double>::infinity();
        double best = none;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            score[i] = how_.average() ? worth(columns[i].candidate, gain[i], least)
                                      : how_.priced_score(gain[i] * unit_, columns[i].candidate.column);
            best = std::max(best, score[i]);
        }
        if (best == none || (how_.average() && best <= 0)) return false;
        const bool by_gain = how_.average() && !growth_.plan.criterion->ratio;
        const double margin = by_gain ? 1e-12 * judge_.impurity() : how_.margin(best);
        std::size_t first = columns.size();
        for (std::size_t i = 0; i < columns.size(); ++i)
            if ((score[i] >= best || best - score[i] <= margin) &&
                (first == columns.size() || columns[i].candidate.column < columns[first].candidate.column))
                first = i;
        chosen = std::move(columns[first].candidate);
        if (how_.average()) chosen.score = score[first];
        return true;
    }

  private:
    static constexpr double kImpossible = -1;

    // The gain after the charge for the threshold.
    double gain_of(const ColumnBest& column) const {
        const Candidate& candidate = column.candidate;
        if (candidate.kind != SplitKind::threshold || how_.correction == Selection::Correction::none)
            return candidate.decrease;
        const double cases = judge_.weight() / judge_.case_weight();
        const bool code = how_.correction == Selection::Correction::code;
        const i64 choices = std::max<i64>(1, code ? column.cuts.tried : column.cuts.distinct - 1);
        const double left = candidate.decrease - std::log2(static_cast<double>(choices)) / cases;
        return left > 0 ? left : kImpossible;
    }
    // Over the possible columns; nominal ones of very many values are left out unless all columns are such.
    double mean_gain(const std::vector<ColumnBest>& columns, const std::vector<double>& gain) const {
        const auto many = [&](const ColumnView& view) {
            return view.kind == ColumnKind::nominal && static_cast<double>(view.n_values) >= 0.3 * how_.n_cases;
        };
        const bool all_many = std::all_of(growth_.columns.begin(), growth_.columns.end(), many);
        double sum = 0;
        int n = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const ColumnView& view = growth_.columns[static_cast<std::size_t>(columns[i].candidate.column)];
            if (gain[i] == kImpossible || (many(view) && !all_many)) continue;
            sum += gain[i];
            ++n;
        }
        return n > 0 ? sum / n : 1e6;
    }
    double worth(const Candidate& candidate, double gain, double least) const {
        const double none = -std::numeric_limits<double>::infinity();
        if (gain == kImpossible) return none;
        if (!growth_.plan.criterion->ratio) return gain;
        return gain >= least && candidate.information > Selection::kEpsilon ? gain / candidate.information : none;
    }

    const Growth& growth_;
    const Judge& judge_;
    const Selection& how_;
    double unit_;
};

}  // namespace hornbeam
