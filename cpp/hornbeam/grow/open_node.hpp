// A Job is a node that is still open, with what is known about it so far.
#pragma once

#include <memory>

#include "hornbeam/search/inside_bins.hpp"
#include "hornbeam/stats/histogram.hpp"

namespace hornbeam {

// Rows that are not a slice of the buffers: parts of rows went to several nodes.
template <class O>
struct OwnRows {
    std::vector<u32> id;
    std::vector<typename O::Carry> carry;
};

template <class O>
struct Job {
    Node* node = nullptr;
    std::size_t begin = 0, end = 0;  // its slice of the rows
    int buffer = 0, depth = 0;
    std::vector<i32> usable;  // columns not yet used up
    Bounds bounds;
    u64 key = 1;
    std::shared_ptr<Histogram> histogram;
    std::shared_ptr<OwnRows<O>> own;
    bool coarse = false;  // its rows deserve a grid of their own

    std::size_t size() const { return end - begin; }
};

}  // namespace hornbeam
