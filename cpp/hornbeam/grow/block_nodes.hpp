// The open nodes of a block, and all of growing them that does not depend on the kind of target (block.hpp).
#pragma once

#include <deque>

#include "hornbeam/grow/block_lists.hpp"
#include "hornbeam/grow/margins.hpp"
#include "hornbeam/grow/row_loops.hpp"
#include "hornbeam/grow/tree_arrays.hpp"
#include "hornbeam/threads/pool.hpp"

namespace hornbeam {

class BlockNodes : public SubtreeGrower {
  public:
    std::size_t packed_nodes() const override { return packed_nodes_; }
    void finish() override;

  protected:
    using Columns = std::shared_ptr<const std::vector<i32>>;  // as a rule the same for a whole subtree

    // A node that is no leaf yet, as far as its lanes tell.
    struct Open {
        Node* node;
        u32 begin, end;
        int depth;
        Columns columns;
        Bounds bounds;
        u64 key;
        bool coarse = false;            // it deserves a grid of its own
        std::vector<double> ends = {};  // of the split chosen (candidate.hpp)
    };

    // Nodes go into `arena`; without one a finished subtree is packed.
    BlockNodes(const Growth& growth, Arena* arena, const Pool& pool);

    static u32 rank(u32 entry) { return BlockLists::rank(entry); }
    static u32 id(u32 entry) { return BlockLists::id(entry); }

    // A column with one value and no gap here can never split below.
    void drop_constant(Open& open);
    // Writes the split and makes its children, their lanes still empty.
    void make_children(Open& open, const Candidate& chosen);
    // The same, after looking at the rows: sets the sides of those that are known, and returns where they end.
    u32 part_known(Open& open, Candidate& chosen);
    // Puts the children that are still open on the stack; false if there are none.
    bool open_children(const Judge& judge, const Open& open);
    // Parts the lists of all columns.
    void part_lists(const Open& open);
    // Packs the finished subtree of `root` if its nodes are in no arena of others.
    void pack(Node* root);

  private:
    Arena scratch_;
    std::deque<TreeArrays> packed_;
    std::size_t packed_nodes_ = 0;
    std::vector<const i64*> parts_;

  protected:
    const Growth& growth_;
    Arena& arena_;
    const Pool& pool_;
    int width_;
    BlockLists lists_;
    Neighbours neighbours_;
    std::vector<u32> start_;  // where the rows of each child begin, and the end
    std::vector<Open> stack_;
    ColumnChoice choice_;
    bool simple_ = false;  // whether the plan asks for nothing but the best split, gaps on either side
};

}  // namespace hornbeam
