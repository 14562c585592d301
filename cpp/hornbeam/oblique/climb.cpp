#include "hornbeam/oblique/climb.hpp"

#include <algorithm>
#include <numeric>

#include "hornbeam/threads/pool.hpp"

namespace hornbeam::oblique {
namespace {

constexpr int kMostSweeps = 64;
constexpr double kFewCells = 1 << 15;  // rows times directions below which one thread is enough

// One climb after the other on one thread.
class Climber {
  public:
    Climber(const Points& points, const Goal& goal)
        : points_(points), scorer_(scorer_of(goal)), here_(points.n), there_(points.n), rows_(points.n) {
        std::iota(rows_.begin(), rows_.end(), 0U);
    }

    double score(const double* direction) {
        points_.project(direction, here_.data());
        return scorer_->best(here_.data(), rows_).score;
    }

    // Improves a direction in place; its score.
    double climb(double* direction, const u8* free, const Steps& steps, const Pool& pool) {
        double best = score(direction), step = steps.first;
        if (best == -std::numeric_limits<double>::infinity()) return best;
        for (int sweep = 0; sweep < kMostSweeps && step >= steps.last && best < steps.bound; ++sweep) {
            if (pool.stopped()) break;
            if (!this->sweep(direction, free, step, steps, best)) step /= 2;
            rescale(direction);
        }
        return best;
    }

  private:
    // Every weight once; whether one was changed.
    bool sweep(double* direction, const u8* free, double step, const Steps& steps, double& best) {
        bool changed = false;
        points_.project(direction, here_.data());
        for (std::size_t k = 0; k < points_.width && best < steps.bound; ++k) {
            if (!free[k]) continue;
            if (direction[k] == 0 && columns(direction) >= steps.most_columns) continue;
            for (double by : {step, -step}) {
                if (!try_step(direction, k, by, steps.margin, best)) continue;
                changed = true;
                break;
            }
        }
        return changed;
    }
    // Changes one weight if that scores more.
    bool try_step(double* direction, std::size_t k, double by, double margin, double& best) {
        const double before = direction[k];
        direction[k] += by;
        if (direction[k] == 0) {  // a column that leaves takes its gaps with it
            points_.project(direction, there_.data());
        } else {
            const float* z = points_.column(k);
            const float change = static_cast<float>(by);
            for (std::size_t i = 0; i < points_.n; ++i) there_[i] = here_[i] + change * z[i];
        }
        const double score_there = scorer_->best(there_.data(), rows_).score;
        if (!(score_there > best + margin)) {
            direction[k] = before;
            return false;
        }
        best = score_there;
        points_.project(direction, here_.data());  // anew: rounding must not pile up
        return true;
    }
    std::size_t columns(const double* direction) const {
        return points_.width - static_cast<std::size_t>(std::count(direction, direction + points_.width, 0.0));
    }
    // Makes the largest weight at most 1 and more than 1/2; powers of two lose no bit.
    void rescale(double* direction) const {
        double largest = 0;
        for (std::size_t k = 0; k < points_.width; ++k) largest = std::max(largest, std::fabs(direction[k]));
        if (!(largest > 0)) return;
        int exponent;
        std::frexp(std::nextafter(largest, 0.0), &exponent);
        for (std::size_t k = 0; k < points_.width; ++k) direction[k] = std::ldexp(direction[k], -exponent);
    }

    const Points& points_;
    std::unique_ptr<Scorer> scorer_;
    std::vector<float> here_, there_;
    std::vector<u32> rows_;
};

// Calls body(climber, i) for each of m directions; every thread has a climber of its own.
template <class Body>
void each(const Points& points, const Goal& goal, std::size_t m, double work, int n_threads,
          const std::function<bool()>& poll, Body&& body) {
    const bool alone = work < kFewCells || m < 2;
    Pool pool(alone ? 1 : static_cast<int>(std::min<std::size_t>(m, static_cast<std::size_t>(n_threads))), poll);
    std::vector<std::unique_ptr<Climber>> climbers(static_cast<std::size_t>(pool.n_threads()));
    pool.each(m, [&](std::size_t i, int worker) {
        auto& own = climbers[static_cast<std::size_t>(worker)];
        if (!own) own = std::make_unique<Climber>(points, goal);
        body(*own, i, pool);
    });
}

}  // namespace

void Points::project(const double* direction, float* out) const {
    std::fill(out, out + n, 0.0F);
    for (std::size_t k = 0; k < width; ++k) {
        if (direction[k] == 0) continue;
        const auto weight = static_cast<float>(direction[k]);
        const float* values = column(k);
        for (std::size_t i = 0; i < n; ++i) out[i] += weight * values[i];
    }
}

std::vector<double> scores(const Points& points, const Goal& goal, std::span<const double> directions, int n_threads) {
    const std::size_t m = directions.size() / points.width;
    std::vector<double> out(m);
    each(points, goal, m, static_cast<double>(m * points.n), n_threads, {},
         [&](Climber& climber, std::size_t i, const Pool&) { out[i] = climber.score(&directions[i * points.width]); });
    return out;
}

ClimbResult climb(const Points& points, const Goal& goal, std::span<const double> starts, std::span<const u8> free,
                  const Steps& steps, int n_threads, const std::function<bool()>& poll) {
    const std::size_t m = starts.size() / points.width;
    ClimbResult out{std::vector<double>(m), {starts.begin(), starts.end()}};
    each(points, goal, m, static_cast<double>(16 * m * points.n), n_threads, poll,
         [&](Climber& climber, std::size_t i, const Pool& pool) {
             out.score[i] = climber.climb(&out.direction[i * points.width], &free[i * points.width], steps, pool);
         });
    return out;
}

}  // namespace hornbeam::oblique
