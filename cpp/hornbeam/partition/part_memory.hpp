// Part memory: the rows of a part while it answers one message, checked before they are read, and what it remembers of
// them: the codes of all columns, and the node of each row.
#pragma once

#include "hornbeam/partition/answer.hpp"
#include "hornbeam/partition/far_message.hpp"

namespace hornbeam {

class PartMemory {
  public:
    static constexpr std::size_t kHeader = 16;  // of a cache: what it was made from, the checksum of what follows

  protected:
    PartMemory(const Partition& part, const PartCache& cache, const FarState& state, std::size_t bin_bytes)
        : part_(part), cache_(cache), state_(state), bin_bytes_(bin_bytes), checked_(part.columns.size() + 1, false) {
        check(part_.columns.size());
    }

    // Whether the rows are still what they were; place n is that of the target.
    void check(std::size_t j) {
        if (checked_[j] || part_.checksums.empty()) return;
        checked_[j] = true;
        const bool target = j == part_.columns.size();
        const u64 now =
            target ? target_checksum(part_.target)
                   : checksum(part_.columns[j].data, part_.n_rows * static_cast<std::size_t>(part_.columns[j].stride));
        if (now != part_.checksums[j]) throw ChangedRows(target ? -1 : static_cast<i32>(j));
    }
    void check_all() {
        for (std::size_t j = 0; j < part_.columns.size(); ++j) check(j);
    }
    const ColumnView& checked(i32 column) {
        check(static_cast<std::size_t>(column));
        return part_.columns[static_cast<std::size_t>(column)];
    }

    void make_codes() {
        codes_ = std::make_unique<Codes>(part_.columns, bin_bytes_);
        for (std::size_t j = 0; j < state_.cuts.size(); ++j) codes_->set_cuts(static_cast<i32>(j), state_.cuts[j]);
        if (cache_.codes.size() >= kHeader + codes_->bytes_for(part_.n_rows))
            codes_->lend(cache_.codes.data() + kHeader, part_.n_rows);
    }
    // Codes all rows, and remembers them.
    std::vector<CodingFlags> code() {
        check_all();
        std::vector<CodingFlags> flags = codes_->code(part_.n_rows, pool_);
        const std::size_t n = codes_->bytes_for(part_.n_rows);
        if (cache_.codes.size() >= kHeader + n) {
            std::memset(cache_.codes.data() + kHeader + n - 8, 0, 8);
            seal(cache_.codes, state_.cuts_key(), n);
        }
        return flags;
    }
    void open_codes() {
        make_codes();
        const std::size_t n = codes_->bytes_for(part_.n_rows);
        if (cache_.codes.size() < kHeader + n || !is_sealed(cache_.codes, state_.cuts_key(), n)) code();
        if (!state_.flags.empty()) codes_->settle(state_.flags);
    }
    static void seal(std::span<u8> cache, u64 key, std::size_t n) {
        const u64 header[2] = {key, checksum(cache.data() + kHeader, n, key)};
        std::memcpy(cache.data(), header, kHeader);
    }
    static bool is_sealed(std::span<const u8> cache, u64 key, std::size_t n) {
        u64 header[2];
        std::memcpy(header, cache.data(), kHeader);
        return header[0] == key && header[1] == checksum(cache.data() + kHeader, n, key);
    }

    // The node of each row: from where it was last seen, or from the root.
    std::span<const u32> nodes() {
        const std::size_t n = part_.n_rows * sizeof(u32);
        const bool kept = cache_.nodes.size() >= kHeader + n;
        if (!kept) own_nodes_.resize(part_.n_rows);
        u32* node = kept ? reinterpret_cast<u32*>(cache_.nodes.data() + kHeader) : own_nodes_.data();
        bool usable = kept && is_sealed(cache_.nodes, state_.key, n);
        for (std::size_t r = 0; r < part_.n_rows && usable; ++r) usable = node[r] < state_.tests.size();
        if (!usable) std::fill_n(node, part_.n_rows, 0);
        bool moved = !usable;
        for (std::size_t r = 0; r < part_.n_rows; ++r)
            for (const FarTest* test; (test = &state_.tests[node[r]])->column >= 0; moved = true)
                node[r] = test->first_child + static_cast<u32>(std::max(test->of(checked(test->column), r), 0));
        if (kept && moved) seal(cache_.nodes, state_.key, n);
        return {node, part_.n_rows};
    }

    const Partition& part_;
    const PartCache& cache_;
    const FarState& state_;
    const std::size_t bin_bytes_;
    std::vector<bool> checked_;
    Pool pool_{1, {}};
    std::unique_ptr<Codes> codes_;
    std::vector<u32> own_nodes_;
};

}  // namespace hornbeam
