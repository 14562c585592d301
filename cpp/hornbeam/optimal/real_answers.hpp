// What the best single test on each side of a batch's tests costs, where leaves answer means of numbers.
// batch.cpp includes this once for each instruction set, after lanes.hpp.

// A side's cost is what its items' own means save, less what the means of two branches save: the square of the sum over
// the weight, of either branch.
template <class T, bool kSized>
struct RealAnswers {
    using V = decltype(Batch<T>::Lanes::x);

    // Sums over some items: numbers, weights and rows, in the lanes that send them left, and of all.
    struct Sums {
        V left{}, weight{}, rows{};
        T all = 0, all_weight = 0, all_rows = 0;
    };

    Batch<T>& batch;
    V best[2]{};
    Sums total{};

    HORNBEAM_TARGET void run() {
        const Items& items = *batch.items;
        const ItemNode& node = *batch.node;
        for (u32 i = 0; i < node.m; ++i) take(total, node.list(0)[i] & kItem);
        best[0] = best[1] = V{} - 1;  // none
        for (std::size_t c = 0; c < items.n_columns(); ++c) {
            if (!items.problem().columns[c].nominal) {
                walk(node.list(c), node.known[c], node.m, batch.walks[c]);
                continue;
            }
            Sums sum;
            each_set(
                batch, c, [&](u32 item) HORNBEAM_TARGET { take(sum, item); },
                [&]() HORNBEAM_TARGET {
                    offer(sum);
                    sum = Sums{};
                });
        }
        for (std::size_t side = 0; side < 2; ++side) {
            const V one = saved(side == 0 ? total.left : total.all - total.left,
                                side == 0 ? total.weight : total.all_weight - total.weight);
            const V rows = side == 0 ? total.rows : total.all_rows - total.rows;
            for (std::size_t k = 0; k < Batch<T>::kLanes; ++k) {
                const i64 left = k < batch.tests.size() ? batch.tests[k].full_left : 0;
                const i64 squares = side == 0 ? left : node.square - left;
                const auto cost = [&](T benefit) { return std::max<i64>(squares - static_cast<i64>(benefit), 0); };
                batch.leaf[side][k] = kSized && rows[k] < batch.min_rows ? kNever : cost(one[k]);
                batch.test[side][k] = best[side][k] < 0 ? kNever : cost(best[side][k]);
            }
        }
    }

    HORNBEAM_TARGET HORNBEAM_INLINE void take(Sums& sum, u32 item) {
        sum.left += batch.value[item].x;
        sum.weight += batch.weighed[item].x;
        sum.all += batch.amount[item];
        sum.all_weight += batch.weight[item];
        if constexpr (kSized) sum.rows += batch.counted[item].x, sum.all_rows += batch.n_rows[item];
    }

    // As saved_by_mean; no weight, no sum.
    HORNBEAM_TARGET HORNBEAM_INLINE static V saved(V sum, V weight) {
        return (sum * sum / larger(weight, V{} + 1) + static_cast<T>(kRounder)) - static_cast<T>(kRounder);
    }

    // A test that sends the items of some sums to one branch, and the others to the other one.
    HORNBEAM_TARGET HORNBEAM_INLINE void offer(const Sums& sum) {
        const V a = saved(sum.left, sum.weight) + saved(total.left - sum.left, total.weight - sum.weight);
        const V right = sum.all - sum.left, weight = sum.all_weight - sum.weight;
        const V rest = (total.all - total.left) - right, rest_weight = (total.all_weight - total.weight) - weight;
        const V b = saved(right, weight) + saved(rest, rest_weight);
        if constexpr (kSized) {
            const V rows = sum.all_rows - sum.rows, all_rows = total.all_rows - total.rows;
            best[0] = larger(best[0], where_enough(sum.rows, total.rows, batch.min_rows, a, best[0]));
            best[1] = larger(best[1], where_enough(rows, all_rows, batch.min_rows, b, best[1]));
        } else {
            best[0] = larger(best[0], a);
            best[1] = larger(best[1], b);
        }
    }

    // From both ends up to the longest run: the items behind a cut tell its test as well as those before it.
    HORNBEAM_TARGET void walk(const u32* list, u32 known, u32 m, const Walk<T>& run) {
        Sums missing;
        for (u32 i = known; i < m; ++i) take(missing, list[i]);
        for (const bool with_missing : {false, true}) {
            if (with_missing && known == m) break;
            Sums sum = with_missing ? missing : Sums{};
            for (u32 i = 0; i < run.first; ++i) {
                take(sum, list[i] & kItem);
                if (list[i] & kEnd) offer(sum);
            }
            sum = with_missing ? Sums{} : missing;
            if (known < m) offer(sum);  // all known items on one side
            for (u32 i = known; i-- > run.end;) {
                take(sum, list[i] & kItem);
                if (i > 0 && (list[i - 1] & kEnd)) offer(sum);
            }
        }
    }
};
