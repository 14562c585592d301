// Neighbours: the values on both sides of a node's cut, read a little later than they are asked for. They lie anywhere
// in the caller's memory; until a batch is read they have come into the cache.
#pragma once

#include <array>

#include "hornbeam/grow/node.hpp"

namespace hornbeam {

class Neighbours {
  public:
    explicit Neighbours(const Growth& growth) : growth_(growth) {}

    // The node tests a threshold, its column is set; `low` and `high` are rows of the table.
    void request(Node* node, u32 low, u32 high) {
        const ColumnView& view = growth_.columns[static_cast<std::size_t>(node->column)];
        for (u32 row : {low, high}) prefetch(view.data + static_cast<std::ptrdiff_t>(row) * view.stride);
        requests_[n_++] = {node, low, high};
        if (n_ == requests_.size()) read();
    }
    void read() {
        for (std::size_t i = 0; i < n_; ++i) {
            Node& node = *requests_[i].node;
            const ColumnView& view = growth_.columns[static_cast<std::size_t>(node.column)];
            node.low = view.value(requests_[i].low);
            node.high = view.value(requests_[i].high);
            node.threshold = view.kind == ColumnKind::ordinal ? node.low + 0.5 : midpoint(node.low, node.high);
        }
        n_ = 0;
    }

  private:
    struct Request {
        Node* node;
        u32 low, high;
    };

    const Growth& growth_;
    std::array<Request, 32> requests_;
    std::size_t n_ = 0;
};

}  // namespace hornbeam
