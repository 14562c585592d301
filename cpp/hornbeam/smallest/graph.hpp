// From costs to trees: which tests make a smallest tree of a set of rows?
//
// The canonical tree takes, of all tests that keep the cost and then the depth least, the first in order; its branches
// are the canonical trees of their rows. `every` follows all tests that keep the cost least.
#pragma once

#include <cmath>
#include <unordered_map>

#include "hornbeam/smallest/search_smallest.hpp"

namespace hornbeam {

template <int W>
class GraphBuilder {
  public:
    GraphBuilder(Search<W>& search, SmallestGraph& out) : search_(search), out_(out) {
        out_.n_words = W;
        out_.test_offset = out_.child_offset = {0};
    }

    // One tree; `depth` is what is allowed at the root.
    void canonical(const RowSet<W>& all, u16 depth) {
        std::vector<std::pair<RowSet<W>, u16>> states{{all, depth}};
        for (std::size_t i = 0; i < states.size(); ++i) {  // grows while it is read
            const auto [rows, allowed] = states[i];
            add_rows(rows);
            if (!search_.pure(rows)) {
                const u32 cost = search_.raise(rows, allowed, kImpossible - 1).cost;
                const u16 below = static_cast<u16>(shallowest(rows, allowed, cost) - 1);
                const TestList tests = cheapest_tests(rows, below, cost, true);
                for (const typename TestList::Test& test : tests.tests) {
                    for (const RowSet<W>& part : tests.parts_of(test)) {
                        out_.child.push_back(static_cast<i32>(states.size()));
                        states.emplace_back(part, below);
                    }
                    add_test(test);
                }
            }
            out_.test_offset.push_back(static_cast<i64>(out_.test_column.size()));
        }
    }

    // All trees, with shared subtrees.
    void every(const RowSet<W>& all, u64 most_children) {
        std::vector<RowSet<W>> states{all};
        std::unordered_map<RowSet<W>, i32, Hash> number{{all, 0}};
        for (std::size_t i = 0; i < states.size(); ++i) {
            const RowSet<W> rows = states[i];
            add_rows(rows);
            if (!search_.pure(rows)) {
                const u32 cost = search_.raise(rows, kAnyDepth, kImpossible - 1).cost;
                const TestList tests = cheapest_tests(rows, kAnyDepth, cost, false);
                for (const typename TestList::Test& test : tests.tests) {
                    for (const RowSet<W>& part : tests.parts_of(test)) {
                        const auto [place, is_new] = number.try_emplace(part, static_cast<i32>(states.size()));
                        if (is_new) states.push_back(part);
                        out_.child.push_back(place->second);
                    }
                    add_test(test);
                }
                if (out_.child.size() > most_children) throw TooManySets{};
            }
            out_.test_offset.push_back(static_cast<i64>(out_.test_column.size()));
        }
    }

  private:
    struct Hash {
        std::size_t operator()(const RowSet<W>& rows) const { return rows.hash(); }
    };
    struct TestList {
        struct Test {
            i32 column;
            std::size_t first, n;
            i32 n_empty;
        };
        std::vector<Test> tests;
        std::vector<RowSet<W>> parts;

        std::span<const RowSet<W>> parts_of(const Test& test) const {
            return std::span<const RowSet<W>>(parts).subspan(test.first, test.n);
        }
    };

    // The tests of cheapest trees of `rows`, whose branches may have the depth `below`; or only the first of them.
    TestList cheapest_tests(const RowSet<W>& rows, u16 below, u32 cost, bool only_first) {
        TestList all;
        search_.tests().each(rows, [&](i32 column, std::span<const RowSet<W>> parts, i32 n_empty) {
            all.tests.push_back({column, all.parts.size(), parts.size(), n_empty});
            all.parts.insert(all.parts.end(), parts.begin(), parts.end());
            return false;
        });
        std::vector<typename TestList::Test> tests;
        for (const typename TestList::Test& test : all.tests) {
            u32 unused = 0;
            const CostBound sum =
                search_.rule_out(all.parts_of(test), static_cast<u32>(test.n_empty), below, cost, unused);
            if (sum.cost > cost) continue;
            tests.push_back(test);
            if (only_first) break;
        }
        all.tests = std::move(tests);
        return all;
    }

    // The least depth at which the cost can be had.
    u16 shallowest(const RowSet<W>& rows, u16 allowed, u32 cost) {
        for (u16 depth = 1; depth < allowed; ++depth)
            if (search_.raise(rows, depth, cost).cost == cost) return depth;
        return allowed;
    }

    void add_rows(const RowSet<W>& rows) { out_.rows.insert(out_.rows.end(), rows.word.begin(), rows.word.end()); }

    void add_test(const typename TestList::Test& test) {
        out_.test_column.push_back(test.column);
        out_.child_offset.push_back(static_cast<i64>(out_.child.size()));
    }

    Search<W>& search_;
    SmallestGraph& out_;
};

}  // namespace hornbeam
