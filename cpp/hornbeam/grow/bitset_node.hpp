// Bitset nodes: nodes of a few rows of a real target, grown to the end without parting a list.
//
//   rows     a b c d e     in the order of y; a node is a set of them, bits of a word
//   column   d a e b c     the block's list; a node reads it and skips the rows that are elsewhere
//
// Most nodes of a fully grown tree are of this kind. Whatever the columns, no partition of a node gains more than the
// best of those that cut the order of y (Fisher 1958, On grouping for maximum homogeneity). So the first column that
// parts the rows like that ends the search: those after it are tied with it at best, and lose (K4).
#pragma once

#include <array>
#include <bit>

#include "hornbeam/grow/margins.hpp"
#include "hornbeam/grow/regrid.hpp"
#include "hornbeam/stats/outcome.hpp"

namespace hornbeam {

// A node whose rows deserve a grid of their own, and their places in the block.
struct CoarsePart {
    Node* node;
    int depth;
    u64 key;
    std::vector<u32> places;
};

// Outcomes whose small nodes are searched like all others.
template <class O>
class BitsetNode {
  public:
    static constexpr u32 kMost = 0;

    BitsetNode(const Growth&, const O&, Arena&, Neighbours&) {}
    void load(const u32*, const std::vector<typename O::Carry>&) {}
    template <class List>
    void grow(Node*, u32, int, u64, const std::vector<i32>&, List&&, std::vector<CoarsePart>&) {}
};

template <class O>
class MeanBitsetNode {
  public:
    static constexpr u32 kMost = 8;  // rows

    MeanBitsetNode(const Growth& growth, const O&, Arena& arena, Neighbours& neighbours)
        : growth_(growth), arena_(arena), neighbours_(neighbours) {
        const i64 least = growth.plan.limits.min_rows_leaf;
        least_rows_ = static_cast<u32>(std::clamp<i64>(least, 1, 1 << 20));
    }
    // The rows of a block; entries of its lists have their places in the low 16 bits, their ranks in the high ones.
    void load(const u32* rows, const std::vector<typename O::Carry>& carry) {
        table_rows_ = rows;
        carry_ = carry.data();
        place_.resize(carry.size());
    }

    // Grows the subtree of `root`, no leaf yet, which has `n` rows; `list(column)` is where its entries start. Nodes
    // that deserve another grid go to `coarse`.
    template <class List>
    void grow(Node* root, u32 n, int depth, u64 key, const std::vector<i32>& columns, List&& list,
              std::vector<CoarsePart>& coarse) {
        if (columns.empty()) return;
        take_rows(list(columns[0]), n);
        stack_[0] = {root, (Set{1} << n) - 1, depth, key};
        for (std::size_t size = 1; size > 0;) {
            const Part part = stack_[--size];
            Set left;
            if (!split(part, columns, list, left)) continue;
            for (i32 b = 0; b < 2; ++b) {
                Node* child = part.node->children + b;
                const Part next{child, b == 0 ? left : part.set & ~left, part.depth + 1, child_key(part.key, b)};
                const NodeState state = state_of(growth_, *child, next.depth);
                if (state == NodeState::open) stack_[size++] = next;
                if (state == NodeState::coarse) coarse.push_back({child, next.depth, next.key, places(next.set)});
            }
        }
    }

  private:
    using Set = u32;

    struct Row {
        i64 y;  // less that of the first row, times `times`
        u32 times, id;
    };
    struct Part {
        Node* node;
        Set set;
        int depth;
        u64 key;
    };
    struct Cut {
        double value;  // W * decrease, up to rounding
        Set left;
    };
    struct Top {
        i32 column;
        double value;
    };

    std::vector<u32> places(Set set) const {
        std::vector<u32> out;
        for (; set != 0; set &= set - 1) out.push_back(rows_[std::countr_zero(set)].id);
        return out;
    }
    void take_rows(const u32* entries, u32 n) {
        size_ = n;
        const i64 first = carry_[entries[0] & 0xffff].y;
        for (u32 i = 0; i < n; ++i) {
            const u32 id = entries[i] & 0xffff;
            const i64 times = O::rows(carry_[id]), y = carry_[id].y - first;
            u32 at = i;
            for (; at > 0 && carry_[rows_[at - 1].id].y - first > y; --at) rows_[at] = rows_[at - 1];
            rows_[at] = {y * times, static_cast<u32>(times), id};
        }
        for (u32 i = 0; i < n; ++i) place_[rows_[i].id] = static_cast<u8>(i);
    }

    template <class List>
    bool split(const Part& part, const std::vector<i32>& columns, List&& list, Set& left) {
        const Judge judge = judge_node(growth_, *part.node, nullptr);
        measure(part.set);
        Candidate chosen;
        if (growth_.plan.max_features == 0) {
            if (!search(judge, part.set, columns, list, chosen, left)) return false;
        } else {
            choice_.start(growth_.plan, columns, part.key);
            while (true) {
                const std::vector<i32>& drawn = choice_.more();
                if (drawn.empty()) return false;
                if (search(judge, part.set, drawn, list, chosen, left)) break;
            }
        }
        if (!growth_.accepts(chosen, judge)) return false;
        read(list(chosen.column), part.set);
        const auto cut = static_cast<std::size_t>(std::popcount(left));
        Node& node = *part.node;
        write_split(growth_, node, chosen, arena_);
        neighbours_.request(&node, table_rows_[entry_[cut - 1] & 0xffff], table_rows_[entry_[cut] & 0xffff]);
        arena_.add_children(node, 2);
        const int few = 2 * std::popcount(left) <= std::popcount(part.set) ? 0 : 1;
        {
            LaneSum<O> sum({}, node.children[few].lanes);
            for (Set rest = few == 0 ? left : part.set & ~left; rest != 0; rest &= rest - 1)
                sum.add(carry_[rows_[std::countr_zero(rest)].id]);
        }
        std::copy_n(node.lanes, kWidth, node.children[1 - few].lanes);
        subtract_lanes(node.children[1 - few].lanes, node.children[few].lanes, kWidth);
        return true;
    }

    // The sums of a node, and the partition nothing can beat: `aim_`, 0 if another comes near it.
    void measure(Set set) {
        i64 all = 0;
        u32 rows = 0;
        for (Set rest = set; rest != 0; rest &= rest - 1) {
            const Row& row = rows_[std::countr_zero(rest)];
            all += row.y;
            rows += row.times;
        }
        n_ = rows;
        weight_ = static_cast<double>(rows);
        sum_ = static_cast<double>(all);
        constexpr double kNear = 1e-6;  // far more than rounding and K4's margin
        double best = -1, second = -1, reach = 0, gap = 0;
        i64 sum = 0;
        Set left = 0;
        rows = 0;
        for (Set rest = set; (rest & (rest - 1)) != 0; rest &= rest - 1) {
            const int at = std::countr_zero(rest);
            left |= Set{1} << at;
            sum += rows_[at].y;
            rows += rows_[at].times;
            const double value = value_at(sum, rows);
            if (value > best) {
                const Row &row = rows_[at], &next = rows_[std::countr_zero(rest & (rest - 1))];
                second = best;
                best = value;
                aim_ = left;
                gap = static_cast<double>(next.y) / next.times - static_cast<double>(row.y) / row.times;
                reach = std::fabs(excess(sum, rows));
            } else {
                second = std::max(second, value);
            }
        }
        if (second >= best * (1 - kNear) || gap * weight_ <= kNear * reach) aim_ = 0;
    }
    double excess(i64 sum, u32 rows) const { return static_cast<double>(sum) * weight_ - rows * sum_; }
    double value_at(i64 sum, u32 rows) const {
        const double e = excess(sum, rows), l = rows;
        return e * e / (weight_ * l * (weight_ - l));
    }

    // The rows of a node in the order of a list.
    u32 read(const u32* entries, Set set) {
        u32 n = 0;
        for (u32 i = 0; i < size_; ++i) {
            const u32 place = place_[entries[i] & 0xffff];
            at_[n] = place;
            entry_[n] = entries[i];
            n += set >> place & 1;
        }
        return n;
    }
    // Calls body(value, left, sum, rows) for every cut of a list that leaves enough rows on both sides.
    template <class Body>
    void walk(const u32* entries, Set set, Body&& body) {
        const u32 n = read(entries, set);
        i64 sum = 0;
        u32 rows = 0;
        Set left = 0;
        for (u32 i = 0; i + 1 < n; ++i) {
            left |= Set{1} << at_[i];
            sum += rows_[at_[i]].y;
            rows += rows_[at_[i]].times;
            const double value = value_at(sum, rows);
            if ((entry_[i] ^ entry_[i + 1]) > 0xffff && rows >= least_rows_ && n_ - rows >= least_rows_)
                body(value, left);
        }
    }

    // The winner among the drawn columns; false if none can part the node.
    template <class List>
    bool search(const Judge& judge, Set set, const std::vector<i32>& drawn, List&& list, Candidate& chosen, Set& left) {
        tops_.clear();
        double best = -std::numeric_limits<double>::infinity();
        for (i32 column : drawn) {
            Cut top{-std::numeric_limits<double>::infinity(), 0};
            walk(list(column), set, [&](double value, Set cut) {
                if (value > top.value) top = {value, cut};
            });
            if (top.left == 0) continue;
            tops_.push_back({column, top.value});
            best = std::max(best, top.value);
            if (aim_ != 0 && (top.left == aim_ || top.left == (set ^ aim_))) break;
        }
        if (tops_.empty()) return false;
        const double scale = sum_ * sum_ / weight_ + judge.potential();
        const double least = best - 2e-12 * scale - 2e-11 * best;
        double before = -std::numeric_limits<double>::infinity();
        near_.clear();
        for (const Top& top : tops_) {
            if (top.value < least || top.value <= before) continue;  // no better than one before: never wins
            before = top.value;
            walk(list(top.column), set, [&](double value, Set cut) {
                if (value >= least) offer(judge, top.column, cut);
            });
        }
        return win(judge, chosen, left);
    }
    // Judges a cut exactly. One that parted the rows before has the same score, and comes first.
    void offer(const Judge& judge, i32 column, Set left) {
        for (const Near& other : near_)
            if (other.left == left) return;
        i64 sum = 0, n = 0;
        for (Set rest = left; rest != 0; rest &= rest - 1) {
            const auto& row = carry_[rows_[std::countr_zero(rest)].id];
            sum += row.y * O::rows(row);
            n += O::rows(row);
        }
        i64 first[kWidth] = {n, n, sum & 0xffffffff, sum >> 32}, second[kWidth];
        std::copy_n(judge.total(), kWidth, second);
        subtract_lanes(second, first, kWidth);
        const i64* parts[2] = {first, second};
        Candidate candidate;
        if (!judge.judge(parts, 2, column, SplitKind::threshold, candidate)) return;
        near_.push_back({candidate.score, candidate.decrease, column, left});
    }
    // The first of those tied with the best (K4): cuts were offered column by column, from low to high.
    bool win(const Judge& judge, Candidate& chosen, Set& left) const {
        double best = -std::numeric_limits<double>::infinity();
        for (const Near& one : near_) best = std::max(best, one.score);
        const double least = best - judge.margin(best);
        for (const Near& one : near_) {
            if (one.score < least) continue;
            chosen.score = one.score;
            chosen.decrease = one.decrease;
            chosen.column = one.column;
            chosen.kind = SplitKind::threshold;
            left = one.left;
            return true;
        }
        return false;
    }

    static constexpr int kWidth = 7;
    struct Near {
        double score, decrease;
        i32 column;
        Set left;
    };

    const Growth& growth_;
    Arena& arena_;
    Neighbours& neighbours_;
    const u32* table_rows_ = nullptr;
    const typename O::Carry* carry_ = nullptr;
    std::vector<u8> place_;  // of the rows of the node, by their place in the block
    std::array<Row, kMost> rows_;
    std::array<Part, kMost> stack_;
    std::array<u32, kMost + 1> at_, entry_;  // the rows that `read` read; one more is written than counts
    std::vector<Top> tops_;
    std::vector<Near> near_;
    ColumnChoice choice_;
    u32 size_ = 0, n_ = 0, least_rows_ = 1;
    double weight_ = 0, sum_ = 0;
    Set aim_ = 0;
};

template <>
class BitsetNode<Mean> : public MeanBitsetNode<Mean> {
  public:
    using MeanBitsetNode::MeanBitsetNode;
};
template <>
class BitsetNode<MeanRepeats> : public MeanBitsetNode<MeanRepeats> {
  public:
    using MeanBitsetNode::MeanBitsetNode;
};

}  // namespace hornbeam
