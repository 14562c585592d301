// What is known about sets of rows: an open-addressing table from (rows, depth allowed) to a bound.
#pragma once

#include <optional>
#include <vector>

#include "hornbeam/smallest/rowset.hpp"

namespace hornbeam {

inline constexpr u32 kImpossible = 0xFFFFFFFF;  // no tree of the depth allowed
inline constexpr u16 kAnyDepth = 0xFFFF;

// At least `cost`; exactly that if `exact`.
struct CostBound {
    u32 cost = 0;
    bool exact = false;
};

struct TooManySets {};

template <int W>
class Memo {
  public:
    explicit Memo(u64 most) : most_(most), slots_(std::size_t{1} << 12) {}

    u64 size() const { return size_; }

    std::optional<CostBound> find(const RowSet<W>& rows, u16 depth) const {
        const Slot& slot = slots_[place(rows, depth)];
        if (!slot.used) return std::nullopt;
        return CostBound{slot.cost, slot.exact};
    }
    CostBound put(const RowSet<W>& rows, u16 depth, CostBound bound) {
        std::size_t i = place(rows, depth);
        if (!slots_[i].used) {
            if (size_ >= most_) throw TooManySets{};
            if (3 * (size_ + 1) > 2 * slots_.size()) {
                grow();
                i = place(rows, depth);
            }
            ++size_;
        }
        slots_[i] = {rows, bound.cost, depth, bound.exact, true};
        return bound;
    }

  private:
    struct Slot {
        RowSet<W> rows;
        u32 cost = 0;
        u16 depth = 0;
        bool exact = false, used = false;
    };

    std::size_t place(const RowSet<W>& rows, u16 depth) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = (rows.hash() + depth * 0x9E3779B9ULL) & mask;
        while (slots_[i].used && !(slots_[i].depth == depth && slots_[i].rows == rows)) i = (i + 1) & mask;
        return i;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.used) slots_[place(slot.rows, slot.depth)] = slot;
    }

    u64 most_, size_ = 0;
    std::vector<Slot> slots_;
};

}  // namespace hornbeam
