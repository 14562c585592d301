// Answer: what one part of the rows says to a message. A pure function of the two; the cache only saves time.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hornbeam/grow/learn.hpp"

namespace hornbeam {

// Some of the rows, at least one. All parts have the same columns, and weights and repetitions or none.
struct Partition {
    std::vector<ColumnView> columns;
    std::size_t n_rows = 0;
    TargetView target;
    std::vector<u64> checksums{};  // of each column, then of the target; empty: nobody could have changed them
};

// Memory that a part keeps from message to message, or none. Whatever it holds is checked before it is used.
struct PartCache {
    std::span<u8> codes;
    std::span<u8> nodes;
};
// The bytes that a cache needs.
std::size_t code_bytes(std::size_t n_columns, std::size_t n_rows);
std::size_t node_bytes(std::size_t n_rows);

// Thrown where rows are no longer what their checksum says.
struct ChangedRows : std::runtime_error {
    explicit ChangedRows(i32 of) : std::runtime_error("rows were changed"), column(of) {}
    i32 column;  // -1: the target
};
// The checksum of a target, all of its arrays.
u64 target_checksum(const TargetView& target);

std::string answer(std::string_view message, const Partition& part, Plan plan, const PartCache& cache);

}  // namespace hornbeam
