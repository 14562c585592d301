// Route: which branch each row of a split node takes.
#pragma once

#include <optional>

#include "hornbeam/encode/codes.hpp"
#include "hornbeam/grow/node.hpp"

namespace hornbeam {

inline constexpr u32 kGapBranch = 0xfffffffe;  // the branch of a gap that is routed later

// Which branch a value takes at a node of two branches, or of three with one for the gaps.
class ValueRouter {
  public:
    ValueRouter(const Growth& growth, const Node& node)
        : node_(node),
          missing_(known_only(growth.plan.missing) ? kGapBranch : static_cast<u32>(std::max(node.missing, 0))) {}

    u32 operator()(double value) const {
        if (std::isnan(value)) return missing_;
        if (node_.kind == SplitKind::threshold) return value <= node_.threshold ? 0 : 1;
        const auto& map = node_.side->map;
        const std::pair<i32, i32> first{static_cast<i32>(value), -1};
        return static_cast<u32>(std::lower_bound(map.begin(), map.end(), first)->second);
    }

  private:
    const Node& node_;
    u32 missing_;
};

// Which branch a row takes: a table over its code, or its value where the cut lies inside a bin.
class Router {
  public:
    static constexpr u32 kGap = kGapBranch;

    // `codes`: null where the columns have none.
    Router(const Growth& growth, const Codes* codes, const Node& node, const Candidate& chosen)
        : view_(growth.columns[static_cast<std::size_t>(node.column)]), threshold_(node.threshold) {
        if (codes == nullptr) {
            by_value_.emplace(growth, node);
            return;
        }
        const CodedColumn& coded = codes->column(node.column);
        if (coded.wide()) {
            table_.assign(static_cast<std::size_t>(view_.n_values), 0);
        } else {
            const Group& group = codes->groups()[static_cast<std::size_t>(coded.group)];
            bytes_ = group.codes.get() + coded.offset;
            stride_ = group.width;
            table_.assign(kBins, 0);
        }
        if (node.kind == SplitKind::threshold) {
            for (std::size_t code = 0; code < table_.size(); ++code)
                table_[code] = std::isinf(threshold_) || static_cast<i32>(code) <= chosen.below ? 0 : 1;
            if (!coded.exact && !std::isinf(threshold_)) table_[static_cast<std::size_t>(chosen.below)] = kLook;
        } else if (node.kind == SplitKind::equals) {
            std::fill(table_.begin(), table_.end(), 1);
            table_[static_cast<std::size_t>(chosen.below)] = 0;
        } else {
            for (const auto& [code, branch] : node.side->map)
                table_[static_cast<std::size_t>(code)] = static_cast<u32>(branch);
        }
        missing_ = known_only(growth.plan.missing) ? kGap : static_cast<u32>(std::max(node.missing, 0));
        if (!coded.wide()) table_[kMissingCode] = missing_;
    }
    // The branches of the rows id[first, last), written to the same places of `out`.
    template <class Branch>
    void branches(const u32* id, std::size_t first, std::size_t last, Branch* out) const {
        constexpr std::size_t kAhead = 32;
        for (std::size_t i = first; i < last; ++i) {
            if (by_value_) {
                out[i] = static_cast<Branch>((*by_value_)(view_.value(id[i])));
                continue;
            }
            if (bytes_ == nullptr) {
                const i32 code = view_.raw<i32>(id[i]);
                out[i] = static_cast<Branch>(code < 0 ? missing_ : table_[static_cast<std::size_t>(code)]);
                continue;
            }
            if (i + kAhead < last) prefetch(bytes_ + std::size_t{id[i + kAhead]} * stride_);
            const u32 to = table_[bytes_[std::size_t{id[i]} * stride_]];
            out[i] = static_cast<Branch>(to != kLook ? to : view_.value(id[i]) <= threshold_ ? 0 : 1);
        }
    }

  private:
    static constexpr u32 kLook = 0xffffffff;
    const ColumnView& view_;
    double threshold_;
    const u8* bytes_ = nullptr;
    std::size_t stride_ = 0;
    std::vector<u32> table_;
    u32 missing_ = 0;
    std::optional<ValueRouter> by_value_;
};

}  // namespace hornbeam
