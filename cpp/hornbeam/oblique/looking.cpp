#include "looking.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "order.hpp"

namespace hornbeam::oblique {
namespace {

constexpr u32 kSpread = 12;  // cuts of a direction that are met besides the best and the pure ones

// The rows of a group in the order of every direction.
using Lists = std::vector<std::vector<u32>>;

class Looking {
  public:
    Looking(const Cloud& cloud, const Goal& goal, std::span<const double> directions)
        : goal_(goal), n_(cloud.n), scorer_(scorer_of(goal)), side_(n_), mark_(n_) {
        std::vector<u32> rows(n_);
        std::iota(rows.begin(), rows.end(), 0U);
        const std::size_t m = directions.size() / cloud.width;
        lines_.resize(m * n_);
        Order order;
        for (std::size_t k = 0; k < m; ++k) {
            cloud.project(&directions[k * cloud.width], &lines_[k * n_]);
            const auto sorted = order.sort(line(k), rows);
            lists_.emplace_back(sorted.begin(), sorted.end());
        }
        u64 state = 0;
        for (u64& mark : mark_) mark = next(state);
    }

    Choice choose(const LookingLimits& limits) {
        std::vector<Choice> cuts = met(limits.least);
        thin(cuts, std::max(limits.most, limits.budget / (lists_.size() * n_)), limits.least);
        // Those are followed whose two parts can be parted best.
        for (Choice& cut : cuts) cut.cost = -cut.score - (limits.depth > 1 ? next_gain(cut) : 0);
        std::stable_sort(cuts.begin(), cuts.end(), [](const Choice& a, const Choice& b) { return a.cost < b.cost; });
        if (cuts.size() > limits.most) cuts.resize(limits.most);
        std::stable_sort(cuts.begin(), cuts.end(), better);
        Choice found;
        found.cost = std::numeric_limits<double>::infinity();
        for (Choice& cut : cuts) follow(cut, limits.depth, found);
        if (found.direction >= 0) move(limits, found);
        return found;
    }

  private:
    // Takes a cut instead of the one found if it costs less.
    void follow(Choice cut, i64 depth, Choice& found) {
        const auto [low, high] = parted(lists_, static_cast<std::size_t>(cut.direction), cut.below);
        cut.cost = cost(low, depth - 1, found.cost - 1);
        if (cut.cost < found.cost) cut.cost += cost(high, depth - 1, found.cost - cut.cost);
        if (cut.cost < found.cost) found = cut;
    }
    // Moves the cut found along its direction while that costs less, by ever smaller steps.
    void move(const LookingLimits& limits, Choice& found) {
        const auto k = static_cast<std::size_t>(found.direction);
        const std::vector<double> score = scorer_->all_sorted(line(k), lists_[k]);
        for (i64 step = static_cast<i64>(n_) / (2 * (kSpread + 1)); step > 0; step /= 2)
            for (const i64 below : {found.below - step, found.below + step})
                if (below > 0 && below < static_cast<i64>(n_) &&
                    score[static_cast<std::size_t>(below - 1)] > limits.least)
                    follow({found.direction, static_cast<u32>(below), score[static_cast<std::size_t>(below - 1)], 0},
                           limits.depth, found);
    }

    const float* line(std::size_t k) const { return &lines_[k * n_]; }

    // The cuts that score enough: of each direction the best, those that leave most rows in a pure part, and some in
    // between. Cuts that part the rows alike are met once.
    std::vector<Choice> met(double least) {
        std::vector<Choice> cuts;
        std::unordered_set<u64> seen;
        const auto n = static_cast<u32>(n_);
        for (std::size_t k = 0; k < lists_.size(); ++k) {
            const std::vector<u32>& rows = lists_[k];
            const std::vector<double>& score = scorer_->all_sorted(line(k), rows);
            std::vector<u32> wanted{static_cast<u32>(std::max_element(score.begin(), score.end()) - score.begin()) + 1,
                                    pure_below(rows, score), pure_above(rows, score)};
            for (u32 i = 1; i <= kSpread; ++i) wanted.push_back(n * i / (kSpread + 1));
            for (u32 below : wanted)
                if (below > 0 && score[below - 1] > least && seen.insert(signature(rows, below)).second)
                    cuts.push_back({static_cast<i64>(k), below, score[below - 1], 0});
        }
        return cuts;
    }
    // Keeps the best of too many cuts; where any score is enough, some of all kinds.
    static void thin(std::vector<Choice>& cuts, std::size_t most, double least) {
        if (cuts.size() <= most) return;
        if (std::isinf(least)) {
            for (std::size_t i = 0; i < most; ++i) cuts[i] = cuts[i * cuts.size() / most];
        } else {
            std::stable_sort(cuts.begin(), cuts.end(), better);
        }
        cuts.resize(most);
    }
    static bool better(const Choice& a, const Choice& b) { return a.score > b.score; }
    // The last cut with one class below it, the first with one above; 0: none.
    u32 pure_below(const std::vector<u32>& rows, const std::vector<double>& score) const {
        u32 found = 0;
        for (u32 i = 0; i < n_ && goal_.code[rows[i]] == goal_.code[rows[0]]; ++i)
            if (std::isfinite(score[i])) found = i + 1;
        return found;
    }
    u32 pure_above(const std::vector<u32>& rows, const std::vector<double>& score) const {
        u32 found = 0;
        for (u32 i = static_cast<u32>(n_) - 1; i > 0 && goal_.code[rows[i]] == goal_.code[rows[n_ - 1]]; --i)
            if (std::isfinite(score[i - 1])) found = i;
        return found;
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
    std::pair<Lists, Lists> parted(const Lists& lists, std::size_t along, u32 below) {
        mark_sides(lists[along], below);
        std::pair<Lists, Lists> out{Lists(lists.size()), Lists(lists.size())};
        for (std::size_t k = 0; k < lists.size(); ++k) {
            out.first[k].reserve(below);
            out.second[k].reserve(lists[k].size() - below);
            for (u32 row : lists[k]) (side_[row] ? out.second : out.first)[k].push_back(row);
        }
        return out;
    }

    // What a greedy tree of some rows costs; where it is sure to cost `limit` or more, at least that.
    double cost(const Lists& lists, i64 depth, double limit) {
        const std::vector<u32>& rows = lists[0];
        std::vector<double> weight(goal_.n_classes, 0.0);
        double all = 0, most = 0;
        for (u32 row : rows) {
            double& w = weight[static_cast<std::size_t>(goal_.code[row])];
            w += goal_.weight[row];
            all += goal_.weight[row];
            most = std::max(most, w);
        }
        const double leaf = 1 + (all - most) / all * static_cast<double>(rows.size());
        if (most == all || depth <= 0 || limit <= 1) return leaf;
        Cut top;
        std::size_t along = 0;
        for (std::size_t k = 0; k < lists.size(); ++k) {
            const Cut cut = scorer_->best_sorted(line(k), lists[k]);
            if (!(cut.score > top.score)) continue;
            top = cut;
            along = k;
        }
        if (top.below == 0) return leaf;
        const auto [low, high] = parted(lists, along, top.below);
        const double first = cost(low, depth - 1, limit - 1);
        return first + (first + 1 >= limit ? 1 : cost(high, depth - 1, limit - first));
    }

    static u64 next(u64& state) {  // splitmix64
        u64 z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    const Goal& goal_;
    std::size_t n_;
    std::unique_ptr<Scorer> scorer_;
    std::vector<float> lines_;
    Lists lists_;
    std::vector<u8> side_;
    std::vector<u64> mark_;
};

}  // namespace

Choice look_ahead(const Cloud& cloud, const Goal& goal, std::span<const double> directions,
                  const LookingLimits& limits) {
    return Looking(cloud, goal, directions).choose(limits);
}

}  // namespace hornbeam::oblique
