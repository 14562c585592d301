// What is known about sets of rows: for a depth, a cost that no tree is below, and the first test of a tree of that
// cost if one is known.
//
// The table has a fixed size; a new entry takes the place of an old one. A set is known by the sum of 128-bit keys of
// its items, so that two sets are never mistaken for each other in practice (n sets: n^2 / 2^129).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>

#include "hornbeam/optimal/batch.hpp"

namespace hornbeam::optimal {

class CostMemo {
  public:
    struct Entry {
        u64 key[2];
        i64 bound;  // 0: no entry
        u32 line;   // of the first test of a tree that costs just as much, counted from 2; 1: a leaf; 0: none is known
        u32 cut;
        bool exact() const { return line > 0; }
    };

    explicit CostMemo(u64 bytes) {
        const u64 n = std::bit_floor(std::max<u64>(bytes / (kWays * sizeof(Entry)), 64));
        n_buckets_ = n;
        // Pages that are never touched cost nothing, so a small search does not pay for a large table.
        buckets_.reset(static_cast<Bucket*>(std::calloc(n, sizeof(Bucket))));
        if (!buckets_) throw std::bad_alloc();
        locks_ = std::make_unique<Locks>();
    }

    bool find(const std::array<u64, 2>& set, int depth, Entry& out) {
        const u64 a = set[0] + static_cast<u64>(depth) * kMixStep, b = set[1];
        const u64 at = place(a, b);
        Lock lock(*locks_, at);
        for (const Entry& entry : buckets_[at].entry)
            if (entry.key[0] == a && entry.key[1] == b && entry.bound > 0) return out = entry, true;
        return false;
    }

    void keep(const std::array<u64, 2>& set, int depth, i64 bound, u32 line, u32 cut) {
        if (bound <= 0) return;
        const u64 a = set[0] + static_cast<u64>(depth) * kMixStep, b = set[1];
        const u64 at = place(a, b);
        Lock lock(*locks_, at);
        Bucket& bucket = buckets_[at];
        for (Entry& entry : bucket.entry)
            if (entry.key[0] == a && entry.key[1] == b) {
                if (line == 0 && bound <= entry.bound) return;
                entry.bound = bound;
                entry.line = line;
                entry.cut = cut;
                return;
            }
        std::rotate(bucket.entry.begin(), bucket.entry.end() - 1, bucket.entry.end());  // the oldest goes
        bucket.entry[0] = {{a, b}, bound, line, cut};
    }

  private:
    static constexpr std::size_t kWays = 4, kLocks = 1024;
    struct Bucket {
        std::array<Entry, kWays> entry;
    };
    using Locks = std::array<std::atomic_flag, kLocks>;
    struct Lock {
        std::atomic_flag& flag;
        Lock(Locks& locks, u64 at) : flag(locks[at % kLocks]) {
            while (flag.test_and_set(std::memory_order_acquire)) {
            }
        }
        ~Lock() { flag.clear(std::memory_order_release); }
    };
    u64 place(u64 a, u64 b) const { return mix_bits(a ^ std::rotl(b, 32)) & (n_buckets_ - 1); }

    struct Free {
        void operator()(Bucket* buckets) const { std::free(buckets); }
    };
    std::unique_ptr<Bucket[], Free> buckets_;
    u64 n_buckets_ = 0;
    std::unique_ptr<Locks> locks_;
};

}  // namespace hornbeam::optimal
