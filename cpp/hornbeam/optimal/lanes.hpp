// One walk along a column's list adds up, for every lane of a batch, what lies before each cut on either side.
// batch.cpp includes this once for each instruction set; the including namespace gives HORNBEAM_TARGET.

template <class V>
HORNBEAM_TARGET HORNBEAM_INLINE V larger(V a, V b) {
#if defined(HORNBEAM_USES_BUILTINS)
    return a > b ? a : b;
#else
    return V::each([&](std::size_t i) { return a[i] > b[i] ? a[i] : b[i]; });
#endif
}

template <class V>
HORNBEAM_TARGET HORNBEAM_INLINE V smaller(V a, V b) {
#if defined(HORNBEAM_USES_BUILTINS)
    return a < b ? a : b;
#else
    return V::each([&](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
#endif
}

// `a` in the lanes where neither `n` nor the rest of `all` is below `least`, elsewhere `b`.
template <class V, class T>
HORNBEAM_TARGET HORNBEAM_INLINE V where_enough(V n, V all, T least, V a, V b) {
#if defined(HORNBEAM_USES_BUILTINS)
    return ((n >= least) & (all - n >= least)) ? a : b;
#else
    return V::each([&](std::size_t i) { return n[i] >= least && all[i] - n[i] >= least ? a[i] : b[i]; });
#endif
}

// Puts the amount of each item into the lanes whose tests send it left.
template <class T>
struct FillLanes {
    using V = decltype(Batch<T>::Lanes::x);

    Batch<T>& batch;

    HORNBEAM_TARGET void run() {
        const ItemNode& node = *batch.node;
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(0)[i] & kItem;
            batch.value[item].x = V{};
            if (batch.min_rows > 1) batch.counted[item].x = V{};
            if constexpr (std::is_floating_point_v<T>) batch.weighed[item].x = V{};
        }
        for (std::size_t j = 0, end; j < batch.tests.size(); j = end) {
            end = j + 1;
            while (end < batch.tests.size() && batch.tests[end].line == batch.tests[j].line) ++end;
            if (batch.tests[j].line->set != nullptr)
                fill_set(j);
            else
                fill_cuts(j, end);
        }
    }

    HORNBEAM_TARGET HORNBEAM_INLINE void put(u32 item, V mask, std::size_t first, std::size_t end) {
#if defined(HORNBEAM_USES_BUILTINS)
        if constexpr (!std::is_floating_point_v<T>) {
            batch.value[item].x |= mask & batch.amount[item];
            if (batch.min_rows > 1) batch.counted[item].x |= mask & batch.n_rows[item];
            return;
        }
#endif
        (void)mask;
        for (; first < end; ++first) {
            batch.value[item].x[first] = batch.amount[item];
            if (batch.min_rows > 1) batch.counted[item].x[first] = batch.n_rows[item];
            if constexpr (std::is_floating_point_v<T>) batch.weighed[item].x[first] = batch.weight[item];
        }
    }

    HORNBEAM_TARGET V lanes_between(std::size_t first, std::size_t end) {
        V mask{};
        for (; first < end; ++first) mask[first] = -1;
        return mask;
    }

    HORNBEAM_TARGET void fill_cuts(std::size_t first, std::size_t end) {
        const ItemNode& node = *batch.node;
        const Line& line = *batch.tests[first].line;
        const u32* list = node.list(line.column);
        const u32 known = node.known[line.column];
        if (line.missing_left) {
            const V mask = lanes_between(first, end);
            for (u32 i = known; i < node.m; ++i) put(list[i], mask, first, end);
        }
        for (u32 i = 0; first < end; ++first) {
            const V mask = lanes_between(first, end);
            for (; i < batch.tests[first].cut; ++i) put(list[i] & kItem, mask, first, end);
        }
    }

    HORNBEAM_TARGET void fill_set(std::size_t lane) {
        const ItemNode& node = *batch.node;
        const Line& line = *batch.tests[lane].line;
        const u32* list = node.list(line.column);
        const V mask = lanes_between(lane, lane + 1);
        for (u32 i = 0; i < node.m; ++i)
            if (line.set->has(batch.items->code(line.column, list[i] & kItem)))
                put(list[i] & kItem, mask, lane, lane + 1);
    }
};

// What the first items of a part of a list add up to, in the lanes that send them left: `out` at i is the sum of those
// from `first` to before i.
template <class Lanes>
HORNBEAM_TARGET HORNBEAM_INLINE void add_up(const Lanes* value, const u32* list, u32 first, u32 end, Lanes* out) {
    decltype(Lanes::x) sum{};
    out[first].x = sum;
    for (u32 i = first; i < end; ++i) {
        sum += value[list[i] & kItem].x;
        out[i + 1].x = sum;
    }
}

// Where leaves have a least size, the sets of values of a nominal column are tried one by one: `add` takes the items of
// a set, `offer` what they add up to.
template <class T, class Add, class Offer>
HORNBEAM_TARGET void each_set(const Batch<T>& batch, std::size_t column, Add add, Offer offer) {
    const u32* list = batch.node->list(column);
    for (const ValueSet& set : batch.items->sets) {
        if (set.column != column) continue;
        for (u32 i = 0; i < batch.node->m; ++i)
            if (set.has(batch.items->code(column, list[i] & kItem))) add(list[i] & kItem);
        offer();
    }
}

// How many bits two sets share.
HORNBEAM_TARGET HORNBEAM_INLINE u32 n_shared(const u64* a, const u64* b, std::size_t n) {
    u64 even = 0, odd = 0;
    std::size_t w = 0;
    for (; w + 4 <= n; w += 4) {
        even += static_cast<u64>(std::popcount(a[w] & b[w])) + static_cast<u64>(std::popcount(a[w + 1] & b[w + 1]));
        odd +=
            static_cast<u64>(std::popcount(a[w + 2] & b[w + 2])) + static_cast<u64>(std::popcount(a[w + 3] & b[w + 3]));
    }
    for (; w < n; ++w) even += static_cast<u64>(std::popcount(a[w] & b[w]));
    return static_cast<u32>(even + odd);
}

// What each test of a node costs with each other one below it, from the bits that their sets share.
HORNBEAM_TARGET inline void run_pairs(TestPairs& pairs) {
    const std::size_t k = pairs.n_answers;
    const u32* total = pairs.total.data();
    for (std::size_t i = 0; i < pairs.tests.size(); ++i) {
        const u64* one = pairs.bits_of(i);
        const u32* in_one = pairs.count.data() + i * k;
        u32 inside = 0, outside = 0;
        for (std::size_t j = 0; j < i; ++j) {
            const u64* other = pairs.bits_of(j);
            const u32* in_other = pairs.count.data() + j * k;
            u32 both = 0, first = 0, second = 0, none = 0;  // the most benefit of one answer
            for (std::size_t a = 0; a < k; ++a) {
                const std::size_t w = pairs.first_word[a];
                const u32 shared = n_shared(one + w, other + w, pairs.first_word[a + 1] - w);
                both = std::max(both, shared);
                first = std::max(first, in_one[a] - shared);
                second = std::max(second, in_other[a] - shared);
                none = std::max(none, total[a] + shared - in_one[a] - in_other[a]);
            }
            inside = std::max(inside, both + first);
            outside = std::max(outside, second + none);
            TestPairs::Test& below = pairs.tests[j];
            below.inside = std::max<i64>(below.inside, both + second);
            below.outside = std::max<i64>(below.outside, first + none);
        }
        pairs.tests[i].inside = inside;
        pairs.tests[i].outside = outside;
    }
}
