// What the best single test on each side of a batch's tests costs, with two answers.
// batch.cpp includes this once for each instruction set, after lanes.hpp and many_answers.hpp.

// With two answers. A side's cost is that of one answer everywhere, less what the other answer saves where it is given:
// the largest, or smallest, sum of amounts that a test can bring to one branch.
template <class T, bool kSized>
struct TwoAnswers {
    using V = decltype(Batch<T>::Lanes::x);

    Batch<T>& batch;
    V high[2]{}, low[2]{};  // of each side, the best sums over all tests
    V all_rows[2]{};

    HORNBEAM_TARGET void run() {
        const Items& items = *batch.items;
        const ItemNode& node = *batch.node;
        V gained[2]{}, total[2]{};
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(0)[i] & kItem;
            for (std::size_t side = 0; side < 2; ++side) {
                const V v = batch.value[2 * item + side].x;
                gained[side] += larger(v, V{});
                total[side] += v;
                if constexpr (kSized) all_rows[side] += batch.counted[2 * item + side].x;
            }
        }
        constexpr T kNone = std::numeric_limits<T>::min() / 2;
        if constexpr (kSized) high[0] = high[1] = V{} + kNone, low[0] = low[1] = V{} - kNone;
        for (std::size_t c = 0; c < items.n_columns(); ++c) {
            if (!items.problem().columns[c].nominal)
                walk(node.list(c), node.known[c], node.m);
            else if constexpr (!kSized)
                best_sets(node.list(c), node.m);
            else
                sized_sets(c);
        }
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t k = 0; k < Batch<T>::kLanes; ++k) {
                const i64 p = gained[side][k], n = p - total[side][k];
                batch.leaf[side][k] = std::min(p, n);
                batch.test[side][k] = std::min(p - high[side][k], n + low[side][k]);
                if constexpr (kSized) {
                    if (high[side][k] == kNone) batch.test[side][k] = kNever;
                    if (all_rows[side][k] < batch.min_rows) batch.leaf[side][k] = kNever;
                }
            }
    }

    // Offers what one branch of a test would bring.
    HORNBEAM_TARGET HORNBEAM_INLINE void offer(std::size_t side, V sum, V rows) {
        if constexpr (kSized) {
            high[side] = larger(high[side], where_enough(rows, all_rows[side], batch.min_rows, sum, high[side]));
            low[side] = smaller(low[side], where_enough(rows, all_rows[side], batch.min_rows, sum, low[side]));
        } else {
            high[side] = larger(high[side], sum);
            low[side] = smaller(low[side], sum);
        }
    }

    HORNBEAM_TARGET void walk(const u32* list, u32 known, u32 m) {
        V missing[2]{}, missing_rows[2]{};
        for (u32 i = known; i < m; ++i)
            for (std::size_t side = 0; side < 2; ++side) {
                missing[side] += batch.value[2 * list[i] + side].x;
                if constexpr (kSized) missing_rows[side] += batch.counted[2 * list[i] + side].x;
            }
        if constexpr (kSized) {
            V sum[2]{}, rows[2]{};
            for (u32 i = 0; i < known; ++i) {
                const u32 item = list[i] & kItem;
                for (std::size_t side = 0; side < 2; ++side) {
                    sum[side] += batch.value[2 * item + side].x;
                    rows[side] += batch.counted[2 * item + side].x;
                    if (!(list[i] & kEnd)) continue;
                    offer(side, sum[side], rows[side]);
                    if (known < m) offer(side, sum[side] + missing[side], rows[side] + missing_rows[side]);
                }
            }
        } else {
            V a{}, b{}, high_a{}, high_b{}, low_a{}, low_b{};  // in registers
            const typename Batch<T>::Lanes* value = batch.value.data();
            for (u32 i = 0; i < known; ++i) {
                const u32 entry = list[i];
                a += value[2 * (entry & kItem)].x;
                b += value[2 * (entry & kItem) + 1].x;
                if (entry & kEnd) {
                    high_a = larger(high_a, a);
                    low_a = smaller(low_a, a);
                    high_b = larger(high_b, b);
                    low_b = smaller(low_b, b);
                }
            }
            offer(0, high_a, a), offer(0, low_a, a), offer(1, high_b, a), offer(1, low_b, a);
            if (known == m) return;  // the same cuts with the missing values
            offer(0, high_a + missing[0], a), offer(0, low_a + missing[0], a);
            offer(1, high_b + missing[1], a), offer(1, low_b + missing[1], a);
        }
    }

    // Every value of a nominal column goes where it costs less: no set of values is better.
    HORNBEAM_TARGET void best_sets(const u32* list, u32 m) {
        V up[2]{}, down[2]{}, sum[2]{};
        for (u32 i = 0; i < m; ++i)
            for (std::size_t side = 0; side < 2; ++side) {
                sum[side] += batch.value[2 * (list[i] & kItem) + side].x;
                if (!(list[i] & kEnd) && i + 1 < m) continue;
                up[side] += larger(sum[side], V{}), down[side] += smaller(sum[side], V{});
                sum[side] = V{};
            }
        for (std::size_t side = 0; side < 2; ++side) offer(side, up[side], V{}), offer(side, down[side], V{});
    }

    // Where leaves have a least size, the sets of the family are tried one by one.
    HORNBEAM_TARGET void sized_sets(std::size_t column) {
        const Items& items = *batch.items;
        const ItemNode& node = *batch.node;
        const u32* list = node.list(column);
        for (const ValueSet& set : items.sets) {
            if (set.column != column) continue;
            V sum[2]{}, rows[2]{};
            for (u32 i = 0; i < node.m; ++i) {
                const u32 item = list[i] & kItem;
                if (!set.has(items.code(column, item))) continue;
                for (std::size_t side = 0; side < 2; ++side) {
                    sum[side] += batch.value[2 * item + side].x;
                    rows[side] += batch.counted[2 * item + side].x;
                }
            }
            for (std::size_t side = 0; side < 2; ++side) offer(side, sum[side], rows[side]);
        }
    }
};

template <class T>
HORNBEAM_TARGET void run_batch(Batch<T>& batch) {
    FillLanes<T>{batch}.run();
    if (batch.items->n_answers <= 2) {
        if (batch.min_rows > 1)
            TwoAnswers<T, true>{batch}.run();
        else
            TwoAnswers<T, false>{batch}.run();
    } else if (batch.min_rows > 1) {
        ManyAnswers<T, true>{batch}.run();
    } else {
        ManyAnswers<T, false>{batch}.run();
    }
}
