#include "hornbeam/forest/forest.hpp"

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/grow/presorted.hpp"

namespace hornbeam {
namespace {

// The target as one tree sees it: with the repetitions that were drawn for it.
class Drawn {
  public:
    Drawn(const TargetView& target, const Bootstrap* draws, u64 seed) : view_(target) {
        if (draws == nullptr) return;
        counts_ = draws->counts(seed);
        view_.counts = counts_;
    }
    Drawn(const Drawn&) = delete;
    Drawn& operator=(const Drawn&) = delete;
    const TargetView& view() const { return view_; }

  private:
    TargetView view_;
    std::vector<i64> counts_;
};

}  // namespace

std::vector<TreeArrays> learn_forest(const std::vector<ColumnView>& columns, std::size_t n_rows,
                                     const TargetView& target, const Plan& plan, std::span<const u64> seeds,
                                     const Bootstrap* draws, const std::function<bool(double)>& progress) {
    std::vector<TreeArrays> trees(seeds.size());
    SharedCodes codes;
    const bool one_each = seeds.size() >= static_cast<std::size_t>(plan.n_threads);
    std::atomic<std::size_t> done{0};
    double begun = 0;  // share of the owner's tree
    Pool pool(one_each ? plan.n_threads : 1, [&] {
        const double share = (static_cast<double>(done.load()) + begun) / static_cast<double>(seeds.size());
        return progress && progress(std::min(share, 1.0));
    });
    std::unique_ptr<PresortedColumns> presorted;
    if (one_each && !plan.random_cuts && PresortedColumns::worthwhile(columns.size(), n_rows, seeds.size()))
        presorted = std::make_unique<PresortedColumns>(columns, n_rows, pool);
    pool.check();  // before any thread begins: whether a small forest is stopped must not depend on who is first
    pool.each(seeds.size(), [&](std::size_t i, int worker) {
        if (pool.stopped() && i > 0) return;  // the first tree is begun always, so that there is one to answer with
        Plan own = plan;
        own.seed = seeds[i];
        if (one_each) own.n_threads = 1;
        const Drawn drawn(target, draws, seeds[i]);
        trees[i] = learn(
            columns, n_rows, drawn.view(), std::move(own),
            [&](double share) {
                if (worker == 0) {
                    begun = share;
                    pool.check();
                }
                return pool.stopped();
            },
            &codes, presorted.get());
        if (worker == 0) begun = 0;
        ++done;
    });
    return trees;
}

}  // namespace hornbeam
