// Candidates for a split, how they are judged, and which one wins (K4, K9).
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <vector>

#include "hornbeam/grow/plan.hpp"
#include "hornbeam/stats/exact_stats.hpp"
#include "hornbeam/stats/grid.hpp"

namespace hornbeam {

// One possible split of a node.
struct Candidate {
    double score = 0;        // what is compared: impurity decrease, or gain ratio
    double decrease = 0;     // impurity decrease
    double information = 0;  // split information, where the selection asks for it
    i32 column = -1;
    SplitKind kind = SplitKind::leaf;
    u64 drawn = 0;             // K4: a test that was drawn comes before those of larger numbers
    i64 order = 0;             // K4: position among the candidates of the column
    std::vector<i32> set;      // subset: values of the first branch; decides ties after `order`
    std::vector<i64> first;    // lanes of the first branch of two, where the outcome's bins are exact
    std::vector<i32> present;  // subset, multiway: the values the node's rows have (filled in for the winner)
    std::vector<double> ends;  // functionals of the first two branches, where the children's lanes cannot tell them
    i32 missing = -1;          // branch of the missing values; -1 if the node has none here
    i32 below = -1;            // threshold: code of the last bucket of the first branch
    double low = std::numeric_limits<double>::quiet_NaN();  // threshold: its neighbouring values, when known already
    double high = std::numeric_limits<double>::quiet_NaN();
    double threshold = std::numeric_limits<double>::quiet_NaN();  // where it was drawn

    bool before(const Candidate& other) const {
        if (drawn != other.drawn) return drawn < other.drawn;
        return std::tuple(column, order, set.size()) != std::tuple(other.column, other.order, other.set.size())
                   ? std::tuple(column, order, set.size()) < std::tuple(other.column, other.order, other.set.size())
                   : set < other.set;
    }
};

// The lower and upper bounds that monotonic constraints put on a node's functionals.
struct Bounds {
    std::vector<double> low, high;
};

// Judges partitions of one node, or of its rows that are known in one column.
class Judge {
  public:
    // `lightness`: how many steps of this node's weight lanes are one of the root's, in which limits are given.
    Judge(const Plan& plan, Layout layout, const i64* total, const Bounds* bounds, const Grid& grid = kUnitGrid,
          double lightness = 1)
        : plan_(plan),
          layout_(layout),
          total_(total),
          whole_(total),
          bounds_(bounds),
          grid_(grid),
          lightness_(lightness) {
        weight_ = static_cast<double>(layout.weight(total));
        potential_ = plan.criterion->potential(total, layout.n_classes);
        impurity_ = layout.exact != nullptr ? layout.exact->impurity() : potential_ / weight_;
        set_least_side(weight_);
    }
    // The node through a column whose `gaps` are left out: decreases are those of the known rows, times their share.
    Judge(const Judge& node, const i64* gaps) : Judge(node) {
        known_.assign(node.total_, node.total_ + layout_.width());
        subtract_lanes(known_.data(), gaps, layout_.width());
        total_ = known_.data();
        potential_ = plan_.criterion->potential(total_, layout_.n_classes);
        gap_weight_ = layout_.weight(gaps);
        whole_ = node.total_;
        set_least_side(static_cast<double>(layout_.weight(total_)));
    }
    Judge& operator=(const Judge&) = delete;

    const Plan& plan() const { return plan_; }
    Layout layout() const { return layout_; }
    const i64* total() const { return total_; }
    double weight() const { return weight_; }
    const Grid& grid() const { return grid_; }
    double lightness() const { return lightness_; }
    double min_weight_leaf() const { return plan_.limits.min_weight_leaf * lightness_; }
    double case_weight() const { return plan_.selection.case_weight * lightness_; }
    double impurity() const { return impurity_; }    // of the whole node
    double potential() const { return potential_; }  // of the rows judged
    i64 gap_weight() const { return gap_weight_; }
    // Whether candidates of a column are compared by gain ratio. C4.5 compares them by gain, and only columns by ratio.
    bool ratio() const { return plan_.criterion->ratio && !plan_.selection.average(); }
    // K4's margin below the best score `best`.
    double margin(double best) const { return 1e-12 * (ratio() ? std::fabs(best) : impurity_); }
    // The least weight on either side of a threshold; 0: any.
    double least_side() const { return least_side_; }

    bool big_enough(const i64* part) const {
        const i64 rows = layout_.rows(part);
        if (rows == 0) return true;  // minimum sizes bind non-empty branches only (K6)
        if (rows < plan_.limits.min_rows_leaf) return false;
        if (layout_.rates && !plan_.criterion->eventless && Moments(part).wy <= 0) return false;
        if (plan_.limits.min_weight_leaf <= 0) return true;
        if (layout_.exact != nullptr) return layout_.exact->weight(part) >= min_weight_leaf() * grid_.weight_unit;
        return static_cast<double>(layout_.weight(part)) >= min_weight_leaf();
    }

    // Fills score and decrease; false if the partition is trivial or not admissible. `column` decides whether the
    // first two parts must be ordered.
    bool judge(const i64* const* parts, int n_parts, i32 column, SplitKind kind, Candidate& out) const {
        int filled = 0;
        for (int i = 0; i < n_parts; ++i) {
            if (!big_enough(parts[i])) return false;
            filled += layout_.rows(parts[i]) > 0;
        }
        if (filled < 2 || (bounds_ != nullptr && !monotone(parts, n_parts, column, kind))) return false;
        if (plan_.selection.average() && !enough_cases(parts, n_parts, kind)) return false;
        out.decrease = out.score = decrease(parts, n_parts);
        if (bounds_ != nullptr && layout_.exact != nullptr) out.ends = ends(parts);
        if (plan_.criterion->ratio) {
            const double information = split_bits(parts, n_parts);
            if (information <= kTrivialSplitInformation) return false;
            out.information = information;
            if (ratio()) out.score = out.decrease / information;
        }
        out.column = column;
        out.kind = kind;
        return true;
    }
    // How much impurity the node loses by a partition of the rows judged.
    double decrease(const i64* const* parts, int n_parts) const {
        if (layout_.exact != nullptr) return layout_.exact->decrease(whole_, total_, parts, n_parts);
        return plan_.criterion->decrease(total_, parts, n_parts, layout_.n_classes) / weight_;
    }

    double functional(std::size_t f, const i64* part) const {
        const Functional& what = plan_.functionals[f];
        if (layout_.exact != nullptr) return exact_functional(what, part);
        if (what.kind == Functional::Kind::mean) {
            const Moments group(part);
            return static_cast<double>(group.wy) / static_cast<double>(group.w);
        }
        i64 sum = 0;
        if (what.kind == Functional::Kind::one_class) sum = part[what.index];
        if (what.kind == Functional::Kind::at_least_class)
            for (int k = what.index; k < layout_.n_classes; ++k) sum += part[k];
        return static_cast<double>(sum) / static_cast<double>(layout_.weight(part));
    }

    // The bounds of child `i` of a split on `column` into `parts`; `ordered`: the first two parts are below and above a
    // threshold; `ends`: their functionals, if `parts` cannot tell them.
    Bounds child_bounds(const i64* const* parts, const std::vector<double>& ends, i32 column, bool ordered,
                        int i) const {
        Bounds out = *bounds_;
        if (!ordered || i > 1) return out;
        for (const MonotoneTerm& term : plan_.monotone[static_cast<std::size_t>(column)]) {
            const auto f = static_cast<std::size_t>(term.functional);
            const double middle = ends.empty() ? (functional(f, parts[0]) + functional(f, parts[1])) / 2
                                               : (ends[2 * f] + ends[2 * f + 1]) / 2;
            if ((term.sign > 0) == (i == 0))
                out.high[f] = std::min(out.high[f], middle);
            else
                out.low[f] = std::max(out.low[f], middle);
        }
        return out;
    }

    // The functionals of the first two parts.
    std::vector<double> ends(const i64* const* parts) const {
        std::vector<double> out;
        for (std::size_t f = 0; f < plan_.functionals.size(); ++f)
            for (int i = 0; i < 2; ++i) out.push_back(layout_.rows(parts[i]) > 0 ? functional(f, parts[i]) : 0);
        return out;
    }

  private:
    double exact_functional(const Functional& what, const i64* part) const {
        if (what.kind == Functional::Kind::mean) return layout_.exact->mean(part);
        const auto [first, last] = classes_of(what);
        return layout_.exact->share(part, first, last);
    }
    std::pair<int, int> classes_of(const Functional& what) const {
        return {what.index, what.kind == Functional::Kind::one_class ? what.index + 1 : layout_.n_classes};
    }
    // The split information; gaps are one more branch.
    double split_bits(const i64* const* parts, int n_parts) const {
        if (layout_.exact != nullptr) return layout_.exact->information(whole_, total_, parts, n_parts);
        const i64 whole = layout_.weight(total_) + gap_weight_;
        double sum = split_information(&gap_weight_, 1, whole);
        for (int i = 0; i < n_parts; ++i) {
            const i64 size = layout_.weight(parts[i]);
            sum += split_information(&size, 1, whole);
        }
        return sum;
    }
    // Only for the constructor with gaps, which then sets `total_` anew: in any other copy it could point into the
    // original's `known_`.
    Judge(const Judge&) = default;

    void set_least_side(double known_weight) {
        if (plan_.selection.average())
            least_side_ = plan_.selection.least_side(known_weight, case_weight(), layout_.n_classes);
    }
    // C4.5: both sides of a threshold are large enough; elsewhere enough branches hold enough cases.
    bool enough_cases(const i64* const* parts, int n_parts, SplitKind kind) const {
        int large = 0;
        const double least = plan_.selection.min_branch * case_weight();
        constexpr double kSlack = 1 - 1e-9;  // fractions of cases are rounded
        for (int i = 0; i < n_parts; ++i) {
            const auto size = static_cast<double>(layout_.weight(parts[i]));
            if (kind == SplitKind::threshold && i < 2 && size < least_side_ * kSlack) return false;
            large += size >= least * kSlack;
        }
        return large >= plan_.selection.n_branches;
    }
    bool monotone(const i64* const* parts, int n_parts, i32 column, SplitKind kind) const {
        constexpr double kSlack = 1e-12;
        for (std::size_t f = 0; f < plan_.functionals.size(); ++f)
            for (int i = 0; i < n_parts; ++i) {
                if (layout_.rows(parts[i]) == 0) continue;
                const double value = functional(f, parts[i]), scale = kSlack * std::max(1.0, std::fabs(value));
                if (value < bounds_->low[f] - scale || value > bounds_->high[f] + scale) return false;
            }
        if (kind != SplitKind::threshold || layout_.rows(parts[0]) == 0 || layout_.rows(parts[1]) == 0) return true;
        for (const MonotoneTerm& term : plan_.monotone[static_cast<std::size_t>(column)]) {
            const auto f = static_cast<std::size_t>(term.functional);
            if (layout_.exact != nullptr) {
                const auto [first, last] = classes_of(plan_.functionals[f]);
                if (layout_.exact->less(parts[term.sign > 0], parts[term.sign < 0], first, last)) return false;
            } else if (term.sign * functional(f, parts[0]) > term.sign * functional(f, parts[1])) {
                return false;
            }
        }
        return true;
    }

    const Plan& plan_;
    Layout layout_;
    const i64 *total_, *whole_;  // of the rows judged, of the node
    const Bounds* bounds_;       // null: no monotonic constraints
    const Grid& grid_;
    double lightness_, weight_, impurity_, potential_, least_side_ = 0;
    i64 gap_weight_ = 0;
    std::vector<i64> known_;
};
static_assert(!std::is_copy_constructible_v<Judge> && !std::is_move_constructible_v<Judge>);

// Keeps the candidates that may still win.
class Candidates {
  public:
    explicit Candidates(const Judge& judge) : judge_(&judge) {}

    double best() const { return best_; }
    bool empty() const { return held_.empty(); }
    bool wants(double score) const { return !(score < best_ - judge_->margin(best_)); }

    // Whether one of an earlier column scores at least this much.
    bool holds_before(i32 column, double score) const {
        return std::any_of(held_.begin(), held_.end(),
                           [&](const Candidate& c) { return c.column < column && c.score >= score; });
    }

    void offer(Candidate candidate) {
        if (!wants(candidate.score)) return;
        best_ = std::max(best_, candidate.score);
        held_.push_back(std::move(candidate));
        if (held_.size() >= limit_) {
            shrink();
            limit_ = std::max<std::size_t>(64, 2 * held_.size());
        }
    }
    void merge(Candidates&& other) {
        for (auto& candidate : other.held_) offer(std::move(candidate));
    }
    // The first in K4's order among those tied with the best.
    Candidate winner() {
        shrink();
        return std::move(*std::min_element(held_.begin(), held_.end(),
                                           [](const Candidate& a, const Candidate& b) { return a.before(b); }));
    }

  private:
    void shrink() {
        std::erase_if(held_, [this](const Candidate& c) { return !wants(c.score); });
    }

    const Judge* judge_;
    double best_ = -std::numeric_limits<double>::infinity();
    std::size_t limit_ = 64;
    std::vector<Candidate> held_;
};

}  // namespace hornbeam
