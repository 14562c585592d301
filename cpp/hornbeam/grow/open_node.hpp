// A Job is a node that is still open, with what is known about it so far.
#pragma once

#include <memory>

#include "hornbeam/grow/row_loops.hpp"

namespace hornbeam {

class NodeCells;

// Where an engine has the rows of a node: a slice of all rows, rows of its own, or elsewhere, by the number of the
// node.
struct Place {
    std::size_t begin = 0, end = 0;
    std::shared_ptr<OwnBytes> own;
    u32 number = 0;

    std::size_t size() const { return end - begin; }
};

struct Job : Place {
    Job() = default;
    explicit Job(Place place) : Place(std::move(place)) {}

    Node* node = nullptr;
    int depth = 0;
    std::vector<i32> usable;  // columns not yet used up
    Bounds bounds;
    u64 key = kRootKey;
    std::shared_ptr<Histogram> histogram;
    std::shared_ptr<NodeCells> cells;
    bool coarse = false;  // its rows deserve a grid of their own
};

}  // namespace hornbeam
