// What the best single test on each side of a batch's tests costs, with more than two answers.
// batch.cpp includes this once for each instruction set, after lanes.hpp.

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
        const ItemNode& node = *batch.node;
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
        const ItemNode& node = *batch.node;
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
