#include "hornbeam/oblique/look_ahead.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

#include "hornbeam/oblique/order.hpp"

namespace hornbeam::oblique {
namespace {

constexpr u32 kSpread = 12;  // cuts of a direction that are tried besides the best and the pure ones

constexpr u32 kNearlySame = 128;  // cuts are nearly the same if they part all but one of so many rows in the same way

// The rows of a group in the order of every direction.
using Lists = std::vector<std::vector<u32>>;

class LookAhead {
  public:
    LookAhead(const Points& points, const Goal& goal, std::span<const double> directions)
        : goal_(goal),
          n_(points.n),
          scorer_(scorer_of(goal)),
          side_(n_),
          mark_(n_),
          weight_(goal.n_classes),
          above_(n_) {
        std::vector<u32> rows(n_);
        std::iota(rows.begin(), rows.end(), 0U);
        const std::size_t m = directions.size() / points.width;
        lines_.resize(m * n_);
        Order order;
        for (std::size_t k = 0; k < m; ++k) {
            points.project(&directions[k * points.width], &lines_[k * n_]);
            const auto sorted = order.sort(line(k), rows);
            lists_.emplace_back(sorted.begin(), sorted.end());
        }
        n_counted_ = std::accumulate(goal.rows.begin(), goal.rows.end(), 0.0);
        u64 state = 0;
        for (u64& mark : mark_) mark = mix_bits(state += kMixStep);
    }

    Choice choose(const LookAheadLimits& limits) {
        std::vector<Choice> cuts = candidate_cuts(limits.least);
        keep_best(cuts, std::max(limits.most, limits.budget / (lists_.size() * static_cast<std::size_t>(n_counted_))),
                  limits.least);
        // Those are followed whose two parts can be parted best.
        for (Choice& cut : cuts) cut.cost = -cut.score - (limits.depth > 1 ? next_gain(cut) : 0);
        std::stable_sort(cuts.begin(), cuts.end(), [](const Choice& a, const Choice& b) { return a.cost < b.cost; });
        keep_different(cuts, limits.most);
        std::stable_sort(cuts.begin(), cuts.end(), better);
        Choice best;
        best.cost = std::numeric_limits<double>::infinity();
        for (Choice& cut : cuts) follow(cut, limits.depth, best);
        if (best.direction >= 0) move(limits, best);
        return best;
    }

  private:
    // Takes a cut instead of the best so far if it costs less.
    void follow(Choice cut, i64 depth, Choice& best) {
        mark_sides(lists_[static_cast<std::size_t>(cut.direction)], cut.below);
        work_.resize(lists_.size() * n_);
        for (std::size_t k = 0; k < lists_.size(); ++k) {
            u32 *low = &work_[k * n_], *high = low + cut.below;
            for (u32 row : lists_[k]) *(side_[row] ? high : low)++ = row;
        }
        const auto n = static_cast<u32>(n_);
        cut.cost = cost(0, cut.below, depth - 1, best.cost - 1);
        if (cut.cost < best.cost) cut.cost += cost(cut.below, n, depth - 1, best.cost - cut.cost);
        if (cut.cost < best.cost) best = cut;
    }
    // Moves the best cut along its direction while that costs less, by ever smaller steps.
    void move(const LookAheadLimits& limits, Choice& best) {
        const auto k = static_cast<std::size_t>(best.direction);
        const std::vector<double> score = scorer_->all_sorted(line(k), lists_[k]);
        std::vector<double> counted(n_ + 1, 0.0);  // rows with their repetitions below each cut
        for (std::size_t i = 0; i < n_; ++i) counted[i + 1] = counted[i] + goal_.rows[lists_[k][i]];
        for (double step = std::floor(counted[n_] / (2 * (kSpread + 1))); step > 0; step = std::floor(step / 2))
            for (const double by : {-step, step}) {
                const u32 below = place_of(counted, counted[best.below] + by);
                if (below > 0 && score[below - 1] > limits.least)
                    follow({best.direction, below, score[below - 1], 0}, limits.depth, best);
            }
    }
    // The cut with exactly so many rows below it, where repetitions count; 0: none.
    static u32 place_of(const std::vector<double>& counted, double n_below) {
        const auto at = std::lower_bound(counted.begin(), counted.end() - 1, n_below);
        return at != counted.end() - 1 && *at == n_below ? static_cast<u32>(at - counted.begin()) : 0;
    }

    const float* line(std::size_t k) const { return &lines_[k * n_]; }

    // The cuts that score enough: of each direction the best, those that leave most rows in a pure part, and some in
    // between. Cuts that part the rows in the same way are listed once.
    std::vector<Choice> candidate_cuts(double least) {
        std::vector<Choice> cuts;
        std::unordered_set<u64> signatures;
        std::vector<double> counted(n_ + 1, 0.0);
        for (std::size_t k = 0; k < lists_.size(); ++k) {
            const std::vector<u32>& rows = lists_[k];
            for (std::size_t i = 0; i < n_; ++i) counted[i + 1] = counted[i] + goal_.rows[rows[i]];
            const std::vector<double>& score = scorer_->all_sorted(line(k), rows);
            std::vector<u32> places{static_cast<u32>(std::max_element(score.begin(), score.end()) - score.begin()) + 1,
                                    pure_below(rows, score), pure_above(rows, score)};
            for (u32 i = 1; i <= kSpread; ++i)
                places.push_back(place_of(counted, std::floor(n_counted_ * i / (kSpread + 1))));
            for (u32 below : places)
                if (below > 0 && score[below - 1] > least && signatures.insert(signature(rows, below)).second)
                    cuts.push_back({static_cast<i64>(k), below, score[below - 1], 0});
        }
        return cuts;
    }
    // Keeps the best of too many cuts; where any score is enough, some of all kinds.
    static void keep_best(std::vector<Choice>& cuts, std::size_t most, double least) {
        if (cuts.size() <= most) return;
        if (std::isinf(least)) {
            for (std::size_t i = 0; i < most; ++i) cuts[i] = cuts[i * cuts.size() / most];
        } else {
            std::stable_sort(cuts.begin(), cuts.end(), better);
        }
        cuts.resize(most);
    }
    // Keeps the first of the cuts that part the rows in different ways; then, if there are too few, of the others.
    void keep_different(std::vector<Choice>& cuts, std::size_t most) const {
        if (cuts.size() <= most) return;
        const std::size_t words = (n_ + 63) / 64;
        std::vector<u64> sides;  // the sides of those taken, a bit for each row
        std::vector<Choice> nearly_same;
        std::size_t taken = 0;
        for (std::size_t i = 0; i < cuts.size() && taken < most; ++i) {
            sides.resize((taken + 1) * words);
            u64* own = &sides[taken * words];
            std::fill(own, own + words, u64{0});
            const std::vector<u32>& rows = lists_[static_cast<std::size_t>(cuts[i].direction)];
            for (u32 place = 0; place < cuts[i].below; ++place) own[rows[place] / 64] |= u64{1} << rows[place] % 64;
            bool different = true;
            for (std::size_t other = 0; other < taken && different; ++other) {
                double n_different = 0;
                for (std::size_t w = 0; w < words; ++w)
                    n_different += counted(own[w] ^ sides[other * words + w], 64 * w);
                different = std::min(n_different, n_counted_ - n_different) * kNearlySame > n_counted_;
            }
            if (different)
                cuts[taken++] = cuts[i];
            else
                nearly_same.push_back(cuts[i]);
        }
        cuts.resize(taken);
        for (std::size_t i = 0; i < nearly_same.size() && cuts.size() < most; ++i) cuts.push_back(nearly_same[i]);
    }
    // The rows of a word of bits with their repetitions.
    double counted(u64 bits, std::size_t first) const {
        if (!goal_.repeated) return std::popcount(bits);
        double sum = 0;
        for (; bits != 0; bits &= bits - 1) sum += goal_.rows[first + static_cast<std::size_t>(std::countr_zero(bits))];
        return sum;
    }
    static bool better(const Choice& a, const Choice& b) { return a.score > b.score; }
    // The last cut with one class below it, the first with one above; 0: none.
    u32 pure_below(const std::vector<u32>& rows, const std::vector<double>& score) const {
        u32 below = 0;
        for (u32 i = 0; i < n_ && goal_.code[rows[i]] == goal_.code[rows[0]]; ++i)
            if (std::isfinite(score[i])) below = i + 1;
        return below;
    }
    u32 pure_above(const std::vector<u32>& rows, const std::vector<double>& score) const {
        u32 below = 0;
        for (u32 i = static_cast<u32>(n_) - 1; i > 0 && goal_.code[rows[i]] == goal_.code[rows[n_ - 1]]; --i)
            if (std::isfinite(score[i - 1])) below = i;
        return below;
    }
    // The same for the same two groups of rows.
    u64 signature(const std::vector<u32>& rows, u32 below) const {
        u64 low = 0, high = 0;
        for (u32 i = 0; i < n_; ++i) (i < below ? low : high) += mark_[rows[i]];
        return std::min(low, high);
    }

    void mark_sides(const std::vector<u32>& rows, u32 below) {
        for (u32 i = 0; i < rows.size(); ++i) side_[rows[i]] = i >= below;
    }
    // The best gains of both parts of a cut together.
    double next_gain(const Choice& cut) {
        mark_sides(lists_[static_cast<std::size_t>(cut.direction)], cut.below);
        double best[2] = {0, 0};
        std::vector<u32> part[2];
        for (std::size_t k = 0; k < lists_.size(); ++k) {
            part[0].clear();
            part[1].clear();
            for (u32 row : lists_[k]) part[side_[row]].push_back(row);
            for (int s : {0, 1}) best[s] = std::max(best[s], scorer_->best_sorted(line(k), part[s]).score);
        }
        return best[0] + best[1];
    }
    std::span<u32> group(std::size_t k, u32 first, u32 end) { return {&work_[k * n_ + first], end - first}; }
    // Parts a group followed by its first rows in the order of a direction, in place.
    void part(std::size_t along, u32 first, u32 below, u32 end) {
        const std::span<u32> rows = group(along, first, end);
        for (u32 i = 0; i < rows.size(); ++i) side_[rows[i]] = i >= below;
        for (std::size_t k = 0; k < lists_.size(); ++k) {
            if (k == along) continue;
            u32 *low = &work_[k * n_ + first], *high = above_.data();
            for (u32 row : group(k, first, end)) *(side_[row] ? high : low)++ = row;
            std::copy(above_.data(), high, low);
        }
    }
    bool is_pure(std::span<const u32> rows) const {
        return std::all_of(rows.begin(), rows.end(), [&](u32 row) { return goal_.code[row] == goal_.code[rows[0]]; });
    }

    // What a greedy tree of a group costs; where it is sure to cost `limit` or more, at least that.
    double cost(u32 begin, u32 end, i64 depth, double limit) {
        std::fill(weight_.begin(), weight_.end(), 0.0);
        double all = 0, most = 0, counted = 0;
        for (u32 row : group(0, begin, end)) {
            counted += goal_.rows[row];
            double& w = weight_[static_cast<std::size_t>(goal_.code[row])];
            w += goal_.weight[row];
            all += goal_.weight[row];
            most = std::max(most, w);
        }
        const double wrong = (all - most) / all * counted, leaf = 1 + wrong;
        if (wrong <= 1 || depth <= 0) return leaf;
        if (limit <= 2) return 2;  // a leaf costs more, and so do two
        Cut top;
        std::size_t along = 0;
        for (std::size_t k = 0; k < lists_.size(); ++k) {
            const std::span<u32> rows = group(k, begin, end);
            const Cut cut = scorer_->best_sorted(line(k), rows);
            if (!(cut.score > top.score)) continue;
            top = cut;
            along = k;
            if (is_pure(rows.first(cut.below)) && is_pure(rows.subspan(cut.below))) return 2;
        }
        if (top.below == 0) return leaf;
        part(along, begin, top.below, end);
        const double bound = std::min(limit, leaf), first = cost(begin, begin + top.below, depth - 1, bound - 1);
        const double second = first + 1 >= bound ? 1 : cost(begin + top.below, end, depth - 1, bound - first);
        return std::min(leaf, first + second);
    }

    const Goal& goal_;
    std::size_t n_;
    double n_counted_ = 0;  // rows with their repetitions
    std::unique_ptr<Scorer> scorer_;
    std::vector<float> lines_;
    Lists lists_;
    std::vector<u8> side_;
    std::vector<u64> mark_;
    std::vector<double> weight_;
    std::vector<u32> work_;  // the rows of the groups followed, in the order of every direction: [m, n]
    std::vector<u32> above_;
};

}  // namespace

Choice look_ahead(const Points& points, const Goal& goal, std::span<const double> directions,
                  const LookAheadLimits& limits) {
    return LookAhead(points, goal, directions).choose(limits);
}

}  // namespace hornbeam::oblique
