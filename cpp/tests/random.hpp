// Random numbers for the tests: seeded, and the same on every machine.
#pragma once

#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam::testing {

class Random {
  public:
    explicit Random(u64 seed) : state_(seed * kMixStep + 1) {}

    u64 bits() { return mix_bits(state_ += kMixStep); }
    // From low to high, both included.
    i64 whole(i64 low, i64 high) { return low + static_cast<i64>(bits() % static_cast<u64>(high - low + 1)); }
    int number(int low, int high) { return static_cast<int>(whole(low, high)); }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
    double real() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    bool chance(double p) { return real() < p; }
    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += real();
        return sum;
    }
    template <class T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

  private:
    u64 state_;
};

}  // namespace hornbeam::testing
