// What the best single test on each side of a batch's tests costs, with two answers.
// batch.cpp includes this once for each instruction set, after the other kernels.

// With two answers. A side's cost is that of one answer everywhere, less what the other answer saves where it is given:
// the largest, or smallest, sum of amounts that a test can bring to one branch.
template <class T, bool kSized>
struct TwoAnswers {
    using V = decltype(Batch<T>::Lanes::x);

    // Sums over some items: in the lanes that send them left, and of all.
    struct Sums {
        V left{};
        T all = 0;
        HORNBEAM_TARGET HORNBEAM_INLINE void add(V value, T amount) {
            left += value;
            all = static_cast<T>(all + amount);
        }
        HORNBEAM_TARGET HORNBEAM_INLINE V side(std::size_t side) const { return side == 0 ? left : all - left; }
    };

    Batch<T>& batch;
    V high[2]{}, low[2]{};  // of each side, the best sums over all tests
    Sums total{}, rows{};   // of all items

    HORNBEAM_TARGET void run() {
        const Items& items = *batch.items;
        const ItemNode& node = *batch.node;
        Sums gained;
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(0)[i] & kItem;
            const V v = batch.value[item].x;
            gained.add(larger(v, V{}), std::max<T>(batch.amount[item], 0));
            total.add(v, batch.amount[item]);
            if constexpr (kSized) rows.add(batch.counted[item].x, batch.n_rows[item]);
        }
        constexpr T kNone = std::numeric_limits<T>::min() / 2;
        if constexpr (kSized) high[0] = high[1] = V{} + kNone, low[0] = low[1] = V{} - kNone;
        for (std::size_t c = 0; c < items.n_columns(); ++c) {
            if (!items.problem().columns[c].nominal)
                walk(c);
            else if constexpr (!kSized)
                best_sets(node.list(c), node.m);
            else
                sized_sets(c);
        }
        for (std::size_t side = 0; side < 2; ++side) {
            const V first = gained.side(side), sum = total.side(side), count = rows.side(side);
            for (std::size_t k = 0; k < Batch<T>::kLanes; ++k) {
                const i64 p = first[k], n = p - sum[k];
                batch.leaf[side][k] = std::min(p, n) * items.unit;
                batch.test[side][k] = std::min(p - high[side][k], n + low[side][k]) * items.unit;
                if constexpr (kSized) {
                    if (high[side][k] == kNone) batch.test[side][k] = kNever;
                    if (count[k] < batch.min_rows) batch.leaf[side][k] = kNever;
                }
            }
        }
    }

    // Offers what one branch of a test would bring.
    HORNBEAM_TARGET HORNBEAM_INLINE void offer(std::size_t side, V sum, V count) {
        if constexpr (kSized) {
            const V all_rows = rows.side(side);
            high[side] = larger(high[side], where_enough(count, all_rows, batch.min_rows, sum, high[side]));
            low[side] = smaller(low[side], where_enough(count, all_rows, batch.min_rows, sum, low[side]));
        } else {
            high[side] = larger(high[side], sum);
            low[side] = smaller(low[side], sum);
        }
    }
    HORNBEAM_TARGET HORNBEAM_INLINE void offer(const Sums& sum, const Sums& count) {
        for (std::size_t side = 0; side < 2; ++side) offer(side, sum.side(side), count.side(side));
    }

    HORNBEAM_TARGET void walk(std::size_t column) {
        const u32* list = batch.node->list(column);
        const u32 known = batch.node->known[column], m = batch.node->m;
        Sums missing, missing_rows;
        for (u32 i = known; i < m; ++i) take(list[i], missing, missing_rows);
        if constexpr (kSized)
            each_cut(list, known, known < m, missing, missing_rows);
        else
            front_and_back(list, known, batch.walks[column], known < m, missing);
    }

    HORNBEAM_TARGET void each_cut(const u32* list, u32 known, bool has_gaps, const Sums& missing,
                                  const Sums& missing_rows) {
        Sums sum, count;
        for (u32 i = 0; i < known; ++i) {
            take(list[i] & kItem, sum, count);
            if (!(list[i] & kEnd)) continue;
            offer(sum, count);
            if (!has_gaps) continue;
            offer(0, sum.left + missing.left, count.left + missing_rows.left);
            offer(1, sum.side(1) + missing.side(1), count.side(1) + missing_rows.side(1));
        }
    }

    // The sums before a cut of the back are all but those behind it.
    HORNBEAM_TARGET void front_and_back(const u32* list, u32 known, const Walk<T>& walk, bool has_gaps,
                                        const Sums& missing) {
        auto &front = batch.sums[0], &back = batch.sums[1];
        add_up(batch.value.data(), list, 0, walk.first, front.data());
        add_up(batch.value.data(), list, walk.end, known, back.data());
        const T all_back = walk.of_back;
        Extremes before, behind;
        before.look(front.data(), walk.high[0], walk.low[0]);
        behind.look(back.data(), walk.high[1], walk.low[1]);
        for (std::size_t side = 0; side < 2; ++side) {
            const V last = back[known].x, of_back = side == 0 ? last : all_back - last;
            const V gap = missing.side(side), before_back = total.side(side) - gap - of_back;
            const V up = larger(before.high[side], before_back + behind.high[side]);
            const V down = smaller(before.low[side], before_back + behind.low[side]);
            offer(side, up, V{}), offer(side, down, V{});
            if (has_gaps) offer(side, up + gap, V{}), offer(side, down + gap, V{});
        }
    }

    // The largest and smallest sums on each side.
    struct Extremes {
        V high[2]{}, low[2]{};
        using Cuts = std::vector<typename Walk<T>::Cut>;
        HORNBEAM_TARGET HORNBEAM_INLINE void look(const typename Batch<T>::Lanes* sums, const Cuts& up,
                                                  const Cuts& down) {
            V a = high[0], b = high[1];
            for (const auto& cut : up) {
                const V left = sums[cut.at].x;
                a = larger(a, left), b = larger(b, cut.all - left);
            }
            high[0] = a, high[1] = b, a = low[0], b = low[1];
            for (const auto& cut : down) {
                const V left = sums[cut.at].x;
                a = smaller(a, left), b = smaller(b, cut.all - left);
            }
            low[0] = a, low[1] = b;
        }
    };

    HORNBEAM_TARGET HORNBEAM_INLINE void take(u32 item, Sums& sum, Sums& count) {
        sum.add(batch.value[item].x, batch.amount[item]);
        if constexpr (kSized) count.add(batch.counted[item].x, batch.n_rows[item]);
    }

    // Every value of a nominal column goes where it costs less: no set of values is better.
    HORNBEAM_TARGET void best_sets(const u32* list, u32 m) {
        V up[2]{}, down[2]{};
        Sums sum, unused;
        for (u32 i = 0; i < m; ++i) {
            take(list[i] & kItem, sum, unused);
            if (!(list[i] & kEnd) && i + 1 < m) continue;
            for (std::size_t side = 0; side < 2; ++side)
                up[side] += larger(sum.side(side), V{}), down[side] += smaller(sum.side(side), V{});
            sum = Sums{};
        }
        for (std::size_t side = 0; side < 2; ++side) offer(side, up[side], V{}), offer(side, down[side], V{});
    }

    HORNBEAM_TARGET void sized_sets(std::size_t column) {
        Sums sum, count;
        each_set(
            batch, column, [&](u32 item) HORNBEAM_TARGET { take(item, sum, count); },
            [&]() HORNBEAM_TARGET {
                offer(sum, count);
                sum = count = Sums{};
            });
    }
};

template <class T>
HORNBEAM_TARGET void run_batch(Batch<T>& batch) {
    FillLanes<T>{batch}.run();
    if constexpr (std::is_floating_point_v<T>) {
        if (batch.min_rows > 1)
            RealAnswers<T, true>{batch}.run();
        else
            RealAnswers<T, false>{batch}.run();
    } else if (batch.items->n_answers <= 2) {
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
