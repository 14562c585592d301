// What a search for optimal trees carries along: when to stop, which test was chosen, and for each level of the tree
// the lines of the node that is being searched there.
#pragma once

#include <atomic>
#include <chrono>

#include "hornbeam/optimal/cuts_of_line.hpp"

namespace hornbeam::optimal {

// Ends every search under way: at a time, or when somebody says so.
class Stop {
  public:
    using Clock = std::chrono::steady_clock;
    explicit Stop(double seconds)
        : endless_(!(seconds < 1e9)),
          end_(Clock::now() + std::chrono::microseconds(endless_ ? 0 : static_cast<i64>(seconds * 1e6))) {}
    bool now() {
        if (!endless_ && !stopped() && Clock::now() >= end_) set();
        return stopped();
    }
    void set() { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  private:
    const bool endless_;
    const Clock::time_point end_;
    std::atomic<bool> stopped_{false};
};

// A test by the number of its line and the number of items left of it; line 0: none.
struct Chosen {
    u32 line = 0;
    u32 cut = 0;
};
inline constexpr u32 kFirstLine = 2;  // 1 stands for a leaf

// The lines of a node and their cuts.
struct Level {
    std::vector<Line> lines;
    std::vector<CutsOfLine> cuts;
    std::vector<u32> picked;
    std::vector<std::size_t> open;
    std::vector<std::pair<std::size_t, u32>> wanted, tried;
    ItemNode a, b;
};

}  // namespace hornbeam::optimal
