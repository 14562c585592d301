// The door of the core: columns, target and plan in, arrays of a tree out.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan.hpp"

namespace hornbeam {

struct TargetView {
    int n_classes = 0;                // 0: real
    std::span<const i32> codes;       // classes
    std::span<const double> values;   // real
    std::span<const double> weights;  // empty: all 1
    std::span<const i64> counts;      // empty: all 1
};

// The surrogates of all nodes; the value maps of nominal ones in a pool of their own.
struct SurrogateArrays {
    std::vector<i64> offset, map_offset;
    std::vector<i32> column, low, high, map_code, map_branch;
    std::vector<double> threshold, agreement, association;

    void add(const Surrogate& one) {
        column.push_back(one.column);
        threshold.push_back(one.threshold);
        low.push_back(one.low);
        high.push_back(one.high);
        agreement.push_back(one.agreement);
        association.push_back(one.association);
        for (const auto& [code, branch] : one.map) {
            map_code.push_back(code);
            map_branch.push_back(branch);
        }
        map_offset.push_back(static_cast<i64>(map_code.size()));
    }
    // Those of one node of another tree.
    void take(const SurrogateArrays& from, std::size_t node) {
        for (i64 k = from.offset[node]; k < from.offset[node + 1]; ++k) {
            const auto i = static_cast<std::size_t>(k);
            column.push_back(from.column[i]);
            threshold.push_back(from.threshold[i]);
            low.push_back(from.low[i]);
            high.push_back(from.high[i]);
            agreement.push_back(from.agreement[i]);
            association.push_back(from.association[i]);
            for (i64 m = from.map_offset[i]; m < from.map_offset[i + 1]; ++m) {
                map_code.push_back(from.map_code[static_cast<std::size_t>(m)]);
                map_branch.push_back(from.map_branch[static_cast<std::size_t>(m)]);
            }
            map_offset.push_back(static_cast<i64>(map_code.size()));
        }
        offset.push_back(static_cast<i64>(column.size()));
    }
};

// A grown tree as arrays: children contiguous and after their parent, the root first. `missing`, `absent`, `label` and
// `map_offset` stay empty while no node has anything there.
struct TreeArrays {
    std::vector<std::int8_t> kind;
    std::vector<i32> first_child, n_children, column, missing, absent, label;
    std::vector<double> threshold, gap, gain, impurity, stats;
    std::vector<i64> n_rows, map_offset;
    std::vector<i32> map_code, map_branch;
    SurrogateArrays surrogates;
    int width = 0;
    double centre = 0;
    bool interrupted = false;
};

class SharedCodes;

// `progress(share)` is called on the caller's thread now and then; it returns true to stop. `codes`: those of the same
// columns, shared by several trees; null: the tree makes its own.
TreeArrays learn(const std::vector<ColumnView>& columns, std::size_t n_rows, const TargetView& target, Plan plan,
                 const std::function<bool(double)>& progress, SharedCodes* codes = nullptr);

}  // namespace hornbeam
