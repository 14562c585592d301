#include "hornbeam/density/density.hpp"

#include <array>
#include <deque>
#include <set>

#include "hornbeam/density/density_node.hpp"

namespace hornbeam {
namespace {

// A node whose rows are still to be looked at.
struct Job {
    DensityNode* node = nullptr;
    std::size_t begin = 0, end = 0;
    int depth = 0;
    std::size_t sorted_column = 0;  // the column whose slice is in order even if the node is a leaf
    DensityBox box;

    std::size_t size() const { return end - begin; }
};

class DensityGrower {
  public:
    DensityGrower(const std::vector<DensityColumn>& columns, const DensityPlan& plan, SortedRows& rows, Pool& pool)
        : columns_(columns),
          plan_(plan),
          rows_(rows),
          pool_(pool),
          search_(columns, rows, plan.limits.min_rows_leaf),
          nodes_(static_cast<std::size_t>(pool.n_threads())) {}

    std::size_t rows_done() const { return rows_done_.load(std::memory_order_relaxed); }

    const DensityNode* run() {
        Job job{&root_, 0, rows_.size(), 0, 0, {}};
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            root_.weight += rows_.weight_of(static_cast<u32>(rows_.slice(0)[i]));
            root_.rows += rows_.rows_of_entry(rows_.slice(0)[i]);
        }
        for (const DensityColumn& column : columns_) {
            job.box.low.push_back(column.low);
            job.box.high.push_back(column.high);
            auto& values = job.box.allowed.emplace_back();
            if (column.view.kind != ColumnKind::nominal) continue;
            auto all = std::make_shared<std::vector<i32>>(static_cast<std::size_t>(column.view.n_values));
            for (std::size_t v = 0; v < all->size(); ++v) (*all)[v] = static_cast<i32>(v);
            values = std::move(all);
        }
        if (plan_.limits.best_first())
            best_first(std::move(job));
        else
            grow_depth_first(std::move(job));
        return &root_;
    }

  private:
    // --- one node -----------------------------------------------------------------------------------------------

    bool must_be_leaf(const DensityNode& node, int depth) const {
        const Limits& limits = plan_.limits;
        return depth >= limits.max_depth || node.rows < limits.min_rows_split || node.rows < 2 * limits.min_rows_leaf;
    }
    // |R(t)| in the user's units; what overflows is as large as can be.
    double loss(const DensityNode& node, double log_volume) const {
        const double share = static_cast<double>(node.weight) / static_cast<double>(root_.weight);
        return std::min(std::exp(2 * std::log(share) - node.log_share - log_volume),
                        std::numeric_limits<double>::max() / 4);
    }
    bool accepts(const DensityNode& node, double rise) const {
        if (std::isinf(plan_.limits.min_gain)) return true;
        return loss(node, plan_.log_volume) * (rise - density_margin(rise)) > plan_.limits.min_gain;
    }
    template <class Body>
    void each_column(bool all_threads, int worker, Body&& body) {
        if (all_threads)
            pool_.each(columns_.size(), body);
        else
            for (std::size_t c = 0; c < columns_.size(); ++c) body(c, worker);
    }

    // The cut that wins: the first of those tied with the best.
    DensityCut choose(const Job& job, bool all_threads, int worker) {
        if (must_be_leaf(*job.node, job.depth)) return {};
        const DensityNode& node = *job.node;
        std::vector<double> rise(columns_.size());
        each_column(all_threads, worker, [&](std::size_t c, int) {
            rise[c] = search_.best(c, job.box, job.begin, job.end, node.weight, node.rows);
        });
        const double best = *std::max_element(rise.begin(), rise.end());
        if (best < 0) return {};
        const double least = std::max(0.0, best - density_margin(best));
        std::size_t c = 0;
        while (rise[c] < least) ++c;
        DensityCut cut = search_.first(c, job.box, job.begin, job.end, node.weight, node.rows, least);
        return accepts(node, cut.rise) ? std::move(cut) : DensityCut{};
    }

    // Cuts the box and parts the rows. Children that will be leaves need only one column in order.
    std::array<Job, 2> expand(Job& job, DensityCut&& chosen, bool all_threads, int worker) {
        DensityNode& node = *job.node;
        node.children = nodes_[static_cast<std::size_t>(worker)].emplace_back().data();
        node.cut = std::move(chosen);
        const DensityCut& cut = node.cut;
        const auto c = static_cast<std::size_t>(cut.column);
        DensityNode &first = node.children[0], &second = node.children[1];
        first.weight = cut.weight;
        first.rows = cut.rows;
        second.weight = node.weight - cut.weight;
        second.rows = node.rows - cut.rows;
        std::array<Job, 2> out{Job{&first, job.begin, 0, job.depth + 1, c, job.box},
                               Job{&second, 0, job.end, job.depth + 1, c, std::move(job.box)}};
        std::size_t below = cut.entries;
        if (columns_[c].view.kind == ColumnKind::nominal)
            below = part_values(node, out, job, worker);
        else
            part_order(node, out, job);
        out[0].end = out[1].begin = job.begin + below;
        if (!must_be_leaf(first, job.depth + 1) || !must_be_leaf(second, job.depth + 1))
            each_column(all_threads, worker, [&](std::size_t other, int helper) {
                if (other != c) rows_.part(other, job.begin, job.end, helper);
            });
        return out;
    }
    void part_order(DensityNode& node, std::array<Job, 2>& out, const Job& job) {
        const auto c = static_cast<std::size_t>(node.cut.column);
        const double below = node.cut.threshold - out[0].box.low[c], above = out[1].box.high[c] - node.cut.threshold;
        const double whole = out[1].box.high[c] - out[0].box.low[c];
        out[0].box.high[c] = out[1].box.low[c] = node.cut.threshold;
        node.children[0].log_share = node.log_share + std::log(below / whole);
        node.children[1].log_share = node.log_share + std::log(above / whole);
        const u64* slice = rows_.slice(c);
        for (std::size_t i = job.begin; i < job.end; ++i) rows_.send(slice[i], i - job.begin >= node.cut.entries);
    }
    // Every value left in the box goes to a branch: the absent ones to that of the rare values.
    std::size_t part_values(DensityNode& node, std::array<Job, 2>& out, const Job& job, int worker) {
        const auto c = static_cast<std::size_t>(node.cut.column);
        const auto allowed = out[0].box.allowed[c];
        const u64* slice = rows_.slice(c);
        std::shared_ptr<std::vector<i32>> parts[2] = {std::make_shared<std::vector<i32>>(),
                                                      std::make_shared<std::vector<i32>>()};
        std::size_t i = job.begin, below = 0;
        for (i32 code : *allowed) {
            const bool present = i < job.end && static_cast<i32>(rows_.value(c, slice[i])) == code;
            const bool in_set = std::binary_search(node.cut.set.begin(), node.cut.set.end(), code);
            const u8 branch = present ? (in_set ? 0 : 1) : (node.cut.rare_first ? 0 : 1);
            node.map.emplace_back(code, branch);
            parts[branch]->push_back(code);
            for (; i < job.end && static_cast<i32>(rows_.value(c, slice[i])) == code; ++i) {
                rows_.send(slice[i], branch);
                below += branch == 0;
            }
        }
        rows_.part(c, job.begin, job.end, worker);
        for (std::size_t b = 0; b < 2; ++b) {
            const double share = static_cast<double>(parts[b]->size()) / static_cast<double>(allowed->size());
            node.children[b].log_share = node.log_share + std::log(share);
            out[b].box.high[c] = out[b].box.low[c] + static_cast<double>(parts[b]->size());
            out[b].box.allowed[c] = std::move(parts[b]);
        }
        return below;
    }
    void make_leaf(const Job& job) {
        job.node->fine = rows_.fine_sum(job.sorted_column, job.begin, job.end);
        rows_done_ += job.size();
    }

    // --- all nodes ----------------------------------------------------------------------------------------------

    // Large nodes one by one, with all threads on each; the others as tasks.
    void grow_depth_first(Job root) {
        std::vector<Job> large;
        large.push_back(std::move(root));
        while (!large.empty()) {
            Job job = std::move(large.back());
            large.pop_back();
            if (job.size() <= plan_.shared_rows) {
                auto task = std::make_shared<Job>(std::move(job));
                pool_.add(task->size(), [this, task](int worker) { finish(std::move(*task), worker); });
                continue;
            }
            for (Job& child : step(job, true, 0)) large.push_back(std::move(child));
            pool_.check();
        }
        pool_.drain();
    }
    void finish(Job job, int worker) {
        std::vector<Job> open;
        open.push_back(std::move(job));
        while (!open.empty()) {
            Job next = std::move(open.back());
            open.pop_back();
            for (Job& child : step(next, false, worker)) open.push_back(std::move(child));
            if (worker == 0) pool_.check();
        }
    }
    // Whether a node is not cut any more. A leaf that is whole as it is leaves no work undone.
    bool is_over(const Job& job) const { return must_be_leaf(*job.node, job.depth) || pool_.stopped(); }
    std::vector<Job> step(Job& job, bool all_threads, int worker) {
        std::vector<Job> out;
        DensityCut cut = is_over(job) ? DensityCut{} : choose(job, all_threads, worker);
        if (!cut.is_valid()) {
            make_leaf(job);
            return out;
        }
        for (Job& child : expand(job, std::move(cut), all_threads, worker)) out.push_back(std::move(child));
        return out;
    }

    // Best first: the open node whose cut lowers the loss most is cut next; ties go to the leftmost.
    struct QueueEntry {
        double priority;
        std::vector<u8> path;
        std::shared_ptr<Job> job;
        DensityCut cut;
        bool operator<(const QueueEntry& other) const {
            return priority != other.priority ? priority > other.priority : path < other.path;
        }
    };
    void best_first(Job root) {
        std::set<QueueEntry> queue;
        add_open(queue, std::move(root), {});
        for (i64 leaves = 1; !queue.empty(); ++leaves) {
            pool_.check();
            if (leaves >= plan_.limits.max_leaves || pool_.stopped()) break;
            auto next = queue.begin();
            const double least = next->priority - 1e-12 * std::max(1.0, next->priority);
            for (auto it = queue.begin(); it != queue.end() && it->priority >= least; ++it)
                if (it->path < next->path) next = it;
            QueueEntry open = std::move(queue.extract(next).value());
            const bool all_threads = open.job->size() > plan_.shared_rows;
            auto children = expand(*open.job, std::move(open.cut), all_threads, 0);
            for (u8 b = 0; b < 2; ++b) {
                auto path = open.path;
                path.push_back(b);
                add_open(queue, std::move(children[b]), std::move(path));
            }
        }
        for (const QueueEntry& open : queue) make_leaf(*open.job);
    }
    void add_open(std::set<QueueEntry>& queue, Job job, std::vector<u8> path) {
        DensityCut cut = is_over(job) ? DensityCut{} : choose(job, job.size() > plan_.shared_rows, 0);
        if (!cut.is_valid()) return make_leaf(job);
        const double priority = loss(*job.node, 0) * cut.rise;
        queue.insert({std::min(priority, std::numeric_limits<double>::max()), std::move(path),
                      std::make_shared<Job>(std::move(job)), std::move(cut)});
    }

    const std::vector<DensityColumn>& columns_;
    const DensityPlan& plan_;
    SortedRows& rows_;
    Pool& pool_;
    DensitySearch search_;
    DensityNode root_;
    std::vector<std::deque<std::array<DensityNode, 2>>> nodes_;  // one for each thread
    std::atomic<std::size_t> rows_done_{0};
};

}  // namespace

DensityArrays grow_density(const std::vector<DensityColumn>& columns, const DensityRows& table_rows,
                           const DensityPlan& plan, const std::function<bool(double)>& progress) {
    const int threads = table_rows.n * columns.size() < plan.serial_cells ? 1 : plan.n_threads;
    std::function<double()> rows_done;
    Pool pool(threads, [&] { return progress && progress(rows_done ? rows_done() : 0.0); });
    SortedRows rows(columns, table_rows, pool);
    DensityGrower grower(columns, plan, rows, pool);
    rows_done = [&] { return static_cast<double>(grower.rows_done()) / static_cast<double>(rows.size()); };
    pool.check();
    const DensityNode* root = grower.run();
    rows_done = nullptr;
    DensityArrays out = flatten(root, columns, rows);
    out.interrupted = pool.left_work();
    return out;
}

}  // namespace hornbeam
