// One walk along a column's list adds up, for every lane of a batch, what lies before each cut on either side.
// batch.cpp includes this once for each instruction set; the including namespace gives HORNBEAM_TARGET.

template <class V>
HORNBEAM_INLINE V larger(V a, V b) {
#if defined(HORNBEAM_USES_BUILTINS)
    return a > b ? a : b;
#else
    return V::each([&](std::size_t i) { return a[i] > b[i] ? a[i] : b[i]; });
#endif
}

template <class V>
HORNBEAM_INLINE V smaller(V a, V b) {
#if defined(HORNBEAM_USES_BUILTINS)
    return a < b ? a : b;
#else
    return V::each([&](std::size_t i) { return a[i] < b[i] ? a[i] : b[i]; });
#endif
}

// `a` in the lanes where neither `n` nor the rest of `all` is below `least`, elsewhere `b`.
template <class V, class T>
HORNBEAM_INLINE V where_enough(V n, V all, T least, V a, V b) {
#if defined(HORNBEAM_USES_BUILTINS)
    return ((n >= least) & (all - n >= least)) ? a : b;
#else
    return V::each([&](std::size_t i) { return n[i] >= least && all[i] - n[i] >= least ? a[i] : b[i]; });
#endif
}

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
        const Node& node = *batch.node;
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
        const Node& node = *batch.node;
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

// With more answers. The benefit of the best answer only grows as items are added, so a walk forwards and one backwards
// give it for both branches of every cut.
template <class T, bool kSized>
struct ManyAnswers {
    using V = decltype(Batch<T>::Lanes::x);

    Batch<T>& batch;
    V best[2]{}, all_rows[2]{};
    std::vector<typename Batch<T>::Lanes> sums{}, total{};  // of each answer and side

    HORNBEAM_TARGET void run() {
        const Items& items = *batch.items;
        const Node& node = *batch.node;
        const auto k = static_cast<std::size_t>(items.n_answers);
        total.assign(2 * k, typename Batch<T>::Lanes{});
        sums.resize(2 * k);
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(0)[i] & kItem;
            add(total, item);
            if constexpr (kSized) {
                all_rows[0] += batch.counted[2 * item].x;
                all_rows[1] += batch.counted[2 * item + 1].x;
            }
        }
        V one[2]{};
        for (std::size_t j = 0; j < 2 * k; ++j) one[j & 1] = larger(one[j & 1], total[j].x);
        if constexpr (kSized) best[0] = best[1] = V{} - 1;  // none
        for (std::size_t c = 0; c < items.n_columns(); ++c) {
            const u32* list = node.list(c);
            if (items.problem().columns[c].nominal) {
                if constexpr (kSized)
                    sized_sets(c);
                else
                    best_sets(list, node.m);
                continue;
            }
            walk(list, node.known[c], node.m, false);
            if (node.known[c] < node.m) walk(list, node.known[c], node.m, true);
        }
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t lane = 0; lane < Batch<T>::kLanes; ++lane) {
                const i64 left = lane < batch.tests.size() ? batch.tests[lane].full_left : 0;
                const i64 full = side == 0 ? left : node.full - left;
                batch.leaf[side][lane] = full - one[side][lane];
                batch.test[side][lane] = best[side][lane] < 0 ? kNever : full - best[side][lane];
                if constexpr (kSized)
                    if (all_rows[side][lane] < batch.min_rows) batch.leaf[side][lane] = kNever;
            }
    }

    HORNBEAM_TARGET HORNBEAM_INLINE void add(std::vector<typename Batch<T>::Lanes>& to, u32 item) {
        const std::size_t j = 2 * static_cast<std::size_t>(batch.items->answer[item]);
        to[j].x += batch.value[2 * item].x;
        to[j + 1].x += batch.value[2 * item + 1].x;
    }

    // Adds an item to the sums, and raises the benefits of the best answer.
    HORNBEAM_TARGET HORNBEAM_INLINE void raise(u32 item, V& a, V& b) {
        const std::size_t j = 2 * static_cast<std::size_t>(batch.items->answer[item]);
        const V in_a = sums[j].x + batch.value[2 * item].x, in_b = sums[j + 1].x + batch.value[2 * item + 1].x;
        sums[j].x = in_a;
        sums[j + 1].x = in_b;
        a = larger(a, in_a);
        b = larger(b, in_b);
    }

    HORNBEAM_TARGET HORNBEAM_INLINE void offer(std::size_t side, V benefit, V rows) {
        if constexpr (kSized) benefit = where_enough(rows, all_rows[side], batch.min_rows, benefit, best[side]);
        best[side] = larger(best[side], benefit);
    }

    // Sums of nothing but the missing items, if any.
    HORNBEAM_TARGET void start(const u32* missing, u32 n, V& a, V& b, V& rows_a, V& rows_b) {
        for (auto& sum : sums) sum.x = V{};
        for (u32 i = 0; i < n; ++i) {
            raise(missing[i], a, b);
            if constexpr (kSized) {
                rows_a += batch.counted[2 * missing[i]].x;
                rows_b += batch.counted[2 * missing[i] + 1].x;
            }
        }
    }

    HORNBEAM_TARGET void walk(const u32* list, u32 known, u32 m, bool missing_before) {
        std::vector<typename Batch<T>::Lanes>& kept = batch.scratch;  // benefits before each cut, and the rows
        constexpr std::size_t kStep = kSized ? 4 : 2;
        if (kept.size() < kStep * m) kept.resize(kStep * m);
        V a{}, b{}, rows_a{}, rows_b{};
        start(list + known, missing_before ? m - known : 0, a, b, rows_a, rows_b);
        for (u32 i = 0; i < known; ++i) {
            const u32 item = list[i] & kItem;
            raise(item, a, b);
            if constexpr (kSized) {
                rows_a += batch.counted[2 * item].x;
                rows_b += batch.counted[2 * item + 1].x;
            }
            if (list[i] & kEnd) {
                kept[kStep * i].x = a;
                kept[kStep * i + 1].x = b;
                if constexpr (kSized) kept[kStep * i + 2].x = rows_a, kept[kStep * i + 3].x = rows_b;
            }
        }
        a = b = V{};
        V unused_a{}, unused_b{};
        start(list + known, missing_before ? 0 : m - known, a, b, unused_a, unused_b);
        for (u32 i = known; i-- > 0;) {
            const u32 item = list[i] & kItem;
            if (list[i] & kEnd) {
                if constexpr (kSized) rows_a = kept[kStep * i + 2].x, rows_b = kept[kStep * i + 3].x;
                offer(0, kept[kStep * i].x + a, rows_a);
                offer(1, kept[kStep * i + 1].x + b, rows_b);
            }
            raise(item, a, b);
        }
    }

    // For each pair of answers, every value of a nominal column gets the better one.
    HORNBEAM_TARGET void best_sets(const u32* list, u32 m) {
        const std::size_t k = sums.size() / 2;
        std::vector<typename Batch<T>::Lanes>& pairs = batch.scratch;
        if (pairs.size() < k * k) pairs.resize(k * k);
        std::fill(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(k * k), typename Batch<T>::Lanes{});
        for (auto& sum : sums) sum.x = V{};
        for (u32 i = 0; i < m; ++i) {
            add(sums, list[i] & kItem);
            if (!(list[i] & kEnd) && i + 1 < m) continue;
            for (std::size_t u = 0; u < k; ++u)
                for (std::size_t v = 0; v < u; ++v)  // of the left side below the diagonal, of the right side above
                    pairs[u * k + v].x += larger(sums[2 * u].x, sums[2 * v].x),
                        pairs[v * k + u].x += larger(sums[2 * u + 1].x, sums[2 * v + 1].x);
            for (auto& sum : sums) sum.x = V{};
        }
        for (std::size_t u = 0; u < k; ++u)
            for (std::size_t v = 0; v < u; ++v) offer(0, pairs[u * k + v].x, V{}), offer(1, pairs[v * k + u].x, V{});
    }

    HORNBEAM_TARGET void sized_sets(std::size_t column) {
        const Items& items = *batch.items;
        const Node& node = *batch.node;
        const u32* list = node.list(column);
        for (const ValueSet& set : items.sets) {
            if (set.column != column) continue;
            for (auto& sum : sums) sum.x = V{};
            V rows_a{}, rows_b{};
            for (u32 i = 0; i < node.m; ++i) {
                const u32 item = list[i] & kItem;
                if (!set.has(items.code(column, item))) continue;
                add(sums, item);
                rows_a += batch.counted[2 * item].x;
                rows_b += batch.counted[2 * item + 1].x;
            }
            V in[2]{}, out[2]{};
            for (std::size_t j = 0; j < sums.size(); ++j) {
                in[j & 1] = larger(in[j & 1], sums[j].x);
                out[j & 1] = larger(out[j & 1], total[j].x - sums[j].x);
            }
            offer(0, in[0] + out[0], rows_a);
            offer(1, in[1] + out[1], rows_b);
        }
    }
};

// Puts the amount of each item into the lanes whose tests send it left.
template <class T>
struct FillLanes {
    using V = decltype(Batch<T>::Lanes::x);

    Batch<T>& batch;

    HORNBEAM_TARGET void run() {
        const Node& node = *batch.node;
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
        const Node& node = *batch.node;
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
        const Node& node = *batch.node;
        const Line& line = *batch.tests[lane].line;
        const u32* list = node.list(line.column);
        const V mask = lanes_between(lane, lane + 1);
        for (u32 i = 0; i < node.m; ++i)
            if (line.set->has(batch.items->code(line.column, list[i] & kItem)))
                put(list[i] & kItem, mask, lane, lane + 1);
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
