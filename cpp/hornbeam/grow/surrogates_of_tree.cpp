#include "hornbeam/grow/surrogates_of_tree.hpp"

#include <algorithm>

#include "hornbeam/apply/apply.hpp"
#include "hornbeam/stats/fixed_point.hpp"

namespace hornbeam {
namespace {

// A known value of a column: its row (the place among all) and how many smaller values there are.
struct Entry {
    u32 place, rank;
};

// Where a row is at the level that is searched.
struct RowState {
    RowSide row;
    i32 slot;  // of its node among those searched, -1 for none
};

class TreeSurrogateSearch {
  public:
    TreeSurrogateSearch(const std::vector<ColumnView>& columns, const std::vector<WeightedRow>& rows,
                        const SurrogateRule& rule, Pool& pool, TreeArrays& tree)
        : columns_(columns),
          rows_(rows),
          rule_(rule),
          pool_(pool),
          tree_(tree),
          tests_(tree),
          view_(view_of(tree, tests_)),
          order_(columns.size()),
          gaps_(columns.size(), 0),
          has_gap_(tree.n_nodes(), false),
          slot_of_(tree.n_nodes(), -1),
          at_(rows.size(), 0),
          row_states_(rows.size()),
          surrogates_(tree.n_nodes()),
          bits_(with_repetitions(rows)) {}

    void run() {
        pool_.each(columns_.size(), [&](std::size_t j, int) { sort(j); });
        while (descend() && !pool_.stopped()) {
            std::vector<std::vector<Surrogate>> by_column(columns_.size());
            pool_.each(columns_.size(), [&](std::size_t j, int) { search_column(j, by_column[j]); });
            collect(by_column);
        }
        write();
    }

  private:
    static std::size_t with_repetitions(const std::vector<WeightedRow>& rows) {
        i64 sum = 0;
        for (const WeightedRow& row : rows) sum += row.n;
        return static_cast<std::size_t>(sum);
    }
    void sort(std::size_t j) {
        const ColumnView& view = columns_[j];
        struct Value {
            double value;
            u32 place;
        };
        std::vector<Value> values;
        values.reserve(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double value = view.value(rows_[i].row);
            if (std::isnan(value) || (view.kind == ColumnKind::nominal && value < 0)) continue;
            values.push_back({value, static_cast<u32>(i)});
        }
        std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return a.value < b.value; });
        gaps_[j] = values.size() < rows_.size();
        order_[j].reserve(values.size());
        u32 rank = 0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (k > 0 && values[k].value > values[k - 1].value) ++rank;
            order_[j].push_back({values[k].place, rank});
        }
    }

    // Moves every row to the next level; whether the level they left had tests.
    bool descend() {
        searched_nodes_.clear();
        totals_.clear();
        bool any = false;
        std::vector<i32> next(at_.size(), -1);
        for (std::size_t i = 0; i < at_.size(); ++i) {
            if (at_[i] < 0) continue;
            const auto node = static_cast<std::size_t>(at_[i]);
            if (tests_.first_child[node] < 0) continue;
            any = true;
            const ColumnView& own = columns_[static_cast<std::size_t>(tests_.column[node])];
            const double value = own.value(rows_[i].row);
            const bool known = !std::isnan(value);
            if (!known) has_gap_[node] = true;
            next[i] =
                tests_.first_child[node] + (known ? branch_taken(view_, node, value) : branch_of_missing(node, i));
        }
        heaviest_.assign(tree_.n_nodes(), 0);
        for (std::size_t i = 0; i < at_.size(); ++i)
            if (at_[i] >= 0 && rows_[i].own > 0) {
                double& most = heaviest_[static_cast<std::size_t>(at_[i])];
                most = std::max(most, rows_[i].own);
            }
        for (std::size_t i = 0; i < at_.size(); ++i) set_row_state(i, next[i]);
        at_ = std::move(next);
        return any;
    }
    void set_row_state(std::size_t i, i32 next) {
        row_states_[i] = {{rows_[i].row, -1, rows_[i].weight, rows_[i].n}, -1};
        if (next < 0) return;
        const auto node = static_cast<std::size_t>(at_[i]);
        if (has_gap_[node] || tests_.n_children[node] != 2) return;
        if (slot_of_[node] < 0) {
            slot_of_[node] = static_cast<i32>(searched_nodes_.size());
            searched_nodes_.push_back(static_cast<i32>(node));
            totals_.emplace_back();
        }
        row_states_[i].slot = slot_of_[node];
        RowSide& row = row_states_[i].row;
        row.side = next - tests_.first_child[node];
        if (rows_[i].own > 0) row.weight = row.n * WeightGrid(heaviest_[node], bits_.class_weight())(rows_[i].own);
        totals_[static_cast<std::size_t>(row_states_[i].slot)].count(row.side, row.weight, row.n);
    }
    // A missing value goes where the surrogates that growing gave its node send it.
    i32 branch_of_missing(std::size_t node, std::size_t i) {
        if (surrogates_[node].empty()) surrogates_[node] = tree_.surrogates.of(node);
        for (const Surrogate& one : surrogates_[node]) {
            const i32 to = one.branch(columns_[static_cast<std::size_t>(one.column)], rows_[i].row);
            if (to >= 0) return to;
        }
        return tests_.missing[node];
    }

    // The best surrogate of column j for each searched node; rows that have come to a leaf leave the column.
    void search_column(std::size_t j, std::vector<Surrogate>& out) {
        std::vector<Entry>& order = order_[j];
        std::erase_if(order, [&](const Entry& one) { return at_[one.place] < 0; });
        out.resize(searched_nodes_.size());
        if (searched_nodes_.empty()) return;
        std::vector<SideWeights> here;
        if (gaps_[j]) {
            here.resize(searched_nodes_.size());
            for (const Entry& one : order) {
                const auto& [row, slot] = row_states_[one.place];
                if (slot >= 0) here[static_cast<std::size_t>(slot)].count(row.side, row.weight, row.n);
            }
        } else {
            here = totals_;
        }
        columns_[j].kind == ColumnKind::nominal ? by_value(j, here, out) : by_threshold(j, here, out);
        for (std::size_t s = 0; s < out.size(); ++s)
            if (tests_.column[static_cast<std::size_t>(searched_nodes_[s])] == static_cast<i32>(j)) out[s].column = -1;
    }
    void by_threshold(std::size_t j, const std::vector<SideWeights>& here, std::vector<Surrogate>& out) {
        struct NodeCut {
            SurrogateCut cut;
            u32 rank = 0;
            bool began = false;
        };
        std::vector<NodeCut> cuts;
        for (const SideWeights& all : here) cuts.push_back({SurrogateCut(all)});
        for (const Entry& one : order_[j]) {
            const auto& [row, slot] = row_states_[one.place];
            if (slot < 0) continue;
            NodeCut& to = cuts[static_cast<std::size_t>(slot)];
            to.cut.add(row, to.began && one.rank != to.rank, rule_.min_side);
            to.rank = one.rank;
            to.began = true;
        }
        for (std::size_t s = 0; s < out.size(); ++s) {
            i64 agree = 0;
            const bool any = cuts[s].cut.finish(columns_[j], out[s], agree);
            keep(j, s, any, agree, here[s], out[s]);
        }
    }
    void by_value(std::size_t j, const std::vector<SideWeights>& here, std::vector<Surrogate>& out) {
        std::vector<SurrogateValues> values(here.begin(), here.end());
        for (const Entry& one : order_[j]) {
            const auto& [row, slot] = row_states_[one.place];
            if (slot >= 0) values[static_cast<std::size_t>(slot)].add(columns_[j].raw<i32>(row.row), row);
        }
        for (std::size_t s = 0; s < out.size(); ++s) {
            i64 agree = 0;
            const bool any = values[s].finish(out[s], agree, rule_.min_side);
            keep(j, s, any, agree, here[s], out[s]);
        }
    }
    void keep(std::size_t j, std::size_t s, bool any, i64 agree, const SideWeights& here, Surrogate& out) const {
        if (any && beats_majority(agree, here, totals_[s], rule_, out)) out.column = static_cast<i32>(j);
    }

    void collect(std::vector<std::vector<Surrogate>>& by_column) {
        pool_.each(searched_nodes_.size(), [&](std::size_t s, int) {
            std::vector<Surrogate>& mine = surrogates_[static_cast<std::size_t>(searched_nodes_[s])];
            for (std::vector<Surrogate>& column : by_column)
                if (column[s].column >= 0) mine.push_back(std::move(column[s]));
            keep_best(mine, rule_);
        });
    }
    void write() {
        SurrogateArrays all;
        all.offset.push_back(0);
        all.map_offset.push_back(0);
        for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
            if (surrogates_[node].empty()) {  // none, or those of a gap that was not looked at before a stop
                all.take(tree_.surrogates, node);
                continue;
            }
            for (const Surrogate& one : surrogates_[node]) all.add(one);
            all.offset.push_back(static_cast<i64>(all.column.size()));
        }
        tree_.surrogates = std::move(all);
    }

    const std::vector<ColumnView>& columns_;
    const std::vector<WeightedRow>& rows_;
    const SurrogateRule& rule_;
    Pool& pool_;
    TreeArrays& tree_;
    TestsByNode tests_;
    TreeView view_;
    std::vector<std::vector<Entry>> order_;  // by column, ascending; rows still on their way
    std::vector<u8> gaps_;                   // by column: whether it has some
    std::vector<bool> has_gap_;              // by node
    std::vector<double> heaviest_;           // by node: its heaviest row
    std::vector<i32> slot_of_;               // by node, its place among the searched ones
    std::vector<i32> at_;                    // the node of each row, -1 once it has come to a leaf
    std::vector<RowState> row_states_;
    std::vector<i32> searched_nodes_;
    std::vector<SideWeights> totals_;  // of each searched node
    std::vector<std::vector<Surrogate>> surrogates_;
    Bits bits_;  // of a weight, so that those of all rows have room
};

}  // namespace

void add_tree_surrogates(const std::vector<ColumnView>& columns, const std::vector<WeightedRow>& rows,
                         const SurrogateRule& rule, Pool& pool, TreeArrays& tree) {
    if (rule.most > 0 && tree.n_tests() > 0) TreeSurrogateSearch(columns, rows, rule, pool, tree).run();
}

}  // namespace hornbeam
