#include "hornbeam/oblique/scorer.hpp"

#include <stdexcept>
#include <string>

#include "hornbeam/oblique/class_sides.hpp"
#include "hornbeam/oblique/order.hpp"
#include "hornbeam/oblique/pinball_sides.hpp"
#include "hornbeam/oblique/real_sides.hpp"

namespace hornbeam::oblique {
namespace {

template <class Sides>
class ScanScorer : public Scorer {
  public:
    explicit ScanScorer(const Goal& goal) : goal_(goal), sides_(goal) {}

    Cut best(const float* projection, std::span<const u32> rows) override {
        return best_sorted(projection, order_.sort(projection, rows));
    }
    Cut best_sorted(const float* projection, std::span<const u32> rows) override {
        Cut best_cut;
        const auto look = [&](u32 below, double gain) {
            if (gain > best_cut.score) best_cut = {gain, below};
        };
        walk<Sides::kConvex>(projection, rows, look);
        if (Sides::kConvex && best_cut.below == 0) walk<false>(projection, rows, look);  // all rows of one class
        best_cut.score = best_cut.score / goal_.total * goal_.unit;
        return best_cut;
    }
    const std::vector<double>& all_sorted(const float* projection, std::span<const u32> rows) override {
        all_.assign(rows.size(), -std::numeric_limits<double>::infinity());
        walk<false>(projection, rows,
                    [&](u32 below, double gain) { all_[below - 1] = gain / goal_.total * goal_.unit; });
        return all_;
    }

  private:
    // Calls look(rows below, gain) for every cut that leaves enough on both sides; where `brief`, not for all of those
    // between two rows of one class, which are never better than the cuts at the ends of their run.
    template <bool brief, class Look>
    void walk(const float* projection, std::span<const u32> rows, Look&& look) {
        if (rows.size() < 2) return;
        if (goal_.repeated) return walk<true, false>(projection, rows, look);
        if (!brief || goal_.min_rows > 1 || goal_.min_weight > 0) return walk<false, false>(projection, rows, look);
        walk<false, brief>(projection, rows, look);
    }
    template <bool repeated, bool brief, class Look>
    void walk(const float* projection, std::span<const u32> rows, Look&& look) {
        sides_.load(rows);
        double all = static_cast<double>(rows.size()), left = 0;
        if constexpr (repeated) {
            all = 0;
            for (u32 row : rows) all += goal_.rows[row];
        }
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            const u32 row = rows[i];
            sides_.take(row);
            left += repeated ? goal_.rows[row] : 1.0;
            if (!(projection[row] < projection[rows[i + 1]])) continue;
            if constexpr (brief)
                if (goal_.code[row] == goal_.code[rows[i + 1]] && is_alone(projection, rows, i) &&
                    is_alone(projection, rows, i + 1))
                    continue;
            if (left < goal_.min_rows || all - left < goal_.min_rows) continue;
            if (sides_.left() < goal_.min_weight || sides_.right() < goal_.min_weight) continue;
            look(static_cast<u32>(i + 1), sides_.gain());
        }
    }

    // Whether no other row has the same value.
    static bool is_alone(const float* projection, std::span<const u32> rows, std::size_t i) {
        const float value = projection[rows[i]];
        return (i == 0 || projection[rows[i - 1]] < value) && (i + 1 == rows.size() || value < projection[rows[i + 1]]);
    }

    const Goal& goal_;
    Order order_;
    Sides sides_;
    std::vector<double> all_;
};

template <class Sides>
std::unique_ptr<Scorer> scan_scorer(const Goal& goal) {
    return std::make_unique<ScanScorer<Sides>>(goal);
}

}  // namespace

std::unique_ptr<Scorer> scorer_of(const Goal& goal) {
    const std::string_view name = goal.criterion;
    if (goal.level > 0) return scan_scorer<Pinball>(goal);
    if (name == "gini") return goal.n_classes == 2 ? scan_scorer<TwoClasses>(goal) : scan_scorer<Summed<Square>>(goal);
    if (name == "entropy" || name == "gain-ratio") return scan_scorer<Summed<WLogW>>(goal);
    if (name == "root") return scan_scorer<Recomputed<Roots>>(goal);
    if (name == "error") return scan_scorer<Recomputed<Mistakes>>(goal);
    if (name == "variance") return scan_scorer<Variance>(goal);
    if (name == "sd") return scan_scorer<Deviation>(goal);
    if (name == "poisson" || name == "exponential") return scan_scorer<Events>(goal);
    throw std::invalid_argument("no such criterion: " + std::string(name));
}

}  // namespace hornbeam::oblique
