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
            batch.value[2 * item].x = V{};
            batch.value[2 * item + 1].x = V{} + batch.amount[item];
            if (batch.min_rows <= 1) continue;
            batch.counted[2 * item].x = V{};
            batch.counted[2 * item + 1].x = V{} + batch.n_rows[item];
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
        (void)first, (void)end;
        batch.value[2 * item].x |= mask & batch.amount[item];
        batch.value[2 * item + 1].x &= ~mask;
        if (batch.min_rows <= 1) return;
        batch.counted[2 * item].x |= mask & batch.n_rows[item];
        batch.counted[2 * item + 1].x &= ~mask;
#else
        (void)mask;
        for (; first < end; ++first) {
            batch.value[2 * item].x[first] = batch.amount[item];
            batch.value[2 * item + 1].x[first] = 0;
            if (batch.min_rows <= 1) continue;
            batch.counted[2 * item].x[first] = batch.n_rows[item];
            batch.counted[2 * item + 1].x[first] = 0;
        }
#endif
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
