#include "hornbeam/sparse/sparse.hpp"

#include <algorithm>
#include <stdexcept>

namespace hornbeam::sparse {
namespace {

// How much less than the best a column may score here and still be judged by the core, as a share of the node's
// potential; and what is lost of a sum of squares where tallies are subtracted.
constexpr double kSlack = 1e-9, kRounding = 1e-11;

double times_log(double x, double y) { return x > 0 && y > 0 ? x * std::log2(y) : 0.0; }

enum class CutMeasure : u8 { gini, entropy, ratio, root, error, variance, sd, poisson };

CutMeasure measure_of(std::string_view criterion) {
    constexpr std::string_view kNames[] = {"gini",  "entropy",  "gain-ratio", "root",
                                           "error", "variance", "sd",         "poisson"};
    const auto* at = std::find(std::begin(kNames), std::end(kNames), criterion);
    if (at == std::end(kNames)) throw std::invalid_argument("criterion is none of the core's");
    return static_cast<CutMeasure>(at - std::begin(kNames));
}

// w * impurity, up to what is the same for a node and the sum of its parts.
double potential(CutMeasure measure, const double* lanes, int n_classes) {
    double w = 0, sum = 0;
    if (n_classes == 0) {
        w = lanes[0];
        if (w <= 0) return 0;
        if (measure == CutMeasure::poisson) return -times_log(lanes[1], lanes[1] / w);
        const double squares = std::max(0.0, lanes[2] - lanes[1] * lanes[1] / w);
        return measure == CutMeasure::sd ? std::sqrt(w * squares) : squares;
    }
    for (int k = 0; k < n_classes; ++k) w += lanes[k];
    if (w <= 0) return 0;
    switch (measure) {
        case CutMeasure::gini:
            for (int k = 0; k < n_classes; ++k) sum += lanes[k] * lanes[k];
            return w - sum / w;
        case CutMeasure::error:
            for (int k = 0; k < n_classes; ++k) sum = std::max(sum, lanes[k]);
            return w - sum;
        case CutMeasure::root:
            for (int k = 0; k < n_classes; ++k) sum += std::sqrt(std::max(0.0, lanes[k] * (w - lanes[k])));
            return sum / 2;
        default:
            for (int k = 0; k < n_classes; ++k) sum -= times_log(lanes[k], lanes[k] / w);
            return sum;
    }
}

class CutScorer {
  public:
    CutScorer(CutMeasure measure, std::span<const double> total, const CellSums& outcome, const CutLimits& limits)
        : measure_(measure),
          total_(total),
          n_classes_(outcome.n_classes),
          counted_(!outcome.copies.empty()),
          limits_(limits),
          whole_(potential(measure, total.data(), n_classes_)),
          right_(total.size()) {}

    bool is_ratio() const { return measure_ == CutMeasure::ratio; }

    // Scores that differ by less are tied.
    double tie(double best) const { return 1e-12 * (is_ratio() ? std::fabs(best) : whole_); }

    // By how much a score may be off, and more: far more than what rounding and subtracting tallies do.
    double slack(double best) const {
        if (is_ratio()) return kSlack * (1 + std::fabs(best));
        const double w = weight(total_.data()), size = std::fabs(whole_);
        if (n_classes_ > 0) return kSlack * (counted_ ? size + kRounding * w : size);
        if (measure_ == CutMeasure::poisson) return kSlack * (size + total_[1]);
        return kSlack * size +
               (measure_ == CutMeasure::sd ? std::sqrt(w * kRounding * total_[2]) : kRounding * total_[2]);
    }

    double weight(const double* lanes) const {
        if (n_classes_ == 0) return lanes[0];
        double sum = 0;
        for (int k = 0; k < n_classes_; ++k) sum += lanes[k];
        return sum;
    }
    double rows(const double* lanes) const { return counted_ ? lanes[total_.size() - 1] : weight(lanes); }

    // What the cut gains; -infinity if a side is too small.
    double operator()(const double* left) {
        for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = total_[i] - left[i];
        const double* right = right_.data();
        constexpr double kNone = -std::numeric_limits<double>::infinity();
        if (rows(left) < limits_.rows || rows(right) < limits_.rows) return kNone;
        const double wl = weight(left), wr = weight(right), least = limits_.weight * (1 - kSlack);
        if (wl < least || wr < least) return kNone;
        const double no_events = 1e-14 * total_[1];  // what subtracting may leave of none; such a rate is no answer
        if (measure_ == CutMeasure::poisson && (left[1] <= no_events || right[1] <= no_events)) return kNone;
        const double gain = whole_ - potential(measure_, left, n_classes_) - potential(measure_, right, n_classes_);
        if (!is_ratio()) return gain;
        const double w = wl + wr, information = -times_log(wl / w, wl / w) - times_log(wr / w, wr / w);
        return information < 1e-9 ? kNone : gain / (w * information);
    }

  private:
    CutMeasure measure_;
    std::span<const double> total_;
    int n_classes_;
    bool counted_;
    CutLimits limits_;
    double whole_;
    std::vector<double> right_;
};

// The best score of a column's cuts: its cells in order, the zeros in their place.
double best_cut(CutScorer& score, const double* cells, i32 n_cells, i32 n_below, std::span<const double> total,
                std::vector<double>& zeros, std::vector<double>& left) {
    const std::size_t n_lanes = total.size();
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    if (n_cells == 1) {  // as of a mark for a word: the cut parts the cell from the zeros, whichever is above
        const double rows = score.rows(cells);
        return rows < 0.5 || score.rows(total.data()) - rows < 0.5 ? kNone : score(cells);
    }
    std::copy(total.begin(), total.end(), zeros.begin());
    for (i32 c = 0; c < n_cells; ++c)
        for (std::size_t i = 0; i < n_lanes; ++i) zeros[i] -= cells[static_cast<std::size_t>(c) * n_lanes + i];
    std::fill(left.begin(), left.end(), 0.0);
    double best = kNone;
    bool any = false;
    auto bucket = [&](const double* lanes) {
        if (score.rows(lanes) < 0.5) return;  // half a row is what subtracting may leave of none
        if (any) best = std::max(best, score(left.data()));
        for (std::size_t i = 0; i < n_lanes; ++i) left[i] += lanes[i];
        any = true;
    };
    for (i32 c = 0; c < n_cells; ++c) {
        if (c == n_below) bucket(zeros.data());
        bucket(cells + static_cast<std::size_t>(c) * n_lanes);
    }
    if (n_below == n_cells) bucket(zeros.data());
    return best;
}

}  // namespace

void CellSums::add(i64 row, double sign, double* lanes) const {
    const auto r = static_cast<std::size_t>(row);
    int last = 3;
    if (n_classes > 0) {
        lanes[codes[r]] += sign * (weights.empty() ? 1.0 : weights[r]);
        last = n_classes;
    } else {
        for (std::size_t i = 0; i < 3; ++i) lanes[i] += sign * sums[3 * r + i];
    }
    if (!copies.empty()) lanes[last] += sign * copies[r];
}

void add_rows(const CellRows& rows, std::span<const i64> chosen, const CellSums& outcome, double sign, double* tally) {
    const auto n_lanes = static_cast<std::size_t>(outcome.n_lanes());
    for (const i64 row : chosen)
        for (const i32 cell : rows.of(row)) outcome.add(row, sign, tally + static_cast<std::size_t>(cell) * n_lanes);
}

std::vector<i32> best_columns(const CellColumns& cells, std::span<const double> tally, std::span<const double> total,
                              const CellSums& outcome, std::string_view criterion, const CutLimits& limits) {
    CutScorer score(measure_of(criterion), total, outcome, limits);
    const std::size_t n_columns = cells.below.size(), n_lanes = total.size();
    std::vector<double> scores(n_columns), zeros(n_lanes), left(n_lanes);
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < n_columns; ++j) {
        const i32 first = cells.start[j];
        scores[j] = best_cut(score, tally.data() + static_cast<std::size_t>(first) * n_lanes,
                             cells.start[j + 1] - first, cells.below[j], total, zeros, left);
        best = std::max(best, scores[j]);
    }
    std::vector<i32> columns;
    if (best == -std::numeric_limits<double>::infinity()) return columns;
    const bool exact = outcome.n_classes > 0 && outcome.copies.empty();
    const double tie = exact ? score.tie(best) : 0.0, least = best - (exact ? 2 * tie : score.slack(best));
    bool tied = false;
    for (std::size_t j = 0; j < n_columns; ++j) {
        if (scores[j] < least) continue;
        const bool as_good = exact && scores[j] >= best - tie / 2;
        if (!(as_good && tied)) columns.push_back(static_cast<i32>(j));
        tied = tied || as_good;
    }
    return columns;
}

template <class T>
DenseBlock<T> dense_block(const CellRows& rows, std::span<const i64> chosen, std::span<const i32> column_of_cell,
                          std::span<const T> value_of_cell, i32 n_columns, std::size_t most) {
    DenseBlock<T> block;
    const std::size_t n = chosen.size();
    std::vector<u32> count(static_cast<std::size_t>(n_columns), 0);
    std::vector<i32> first(static_cast<std::size_t>(n_columns), -1);  // the first cell met; -2: another one, too
    for (const i64 row : chosen)
        for (const i32 cell : rows.of(row)) {
            const auto j = static_cast<std::size_t>(column_of_cell[static_cast<std::size_t>(cell)]);
            if (count[j]++ == 0)
                first[j] = cell;
            else if (first[j] != cell)
                first[j] = -2;
        }
    std::vector<i32>& place = first;
    for (std::size_t j = 0; j < count.size(); ++j) {
        const bool varies = count[j] > 0 && (count[j] < n || first[j] == -2);
        place[j] = varies ? static_cast<i32>(block.columns.size()) : -1;
        if (varies) block.columns.push_back(static_cast<i32>(j));
    }
    if (block.columns.size() * n > most) {
        block.fits = false;
        return block;
    }
    block.values.assign(block.columns.size() * n, T{0});
    for (std::size_t k = 0; k < n; ++k)
        for (const i32 cell : rows.of(chosen[k])) {
            const i32 at = place[static_cast<std::size_t>(column_of_cell[static_cast<std::size_t>(cell)])];
            if (at >= 0)
                block.values[static_cast<std::size_t>(at) * n + k] = value_of_cell[static_cast<std::size_t>(cell)];
        }
    return block;
}

template <class T>
void leaves_of_rows(const ThresholdTree& tree, std::span<const i64> start, std::span<const i32> columns,
                    std::span<const T> values, i32 n_columns, i32* leaves) {
    std::vector<double> x(static_cast<std::size_t>(n_columns), 0.0);
    for (std::size_t row = 0; row + 1 < start.size(); ++row) {
        const auto begin = static_cast<std::size_t>(start[row]), end = static_cast<std::size_t>(start[row + 1]);
        for (std::size_t e = begin; e < end; ++e)
            x[static_cast<std::size_t>(columns[e])] = static_cast<double>(values[e]);
        std::size_t node = 0;
        while (tree.kind[node] != static_cast<std::int8_t>(SplitKind::leaf)) {
            const bool above = x[static_cast<std::size_t>(tree.column[node])] > tree.threshold[node];
            node = static_cast<std::size_t>(tree.first_child[node]) + (above ? 1 : 0);
        }
        leaves[row] = static_cast<i32>(node);
        for (std::size_t e = begin; e < end; ++e) x[static_cast<std::size_t>(columns[e])] = 0.0;
    }
}

template DenseBlock<float> dense_block(const CellRows&, std::span<const i64>, std::span<const i32>,
                                       std::span<const float>, i32, std::size_t);
template DenseBlock<double> dense_block(const CellRows&, std::span<const i64>, std::span<const i32>,
                                        std::span<const double>, i32, std::size_t);
template void leaves_of_rows(const ThresholdTree&, std::span<const i64>, std::span<const i32>, std::span<const float>,
                             i32, i32*);
template void leaves_of_rows(const ThresholdTree&, std::span<const i64>, std::span<const i32>, std::span<const double>,
                             i32, i32*);

}  // namespace hornbeam::sparse
