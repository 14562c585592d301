// What the best single test on each side of a batch's tests costs, with more than two answers.
// batch.cpp includes this once for each instruction set, after lanes.hpp.

// With more answers. The benefit of the best answer only grows as items are added, so a walk forwards and one backwards
// give it for both branches of every cut.
template <class T, bool kSized>
struct ManyAnswers {
    using Lanes = typename Batch<T>::Lanes;
    using V = decltype(Lanes::x);

    // Sums of the items that were taken: of each answer in the lanes that send it left, and of all; and their rows.
    struct Taken {
        std::vector<Lanes> left{};
        std::vector<T> all{};
        V rows[2]{};
    };

    Batch<T>& batch;
    V best[2]{};
    Taken total{}, front{}, back{};

    HORNBEAM_TARGET void run() {
        const Items& items = *batch.items;
        const ItemNode& node = *batch.node;
        for (Taken* taken : {&total, &front, &back}) {
            taken->left.resize(static_cast<std::size_t>(items.n_answers));
            taken->all.resize(static_cast<std::size_t>(items.n_answers));
        }
        V one[2]{};
        for (u32 i = 0; i < node.m; ++i) take(total, node.list(0)[i] & kItem, one[0], one[1]);
        if constexpr (kSized) best[0] = best[1] = V{} - 1;  // none
        for (std::size_t c = 0; c < items.n_columns(); ++c) {
            if (items.problem().columns[c].nominal) {
                if constexpr (kSized)
                    sized_sets(c);
                else
                    best_sets(node.list(c), node.m);
                continue;
            }
            if constexpr (!kSized) {
                const Walk<T>& own = batch.walks[c];
                add_up(batch.value.data(), node.list(c), 0, own.first, batch.sums[0].data());
                add_up(batch.value.data(), node.list(c), own.end, node.known[c], batch.sums[1].data());
            }
            walk(c, false);
            if (node.known[c] < node.m) walk(c, true);
        }
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t lane = 0; lane < Batch<T>::kLanes; ++lane) {
                const i64 left = lane < batch.tests.size() ? batch.tests[lane].full_left : 0;
                const i64 full = side == 0 ? left : node.full - left;
                batch.leaf[side][lane] = full - one[side][lane] * items.unit;
                batch.test[side][lane] = best[side][lane] < 0 ? kNever : full - best[side][lane] * items.unit;
                if constexpr (kSized)
                    if (total.rows[side][lane] < batch.min_rows) batch.leaf[side][lane] = kNever;
            }
    }

    HORNBEAM_TARGET static void clear(Taken& taken) {
        for (auto& sum : taken.left) sum.x = V{};
        std::fill(taken.all.begin(), taken.all.end(), T{0});
        taken.rows[0] = taken.rows[1] = V{};
    }

    // Adds an item to the sums, and raises the benefits of the best answer, which stay in registers.
    HORNBEAM_TARGET HORNBEAM_INLINE void take(Taken& taken, u32 item, V& a, V& b) {
        const auto j = static_cast<std::size_t>(batch.items->answer[item]);
        const V left = taken.left[j].x + batch.value[item].x;
        const T all = static_cast<T>(taken.all[j] + batch.amount[item]);
        taken.left[j].x = left;
        taken.all[j] = all;
        a = larger(a, left);
        b = larger(b, all - left);
        if constexpr (kSized) {
            taken.rows[0] += batch.counted[item].x;
            taken.rows[1] += batch.n_rows[item] - batch.counted[item].x;
        }
    }

    // The same for a run of a column's front or back, whose items are of one answer.
    HORNBEAM_TARGET HORNBEAM_INLINE void take_run(Taken& taken, const u32* list, std::size_t part, u32 start,
                                                  const typename Walk<T>::Run& run, V& a, V& b) {
        if constexpr (kSized) {
            for (u32 i = start; i < run.end; ++i) take(taken, list[i] & kItem, a, b);
        } else {
            const Lanes* sums = batch.sums[part].data();
            const V left = taken.left[run.answer].x + (sums[run.end].x - sums[start].x);
            const T all = static_cast<T>(taken.all[run.answer] + run.amount);
            taken.left[run.answer].x = left;
            taken.all[run.answer] = all;
            a = larger(a, left);
            b = larger(b, all - left);
        }
    }

    // From the sums of some items to those of all others; their rows stay.
    HORNBEAM_TARGET void exchange(Taken& taken, V& a, V& b) {
        a = b = V{};
        for (std::size_t j = 0; j < total.left.size(); ++j) {
            const V left = total.left[j].x - taken.left[j].x;
            const T all = static_cast<T>(total.all[j] - taken.all[j]);
            taken.left[j].x = left;
            taken.all[j] = all;
            a = larger(a, left);
            b = larger(b, all - left);
        }
    }

    HORNBEAM_TARGET HORNBEAM_INLINE void offer(std::size_t side, V gained, V count) {
        if constexpr (kSized) gained = where_enough(count, total.rows[side], batch.min_rows, gained, best[side]);
        best[side] = larger(best[side], gained);
    }

    static constexpr std::size_t kStep = kSized ? 4 : 2;
    HORNBEAM_TARGET HORNBEAM_INLINE void keep(u32 i, const Taken& taken, V a, V b) {
        Lanes* kept = batch.scratch.data() + kStep * i;
        kept[0].x = a, kept[1].x = b;
        if constexpr (kSized) kept[2].x = taken.rows[0], kept[3].x = taken.rows[1];
    }
    HORNBEAM_TARGET HORNBEAM_INLINE void offer_with_kept(u32 i, V a, V b, V& best_a, V& best_b) {
        const Lanes* kept = batch.scratch.data() + kStep * i;
        if constexpr (kSized) {
            offer(0, a + kept[0].x, kept[2].x);
            offer(1, b + kept[1].x, kept[3].x);
        } else {
            best_a = larger(best_a, a + kept[0].x);
            best_b = larger(best_b, b + kept[1].x);
        }
    }

    // The benefits of the items on one side of each cut are kept, then added to those of the other side. From both ends
    // up to the longest part, whose items are never met: they are what the others leave. The two ends take turns, since
    // each addition waits for the one before it.
    HORNBEAM_TARGET void walk(std::size_t column, bool missing_before) {
        const u32 *list = batch.node->list(column), known = batch.node->known[column], m = batch.node->m;
        const Walk<T>& own = batch.walks[column];
        const auto* runs = own.runs.data();
        const auto n_runs = static_cast<u32>(own.runs.size());
        if (known == 0) return;
        if (batch.scratch.size() < kStep * (n_runs + 1)) batch.scratch.resize(kStep * (n_runs + 1));
        clear(front);
        clear(back);
        V a{}, b{}, c{}, d{}, best_a{}, best_b{};
        for (u32 i = known; i < m; ++i) missing_before ? take(front, list[i], a, b) : take(back, list[i], c, d);
        const auto forwards = [&](u32 r) HORNBEAM_TARGET {
            take_run(front, list, 0, own.start_of(r), runs[r], a, b);
            keep(r, front, a, b);
        };
        const auto backwards = [&](u32 r) HORNBEAM_TARGET {
            keep(r, back, c, d);
            take_run(back, list, 1, own.start_of(r), runs[r], c, d);
        };
        u32 i = 0, j = n_runs;
        while (i < own.first_run && j > own.end_run) forwards(i++), backwards(--j);
        while (i < own.first_run) forwards(i++);
        while (j > own.end_run) backwards(--j);
        keep(n_runs, back, c, d);
        exchange(front, a, b);
        exchange(back, c, d);
        if (own.length() > 0) offer_with_kept(n_runs, c, d, best_a, best_b);
        const auto to_start = [&](u32 r) HORNBEAM_TARGET {
            if (runs[r].is_cut) offer_with_kept(r, a, b, best_a, best_b);
            take_run(front, list, 0, own.start_of(r), runs[r], a, b);
        };
        const auto to_end = [&](u32 r) HORNBEAM_TARGET {
            take_run(back, list, 1, own.start_of(r), runs[r], c, d);
            if (runs[r].is_cut) offer_with_kept(r, c, d, best_a, best_b);
        };
        while (i > 0 && j < n_runs) to_start(--i), to_end(j++);
        while (i > 0) to_start(--i);
        while (j < n_runs) to_end(j++);
        if constexpr (!kSized) offer(0, best_a, V{}), offer(1, best_b, V{});
    }

    // For each pair of answers, every value of a nominal column gets the better one.
    HORNBEAM_TARGET void best_sets(const u32* list, u32 m) {
        const std::size_t k = total.left.size();
        std::vector<Lanes>& pairs = batch.scratch;
        if (pairs.size() < k * k) pairs.resize(k * k);
        std::fill(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(k * k), Lanes{});
        clear(front);
        V a{}, b{};
        const auto side = [&](std::size_t j, std::size_t of)
                              HORNBEAM_TARGET { return of == 0 ? front.left[j].x : front.all[j] - front.left[j].x; };
        for (u32 i = 0; i < m; ++i) {
            take(front, list[i] & kItem, a, b);
            if (!(list[i] & kEnd) && i + 1 < m) continue;
            for (std::size_t u = 0; u < k; ++u)
                for (std::size_t v = 0; v < u; ++v)  // of the left side below the diagonal, of the right side above
                    pairs[u * k + v].x += larger(side(u, 0), side(v, 0)),
                        pairs[v * k + u].x += larger(side(u, 1), side(v, 1));
            clear(front);
        }
        for (std::size_t u = 0; u < k; ++u)
            for (std::size_t v = 0; v < u; ++v) offer(0, pairs[u * k + v].x, V{}), offer(1, pairs[v * k + u].x, V{});
    }

    HORNBEAM_TARGET void sized_sets(std::size_t column) {
        clear(front);
        V a{}, b{};
        each_set(
            batch, column, [&](u32 item) HORNBEAM_TARGET { take(front, item, a, b); },
            [&]() HORNBEAM_TARGET {
                const V inside_a = a, inside_b = b;
                exchange(front, a, b);
                offer(0, inside_a + a, front.rows[0]);
                offer(1, inside_b + b, front.rows[1]);
                clear(front);
                a = b = V{};
            });
    }
};
