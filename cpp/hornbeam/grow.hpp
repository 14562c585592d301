// Grow: tally -> choose -> route over the open nodes.
//
//   rows    [ . . . . . . . . . . ]   one slice a node; routing writes a node's rows, branch by branch, into the
//   carry   [ . . . . . . . . . . ]   same slice of the other buffer
//
// Nodes with very many rows are worked on by all threads together; smaller ones are tasks, largest first; those that
// fit a block are grown to the end by one thread. Integer sums make the tree the same whoever does what.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>

#include "block.hpp"
#include "choose.hpp"
#include "route.hpp"

namespace hornbeam {

template <class O>
class Grower {
  public:
    using Carry = typename O::Carry;

    Grower(const Growth& growth, const O& outcome, std::vector<u32> rows, std::vector<Carry> carry, Pool& pool)
        : growth_(growth), outcome_(outcome), pool_(pool), width_(growth.layout.width()) {
        rows_[0] = std::move(rows);
        carry_[0] = std::move(carry);
        for (int i = 0; i < pool.n_threads(); ++i) {
            arenas_.emplace_back(width_);
            blocks_.push_back(nullptr);
            choosers_.push_back(nullptr);
        }
    }

    std::size_t settled() const { return settled_; }
    std::size_t n_nodes() const {
        std::size_t sum = 0;
        for (const Arena& arena : arenas_) sum += arena.count();
        for (const auto& block : blocks_) sum += block ? block->packed_nodes() : 0;
        return sum;
    }
    // Frees everything but the nodes.
    void finish() {
        for (int i = 0; i < 2; ++i) {
            rows_[i] = {};
            carry_[i] = {};
        }
        codes_ = nullptr;
        own_codes_.clear();
        ranks_ = nullptr;
        choosers_.clear();
        partial_.clear();
        for (const auto& block : blocks_)
            if (block) block->finish();
    }

    // The root of the grown tree; nodes live as long as this object.
    Node* run() {
        Job root;
        root.node = arenas_[0].nodes(1);
        root.end = rows_[0].size();
        for (std::size_t i = 0; i < root.end; ++i) outcome_.row_lanes(carry_[0][i], root.node->lanes);
        for (std::size_t j = 0; j < growth_.columns.size(); ++j) root.usable.push_back(static_cast<i32>(j));
        const std::size_t n_functionals = growth_.plan.functionals.size();
        root.bounds.low.assign(n_functionals, -std::numeric_limits<double>::infinity());
        root.bounds.high.assign(n_functionals, std::numeric_limits<double>::infinity());
        Node* node = root.node;
        if (root.end > growth_.plan.block_rows) prepare();
        if (growth_.plan.limits.best_first())
            best_first(std::move(root));
        else
            to_the_end(std::move(root));
        return node;
    }

  private:
    static constexpr std::size_t kHistogramBytes = std::size_t{48} << 20;

    // Rows that are not a slice of the buffers: parts of rows went to several nodes.
    struct OwnRows {
        std::vector<u32> id;
        std::vector<Carry> carry;
    };

    struct Job {
        Node* node = nullptr;
        std::size_t begin = 0, end = 0;
        int buffer = 0, depth = 0;
        std::vector<i32> usable;
        Bounds bounds;
        u64 key = 1;
        std::shared_ptr<Histogram> histogram;
        std::shared_ptr<OwnRows> own;

        std::size_t size() const { return end - begin; }
    };

    void prepare() {
        const auto words = static_cast<std::size_t>(outcome_.words());
        SharedCodes& from = growth_.codes != nullptr ? *growth_.codes : own_codes_;
        codes_ = &from.get(growth_.columns, growth_.n_rows, words * sizeof(u64), pool_);
        shape_ = std::make_unique<HistogramShape>(*codes_, growth_.columns.size(), outcome_.words());
        if (growth_.plan.selection.charges())
            ranks_ = std::make_unique<Ranks>(growth_.columns, *codes_, growth_.n_rows, pool_);
        rows_[1].resize(rows_[0].size());
        carry_[1].resize(carry_[0].size());
        narrow_branch_.resize(rows_[0].size());
        for (const ColumnView& column : growth_.columns)
            if (column.split == SplitKind::multiway && column.n_values > 250) wide_branch_.resize(rows_[0].size());
        partial_.resize(static_cast<std::size_t>(pool_.n_threads()));
    }

    Rows<O> rows(const Job& job) const {
        if (job.own) return {job.own->id.data(), job.own->carry.data(), job.size()};
        return {rows_[job.buffer].data() + job.begin, carry_[job.buffer].data() + job.begin, job.size()};
    }
    Block<O>& block(int worker) {
        auto& mine = blocks_[static_cast<std::size_t>(worker)];
        if (!mine)
            mine = std::make_unique<Block<O>>(
                growth_, outcome_,
                growth_.plan.limits.best_first() ? &arenas_[static_cast<std::size_t>(worker)] : nullptr, pool_);
        return *mine;
    }
    Chooser<O>& chooser(int worker) {
        auto& mine = choosers_[static_cast<std::size_t>(worker)];
        if (!mine) mine = std::make_unique<Chooser<O>>(growth_, outcome_, *codes_, *shape_, ranks_.get());
        return *mine;
    }

    // Depth first as far as it goes.
    void to_the_end(Job root) {
        std::vector<Job> large;
        large.push_back(std::move(root));
        while (!large.empty() && !pool_.stopped()) {
            Job job = std::move(large.back());
            large.pop_back();
            if (job.size() <= growth_.plan.shared_rows) {
                add_task(std::move(job));
                continue;
            }
            Candidate chosen;
            if (!choose(job, 0, true, chosen)) continue;
            for (Job& child : expand(job, chosen, 0, true)) large.push_back(std::move(child));
            pool_.check();
        }
        pool_.drain();
    }
    void add_task(Job job) {
        if (pool_.n_threads() == 1 || job.size() <= growth_.plan.block_rows) return process(std::move(job), 0);
        auto shared = std::make_shared<Job>(std::move(job));
        pool_.add(shared->size(), [this, shared](int worker) { process(std::move(*shared), worker); });
    }
    void process(Job job, int worker) {
        if (pool_.stopped()) return;
        if (job.size() <= growth_.plan.block_rows) return grow_block(job, worker);
        Candidate chosen;
        if (!choose(job, worker, false, chosen)) return;
        for (Job& child : expand(job, chosen, worker, false)) {
            if (child.size() <= growth_.plan.block_rows || pool_.n_threads() == 1) {
                process(std::move(child), worker);
            } else {
                auto shared = std::make_shared<Job>(std::move(child));
                pool_.add(shared->size(), [this, shared](int w) { process(std::move(*shared), w); });
            }
        }
        if (worker == 0) pool_.check();
    }
    void grow_block(Job& job, int worker) {
        const Rows<O> mine = rows(job);
        block(worker).grow(job.node, mine.id, mine.carry, static_cast<u32>(mine.n), job.depth, std::move(job.usable),
                           growth_.plan.constrained() ? &job.bounds : nullptr, job.key);
        settled_ += mine.n;
        if (worker == 0) pool_.check();
    }

    bool choose(Job& job, int worker, bool together, Candidate& chosen) {
        if (growth_.must_be_leaf(job.node->lanes, job.depth)) {
            settled_ += job.size();
            return false;
        }
        const Judge judge(growth_.plan, growth_.layout, job.node->lanes,
                          growth_.plan.constrained() ? &job.bounds : nullptr);
        if (!job.histogram) job.histogram = few_columns() ? new_histogram() : tally_all(rows(job), together);
        const auto before = [&](const std::vector<i32>& columns) {
            if (few_columns()) tally_some(rows(job), columns, together, job.histogram->data());
        };
        ColumnChoice choice;
        choice.start(growth_.plan, job.usable, job.key);
        const auto each = [&](std::size_t n, auto&& body) {
            if (together) return pool_.each(n, [&](std::size_t i, int) { pool_.stopped() ? void() : body(i); });
            for (std::size_t i = 0; i < n && !pool_.stopped(); ++i) body(i);
        };
        const bool found = chooser(worker).choose(judge, rows(job), *job.histogram, choice, before, each, chosen) &&
                           growth_.accepts(chosen, judge);
        if (pool_.stopped()) return false;  // not all columns were looked at: leave the node open
        if (!found) settled_ += job.size();
        return found;
    }

    // Whether so few of the columns are drawn at a node that the others had better not be tallied.
    bool few_columns() const {
        return growth_.plan.max_features > 0 &&
               2 * static_cast<std::size_t>(growth_.plan.max_features) <= growth_.columns.size();
    }
    std::shared_ptr<Histogram> new_histogram() {
        auto out = std::shared_ptr<Histogram>(new Histogram(shape_->size(), 0), [this](Histogram* h) {
            histogram_bytes_ -= h->size() * sizeof(u64);
            delete h;
        });
        histogram_bytes_ += out->size() * sizeof(u64);
        return out;
    }
    // The histograms of some columns.
    void tally_some(const Rows<O>& from, const std::vector<i32>& columns, bool together, u64* out) {
        std::vector<i32> narrow;
        for (i32 j : columns)
            if (!codes_->column(j).wide()) narrow.push_back(j);
        const std::size_t step = together ? 1 : 4;  // columns a tally takes at once
        const auto body = [&](std::size_t i) {
            const std::size_t first = i * step, n = std::min(step, narrow.size() - first);
            tally_columns(outcome_, *codes_, *shape_, from.id, from.carry, from.n, narrow.data() + first, n, out);
        };
        const std::size_t n_steps = (narrow.size() + step - 1) / step;
        if (together) return pool_.each(n_steps, [&](std::size_t i, int) { body(i); });
        for (std::size_t i = 0; i < n_steps; ++i) body(i);
    }
    std::shared_ptr<Histogram> tally_all(const Rows<O>& from, bool together) {
        auto out = new_histogram();
        if (!together) {
            tally_into(from, out->data());
            return out;
        }
        for (auto& partial : partial_) partial.assign(partial.size(), 0);
        constexpr std::size_t kChunk = 1 << 14;
        pool_.each((from.n + kChunk - 1) / kChunk, [&](std::size_t c, int worker) {
            auto& mine = partial_[static_cast<std::size_t>(worker)];
            if (mine.empty()) mine.assign(shape_->size(), 0);
            const std::size_t first = c * kChunk;
            tally_into({from.id + first, from.carry + first, std::min(kChunk, from.n - first)}, mine.data());
        });
        for (const auto& partial : partial_)
            for (std::size_t i = 0; i < partial.size(); ++i) (*out)[i] += partial[i];
        return out;
    }
    void tally_into(const Rows<O>& from, u64* out) const {
        for (std::size_t g = 0; g < codes_->groups().size(); ++g)
            tally(outcome_, codes_->groups()[g], shape_->words(), from.id, from.carry, from.n, shape_->group(out, g));
    }

    // Writes the split, routes the rows, and returns the children that are still open.
    std::vector<Job> expand(Job& job, const Candidate& chosen, int worker, bool together) {
        Node& node = *job.node;
        Arena& arena = arenas_[static_cast<std::size_t>(worker)];
        const i32 n_children = write_split(growth_, node, chosen, arena);
        node.children = arena.nodes(static_cast<std::size_t>(n_children));
        node.n_children = n_children;
        std::vector<std::shared_ptr<OwnRows>> own(static_cast<std::size_t>(n_children));
        const std::vector<std::size_t> start = known_only(growth_.plan.missing)
                                                   ? route_without_gaps(job, chosen, arena, own)
                                                   : route(job, chosen, n_children, together);
        const Judge judge(growth_.plan, growth_.layout, node.lanes, growth_.plan.constrained() ? &job.bounds : nullptr);
        std::vector<const i64*> parts;
        for (i32 b = 0; b < n_children; ++b) parts.push_back(node.children[b].lanes);
        std::vector<Job> open;
        for (i32 b = 0; b < n_children; ++b) {
            Job child;
            child.node = node.children + b;
            child.begin = start[static_cast<std::size_t>(b)];
            child.end = start[static_cast<std::size_t>(b) + 1];
            child.buffer = 1 - job.buffer;
            child.own = own[static_cast<std::size_t>(b)];
            child.depth = job.depth + 1;
            if (child.size() == 0) continue;
            if (growth_.must_be_leaf(child.node->lanes, child.depth)) {
                settled_ += child.size();
                continue;
            }
            child.usable = job.usable;
            if (node.kind == SplitKind::multiway) std::erase(child.usable, node.column);
            if (growth_.plan.constrained())
                child.bounds = judge.child_bounds(parts.data(), node.column, node.ordered(), b);
            child.key = child_key(job.key, b);
            open.push_back(std::move(child));
        }
        if (growth_.plan.missing != MissingRule::fractional && !few_columns())
            subtract_siblings(job, open, start, together);
        return open;
    }

    // The largest open child gets the parent's histograms minus the others', if that reads fewer rows.
    void subtract_siblings(Job& job, std::vector<Job>& open, const std::vector<std::size_t>& start, bool together) {
        if (open.empty()) return;
        auto largest =
            std::max_element(open.begin(), open.end(), [](const Job& a, const Job& b) { return a.size() < b.size(); });
        if (largest->size() <= growth_.plan.block_rows || 2 * largest->size() < job.size()) return;
        std::shared_ptr<Histogram> rest = std::move(job.histogram);
        for (std::size_t b = 0; b + 1 < start.size(); ++b) {
            if (start[b] == largest->begin || start[b] == start[b + 1]) continue;
            const Rows<O> others{rows_[largest->buffer].data() + start[b], carry_[largest->buffer].data() + start[b],
                                 start[b + 1] - start[b]};
            auto tallied = tally_all(others, together && others.n > growth_.plan.shared_rows / 4);
            for (std::size_t i = 0; i < rest->size(); ++i) (*rest)[i] -= (*tallied)[i];
            for (Job& child : open)
                if (child.begin == start[b] && child.size() > growth_.plan.block_rows &&
                    histogram_bytes_ < kHistogramBytes)
                    child.histogram = tallied;
        }
        if (histogram_bytes_ < kHistogramBytes) largest->histogram = std::move(rest);
    }

    // Splits judged by the known rows alone: first those are routed, then the gaps.
    std::vector<std::size_t> route_without_gaps(const Job& job, const Candidate& chosen, Arena& arena,
                                                std::vector<std::shared_ptr<OwnRows>>& own) {
        Node& node = *job.node;
        const Rows<O> from = rows(job);
        std::vector<u32> branch(from.n);
        Router(growth_, *codes_, node, chosen).branches(from.id, 0, from.n, branch.data());
        std::vector<i64> weight(own.size(), 0);
        for (std::size_t i = 0; i < from.n; ++i)
            if (branch[i] != Router::kGap) weight[branch[i]] += outcome_.weight(from.carry[i]);
        if (growth_.plan.missing == MissingRule::fractional) return part_fractions(job, from, branch, weight, own);
        std::vector<Sided> sided;
        if (growth_.plan.missing == MissingRule::surrogates)
            for (std::size_t i = 0; i < from.n; ++i) {
                const i32 side = branch[i] == Router::kGap ? -1 : static_cast<i32>(branch[i]);
                sided.push_back({from.id[i], side, outcome_.weight(from.carry[i])});
            }
        GapRules rules(growth_);
        rules.set(node, weight, sided, arena);
        std::vector<std::size_t> start(own.size() + 1, 0);
        for (std::size_t i = 0; i < from.n; ++i) {
            if (branch[i] == Router::kGap) branch[i] = static_cast<u32>(rules.branch(node, from.id[i]));
            ++start[branch[i] + 1];
            outcome_.row_lanes(from.carry[i], node.children[branch[i]].lanes);
        }
        start[0] = job.begin;
        for (std::size_t b = 0; b < own.size(); ++b) start[b + 1] += start[b];
        std::vector<std::size_t> next = start;
        for (std::size_t i = 0; i < from.n; ++i) {
            const std::size_t place = next[branch[i]]++;
            rows_[1 - job.buffer][place] = from.id[i];
            carry_[1 - job.buffer][place] = from.carry[i];
        }
        return start;
    }
    // A gap goes to every branch with the branch's share of its weight.
    std::vector<std::size_t> part_fractions(const Job& job, const Rows<O>& from, const std::vector<u32>& branch,
                                            const std::vector<i64>& weight,
                                            std::vector<std::shared_ptr<OwnRows>>& own) {
        Node& node = *job.node;
        std::vector<std::size_t> count(own.size() + 1, 0);
        for (u32 b : branch) ++count[b == Router::kGap ? own.size() : b];
        for (std::size_t b = 0; b < own.size(); ++b) {
            own[b] = std::make_shared<OwnRows>();
            own[b]->id.reserve(count[b] + count.back());
            own[b]->carry.reserve(count[b] + count.back());
        }
        const Fractions fractions(weight);
        const auto put = [&](std::size_t b, u32 id, const Carry& carry) {
            own[b]->id.push_back(id);
            own[b]->carry.push_back(carry);
            outcome_.row_lanes(carry, node.children[b].lanes);
        };
        for (std::size_t i = 0; i < from.n; ++i) {
            if (branch[i] != Router::kGap) {
                put(branch[i], from.id[i], from.carry[i]);
                continue;
            }
            fractions.divide(from.carry[i], [&](std::size_t b, const Carry& part) { put(b, from.id[i], part); });
        }
        std::vector<std::size_t> start(own.size() + 1, 0);
        for (std::size_t b = 0; b < own.size(); ++b) start[b + 1] = start[b] + own[b]->id.size();
        return start;
    }

    // Reorders the node's rows by branch; returns where each branch starts. Sets the children's lanes.
    std::vector<std::size_t> route(const Job& job, const Candidate& chosen, i32 n_children, bool together) {
        const bool known = O::exact_bins && n_children == 2 && !chosen.first.empty();
        if (known) {
            std::copy(chosen.first.begin(), chosen.first.end(), job.node->children[0].lanes);
            std::copy(job.node->lanes, job.node->lanes + width_, job.node->children[1].lanes);
            subtract_lanes(job.node->children[1].lanes, job.node->children[0].lanes, width_);
        }
        if (n_children <= 256) return route_by(narrow_branch_, job, chosen, n_children, known, together);
        return route_by(wide_branch_, job, chosen, n_children, known, together);
    }

    template <class Branch>
    std::vector<std::size_t> route_by(std::vector<Branch>& branch, const Job& job, const Candidate& chosen,
                                      i32 n_children, bool lanes_known, bool together) {
        const std::size_t chunk = together ? std::size_t{1} << 14 : job.size();
        const std::size_t n_chunks = (job.size() + chunk - 1) / chunk;
        const auto k = static_cast<std::size_t>(n_children), width = static_cast<std::size_t>(width_);
        std::vector<std::size_t> count(n_chunks * k, 0);
        std::vector<std::vector<i64>> sums(n_chunks);
        const Router router(growth_, *codes_, *job.node, chosen);
        const auto each = [&](auto&& body) {
            if (together) return pool_.each(n_chunks, [&](std::size_t c, int) { body(c); });
            for (std::size_t c = 0; c < n_chunks; ++c) body(c);
        };
        const u32* id = rows_[job.buffer].data();
        const Carry* carry = carry_[job.buffer].data();
        each([&](std::size_t c) {
            const std::size_t first = job.begin + c * chunk, last = std::min(job.end, first + chunk);
            router.branches(id, first, last, branch.data());
            std::size_t* mine = count.data() + c * k;
            if (k == 2) {
                for (std::size_t i = first; i < last; ++i) mine[1] += branch[i];
                mine[0] = last - first - mine[1];
            } else {
                for (std::size_t i = first; i < last; ++i) ++mine[branch[i]];
            }
            if (lanes_known) return;
            sums[c].assign(k * width, 0);
            for (std::size_t i = first; i < last; ++i) outcome_.row_lanes(carry[i], sums[c].data() + branch[i] * width);
        });
        std::vector<std::size_t> start(k + 1, 0);
        std::size_t at = job.begin;
        for (std::size_t b = 0; b < k; ++b) {
            start[b] = at;
            for (std::size_t c = 0; c < n_chunks; ++c) {
                at += std::exchange(count[c * k + b], at);
                if (!lanes_known) add_lanes(job.node->children[b].lanes, sums[c].data() + b * width, width_);
            }
        }
        start[k] = at;
        u32* id_out = rows_[1 - job.buffer].data();
        Carry* carry_out = carry_[1 - job.buffer].data();
        each([&](std::size_t c) {
            std::size_t* next = count.data() + c * k;
            const std::size_t first = job.begin + c * chunk, last = std::min(job.end, first + chunk);
            if (k == 2) {
                std::size_t to[2] = {next[0], next[1]};  // in registers
                for (std::size_t i = first; i < last; ++i) {
                    const std::size_t b = branch[i], place = b ? to[1] : to[0];
                    id_out[place] = id[i];
                    carry_out[place] = carry[i];
                    to[0] += 1 - b;
                    to[1] += b;
                }
                return;
            }
            for (std::size_t i = first; i < last; ++i) {
                const std::size_t place = next[branch[i]]++;
                id_out[place] = id[i];
                carry_out[place] = carry[i];
            }
        });
        return start;
    }

    // --- Best first: the open node with the largest (w/W) * decrease is split next; ties go to the leftmost. ---

    struct Front {
        double priority;
        std::vector<i32> path;  // branches from the root: lexicographic order is left to right
        Node* node;
        std::shared_ptr<Job> job;  // null: its subtree is grown already
        Candidate chosen;
        bool operator<(const Front& other) const {
            return priority != other.priority ? priority > other.priority : path < other.path;
        }
    };

    void best_first(Job root) {
        const Limits& limits = growth_.plan.limits;
        const double tie = 1e-12 * growth_.plan.criterion->potential(root.node->lanes, growth_.layout.n_classes) /
                           growth_.total_weight * growth_.impurity_unit();
        i64 leaves = 1, nodes = 1;
        std::set<Front> front;
        meet(front, std::move(root), {});
        while (!front.empty() && !pool_.stopped()) {
            auto next = front.begin();
            for (auto it = front.begin(); it != front.end() && it->priority >= front.begin()->priority - tie; ++it)
                if (it->path < next->path) next = it;
            Front open = std::move(front.extract(next).value());
            Node& node = *open.node;
            std::vector<Job> children;
            if (open.job) children = expand(*open.job, open.chosen, 0, open.job->size() > growth_.plan.shared_rows);
            const i64 added = node.n_children + std::max<i64>(0, node.absent_values - 1);
            if (leaves + added - 1 > limits.max_leaves || nodes + added > limits.max_nodes) {
                node.hidden = true;
                continue;
            }
            leaves += added - 1;
            nodes += added;
            for (Job& child : children) {
                auto path = open.path;
                path.push_back(static_cast<i32>(child.node - node.children));
                meet(front, std::move(child), std::move(path));
            }
            if (!open.job) reveal(front, node, open.path);
        }
        for (const Front& open : front) open.node->hidden = true;
    }
    void meet(std::set<Front>& front, Job job, std::vector<i32> path) {
        Node& node = *job.node;
        if (job.size() <= growth_.plan.block_rows) {
            grow_block(job, 0);
            if (node.n_children > 0) front.insert({priority(node, node.decrease), std::move(path), &node, nullptr, {}});
            return;
        }
        Candidate chosen;
        if (!choose(job, 0, job.size() > growth_.plan.shared_rows, chosen)) return;
        const double first = priority(node, chosen.decrease * growth_.impurity_unit());
        front.insert({first, std::move(path), &node, std::make_shared<Job>(std::move(job)), std::move(chosen)});
    }
    void reveal(std::set<Front>& front, Node& node, const std::vector<i32>& path) {
        for (i32 b = 0; b < node.n_children; ++b) {
            Node& child = node.children[b];
            if (child.n_children == 0) continue;
            auto below = path;
            below.push_back(b);
            front.insert({priority(child, child.decrease), std::move(below), &child, nullptr, {}});
        }
    }
    double priority(const Node& node, double decrease) const {
        return static_cast<double>(growth_.layout.weight(node.lanes)) / growth_.total_weight * decrease;
    }

    const Growth& growth_;
    const O outcome_;
    Pool& pool_;
    int width_;
    std::vector<u32> rows_[2];
    std::vector<Carry> carry_[2];
    std::vector<u8> narrow_branch_;  // the branch of each row while a node is routed; slices of nodes are apart
    std::vector<u32> wide_branch_;
    std::vector<Histogram> partial_;
    SharedCodes own_codes_;
    const Codes* codes_ = nullptr;
    std::unique_ptr<Ranks> ranks_;
    std::unique_ptr<HistogramShape> shape_;
    std::deque<Arena> arenas_;
    std::vector<std::unique_ptr<Block<O>>> blocks_;
    std::vector<std::unique_ptr<Chooser<O>>> choosers_;
    std::atomic<std::size_t> histogram_bytes_{0}, settled_{0};
};

}  // namespace hornbeam
