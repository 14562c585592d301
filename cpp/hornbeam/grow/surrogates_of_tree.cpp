#include "hornbeam/grow/surrogates_of_tree.hpp"

#include <algorithm>

#include "hornbeam/apply/apply.hpp"

namespace hornbeam {
namespace {

// A known value of a column: its row (the place among all) and how many smaller values there are.
struct Entry {
    u32 place, rank;
};

// Where a row is at the level that is looked at.
struct Standing {
    i64 weight;
    i32 slot;  // of its node among those that listen, -1 for none
    i32 side;
};

class Imitation {
  public:
    Imitation(const std::vector<ColumnView>& columns, const std::vector<Weighed>& rows, const SurrogateRule& rule,
              Pool& pool, TreeArrays& tree)
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
          standing_(rows.size()),
          found_(tree.n_nodes()) {}

    void run() {
        pool_.each(columns_.size(), [&](std::size_t j, int) { sort(j); });
        while (!pool_.stopped() && descend()) {
            std::vector<std::vector<Surrogate>> by_column(columns_.size());
            pool_.each(columns_.size(), [&](std::size_t j, int) { listen(j, by_column[j]); });
            collect(by_column);
        }
        write();
    }

  private:
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

    // Moves every row to the next level; whether some node listens at the level they left.
    bool descend() {
        listening_.clear();
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
            next[i] = tests_.first_child[node] + (known ? branch_taken(view_, node, value) : of_gap(node, i));
        }
        for (std::size_t i = 0; i < at_.size(); ++i) stand(i, next[i]);
        at_ = std::move(next);
        return any;
    }
    void stand(std::size_t i, i32 next) {
        standing_[i] = {rows_[i].weight, -1, -1};
        if (next < 0) return;
        const auto node = static_cast<std::size_t>(at_[i]);
        if (has_gap_[node] || tests_.n_children[node] != 2) return;
        if (slot_of_[node] < 0) {
            slot_of_[node] = static_cast<i32>(listening_.size());
            listening_.push_back(static_cast<i32>(node));
            totals_.emplace_back();
        }
        standing_[i].slot = slot_of_[node];
        standing_[i].side = next - tests_.first_child[node];
        totals_[static_cast<std::size_t>(standing_[i].slot)].count(standing_[i].side, rows_[i].weight);
    }
    // A gap goes where the surrogates of its node, found while growing, send it.
    i32 of_gap(std::size_t node, std::size_t i) {
        if (found_[node].empty()) found_[node] = tree_.surrogates.of(node);
        for (const Surrogate& one : found_[node]) {
            const i32 to = one.branch(columns_[static_cast<std::size_t>(one.column)], rows_[i].row);
            if (to >= 0) return to;
        }
        return tests_.missing[node];
    }

    // What column j says to each listening node; rows that have come to a leaf leave the column.
    void listen(std::size_t j, std::vector<Surrogate>& out) {
        std::vector<Entry>& order = order_[j];
        std::erase_if(order, [&](const Entry& one) { return at_[one.place] < 0; });
        out.resize(listening_.size());
        if (listening_.empty()) return;
        std::vector<Imitated> here;
        if (gaps_[j]) {
            here.resize(listening_.size());
            for (const Entry& one : order) {
                const Standing& row = standing_[one.place];
                if (row.slot >= 0) here[static_cast<std::size_t>(row.slot)].count(row.side, row.weight);
            }
        } else {
            here = totals_;
        }
        columns_[j].kind == ColumnKind::nominal ? by_value(j, here, out) : by_threshold(j, here, out);
        for (std::size_t s = 0; s < out.size(); ++s)
            if (tests_.column[static_cast<std::size_t>(listening_[s])] == static_cast<i32>(j)) out[s].column = -1;
    }
    void by_threshold(std::size_t j, const std::vector<Imitated>& here, std::vector<Surrogate>& out) {
        struct Listener {
            CutImitator cut;
            u32 rank = 0;
            bool began = false;
        };
        std::vector<Listener> cuts;
        for (const Imitated& all : here) cuts.push_back({CutImitator(all)});
        for (const Entry& one : order_[j]) {
            const Standing& row = standing_[one.place];
            if (row.slot < 0) continue;
            Listener& to = cuts[static_cast<std::size_t>(row.slot)];
            to.cut.add(rows_[one.place].row, row.side, row.weight, to.began && one.rank != to.rank, rule_.min_side);
            to.rank = one.rank;
            to.began = true;
        }
        for (std::size_t s = 0; s < out.size(); ++s) {
            i64 agree = 0;
            const bool any = cuts[s].cut.finish(columns_[j], out[s], agree);
            keep(j, s, any, agree, here[s], out[s]);
        }
    }
    void by_value(std::size_t j, const std::vector<Imitated>& here, std::vector<Surrogate>& out) {
        std::vector<ValueImitator> values(here.begin(), here.end());
        for (const Entry& one : order_[j]) {
            const Standing& row = standing_[one.place];
            if (row.slot < 0) continue;
            values[static_cast<std::size_t>(row.slot)].add(columns_[j].raw<i32>(rows_[one.place].row), row.side,
                                                           row.weight);
        }
        for (std::size_t s = 0; s < out.size(); ++s) {
            i64 agree = 0;
            const bool any = values[s].finish(out[s], agree, rule_.min_side);
            keep(j, s, any, agree, here[s], out[s]);
        }
    }
    void keep(std::size_t j, std::size_t s, bool any, i64 agree, const Imitated& here, Surrogate& out) const {
        if (any && worth_asking(agree, here, totals_[s], rule_, out)) out.column = static_cast<i32>(j);
    }

    void collect(std::vector<std::vector<Surrogate>>& by_column) {
        pool_.each(listening_.size(), [&](std::size_t s, int) {
            std::vector<Surrogate>& mine = found_[static_cast<std::size_t>(listening_[s])];
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
            if (found_[node].empty()) {  // none, or those of a gap that was not looked at before a stop
                all.take(tree_.surrogates, node);
                continue;
            }
            for (const Surrogate& one : found_[node]) all.add(one);
            all.offset.push_back(static_cast<i64>(all.column.size()));
        }
        tree_.surrogates = std::move(all);
    }

    const std::vector<ColumnView>& columns_;
    const std::vector<Weighed>& rows_;
    const SurrogateRule& rule_;
    Pool& pool_;
    TreeArrays& tree_;
    TestsByNode tests_;
    TreeView view_;
    std::vector<std::vector<Entry>> order_;  // by column, ascending; rows still on their way
    std::vector<u8> gaps_;                   // by column: whether it has some
    std::vector<bool> has_gap_;              // by node
    std::vector<i32> slot_of_;               // by node, its place among the listening
    std::vector<i32> at_;                    // the node of each row, -1 once it has come to a leaf
    std::vector<Standing> standing_;
    std::vector<i32> listening_;
    std::vector<Imitated> totals_;  // of each listening node
    std::vector<std::vector<Surrogate>> found_;
};

}  // namespace

void imitate(const std::vector<ColumnView>& columns, const std::vector<Weighed>& rows, const SurrogateRule& rule,
             Pool& pool, TreeArrays& tree) {
    if (rule.most > 0 && tree.n_tests() > 0) Imitation(columns, rows, rule, pool, tree).run();
}

}  // namespace hornbeam
