// A Job is a node that is still open, with what is known about it so far.
#pragma once

#include <memory>

#include "hornbeam/grow/row_loops.hpp"

namespace hornbeam {

class NodeCells;

struct Job {
    Node* node = nullptr;
    std::size_t begin = 0, end = 0;  // its slice of the rows
    int buffer = 0, depth = 0;
    std::vector<i32> usable;  // columns not yet used up
    Bounds bounds;
    u64 key = 1;
    std::shared_ptr<Histogram> histogram;
    std::shared_ptr<NodeCells> cells;
    std::shared_ptr<OwnBytes> own;
    bool coarse = false;  // its rows deserve a grid of their own

    std::size_t size() const { return end - begin; }
};

}  // namespace hornbeam
