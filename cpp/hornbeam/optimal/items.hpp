// The rows as the search for optimal trees sees them: rows that no test tells apart are one group, and what a group
// costs at least, whatever is answered, is set aside.
//
// Of numbers a group has a sum and a weight. With two answers a group is one number: how much dearer the second answer
// is. With more, it is an item for each answer that is better than the worst one, with its benefit; `full` is the
// benefit of the group's best answer. A leaf costs the sum of `full` less the benefit of the leaf's answer.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "hornbeam/optimal/optimal.hpp"

namespace hornbeam::optimal {

inline constexpr u32 kEnd = u32{1} << 31;  // marks the last item of a value in a sorted list
inline constexpr u32 kItem = kEnd - 1;

// A set of values that a nominal column may test: by code, whether it goes left; missing values are the last.
struct ValueSet {
    std::size_t column;
    std::vector<u8> left;
    bool has(i32 code) const { return left[code < 0 ? left.size() - 1 : static_cast<std::size_t>(code)] != 0; }
};

// The square of a sum over its weight, as a whole number: what answering the mean saves. The same in every kernel:
// numbers below 2^51 are rounded by adding and subtracting a large one.
inline constexpr double kRounder = 6755399441055744.0;
inline i64 saved_by_mean(i64 sum, i64 weight) {
    if (weight <= 0) return 0;
    const double s = static_cast<double>(sum);
    return static_cast<i64>((s * s / static_cast<double>(weight) + kRounder) - kRounder);
}

class Items {
  public:
    explicit Items(const OptimalProblem& problem) : problem_(problem), n_answers(problem.n_answers) {
        group_rows();
        sort_columns();
        for (i64 value : amount) unit = std::gcd(unit, value);
        unit = is_real() ? 1 : std::max<i64>(unit, 1);
    }

    std::size_t n_columns() const { return problem_.columns.size(); }
    std::size_t size() const { return amount.size(); }
    const OptimalProblem& problem() const { return problem_; }
    bool is_real() const { return n_answers == 0; }
    std::size_t n_means() const { return static_cast<std::size_t>(problem_.n_means); }
    // What rounding may add to the cost of a tree: half a unit for each leaf, twice.
    i64 slack() const { return is_real() ? i64{1} << std::min(problem_.max_depth + 1, 20) : 0; }
    i32 code(std::size_t column, u32 item) const { return problem_.columns[column].codes[row[item]]; }

  private:
    const OptimalProblem& problem_;

  public:
    const int n_answers;
    i64 least = 0;                          // what all groups cost whatever is answered
    i64 unit = 0;                           // all amounts are multiples of it
    std::vector<i64> amount, full, n_rows;  // of each item
    std::vector<i32> answer;                // of each item, with more than two answers
    std::vector<i64> weight, square;        // of each item, if it is a number: `amount` times its mean is `square`
    std::vector<i64> means;                 // of each item, where means are ordered: a weight, and what each mean adds
    std::vector<u32> row;                   // a row that has the item's values
    std::vector<std::array<u64, 2>> key;
    std::vector<u32> order;  // for each column the items, sorted, the missing ones last; kEnd marks the ends of values
    std::vector<u32> known;  // how many of them are known
    std::vector<ValueSet> sets;
    bool all_sets = true;

  private:
    i64 lowest_ = 0, highest_ = 0;  // of all numbers

    void group_rows() {
        const std::size_t n = is_real()                  ? problem_.numbers.size()
                              : problem_.columns.empty() ? problem_.costs.size() / static_cast<std::size_t>(n_answers)
                                                         : problem_.columns[0].codes.size();
        if (is_real() && n > 0) {
            const auto [low, high] = std::minmax_element(problem_.numbers.begin(), problem_.numbers.end());
            lowest_ = *low, highest_ = *high;
        }
        std::vector<u32> rows(n);
        std::iota(rows.begin(), rows.end(), u32{0});
        // By a hash of the values, then by the values: groups are the same in any order of the rows.
        std::vector<u64> hash(n, 0);
        for (std::size_t c = 0; c < n_columns(); ++c)
            for (std::size_t i = 0; i < n; ++i)
                hash[i] = mix_bits(hash[i] + kMixStep + static_cast<u64>(problem_.columns[c].codes[i] + 1));
        const auto before = [&](u32 a, u32 b) {
            if (hash[a] != hash[b]) return hash[a] < hash[b];
            for (const OptimalColumn& column : problem_.columns)
                if (column.codes[a] != column.codes[b]) return column.codes[a] < column.codes[b];
            return false;
        };
        std::sort(rows.begin(), rows.end(), before);
        const auto k = static_cast<std::size_t>(n_answers);
        std::vector<i64> cost(k), means_of_group(n_means() > 0 ? n_means() + 1 : 0);
        for (std::size_t first = 0, last; first < n; first = last) {
            i64 n_group = 0, sum = 0, heft = 0, squares = 0;
            std::fill(cost.begin(), cost.end(), 0);
            std::fill(means_of_group.begin(), means_of_group.end(), 0);
            for (last = first; last < n && !before(rows[first], rows[last]); ++last) {
                const u32 i = rows[last];
                for (std::size_t a = 0; a < k; ++a) cost[a] += problem_.costs[i * k + a];
                for (std::size_t f = 0; f < means_of_group.size(); ++f)
                    means_of_group[f] += problem_.means[i * means_of_group.size() + f];
                n_group += problem_.rows.empty() ? 1 : problem_.rows[i];
                if (!is_real()) continue;
                const i64 y = problem_.numbers[i], w = problem_.weights[i];
                sum += w * y, heft += w, squares += w * y * y;
            }
            const std::size_t first_item = size();
            if (is_real())
                add_numbers(sum, heft, squares, rows[first], n_group);
            else
                add_group(cost, rows[first], n_group);
            means.resize(size() * means_of_group.size());  // counted once, with the first item
            if (size() > first_item)
                std::ranges::copy(means_of_group,
                                  means.begin() + static_cast<std::ptrdiff_t>(first_item * means_of_group.size()));
        }
    }

    void add_numbers(i64 sum, i64 heft, i64 squares, u32 of_row, i64 n_group) {
        const u64 i = amount.size() + 1;
        amount.push_back(sum);
        weight.push_back(heft);
        square.push_back(saved_by_mean(sum, heft) + 1);  // never less than it is, so that more items never cost less
        least += std::max<i64>(squares - square.back(), 0);
        // However far the mean of its leaf is: no further than the numbers go.
        const double mean = static_cast<double>(sum) / static_cast<double>(std::max<i64>(heft, 1));
        const double far = std::max(mean - static_cast<double>(lowest_), static_cast<double>(highest_) - mean);
        full.push_back(static_cast<i64>(static_cast<double>(heft) * far * far) + 2 + 2 * slack());
        answer.push_back(0);
        row.push_back(of_row);
        n_rows.push_back(n_group);
        key.push_back({mix_bits(i * kMixStep), mix_bits(~i * kMixStep)});
    }

    void add_group(const std::vector<i64>& cost, u32 of_row, i64 n_group) {
        const auto [low, high] = std::minmax_element(cost.begin(), cost.end());
        least += *low;
        if (*low == *high && problem_.min_rows <= 1 && n_means() == 0) return;  // all answers are as good
        const auto add = [&](i64 value, i32 of_answer, i64 of_group, i64 count) {
            const u64 i = amount.size() + 1;
            amount.push_back(value);
            answer.push_back(of_answer);
            full.push_back(of_group);
            row.push_back(of_row);
            n_rows.push_back(count);
            key.push_back({mix_bits(i * kMixStep), mix_bits(~i * kMixStep)});
        };
        if (n_answers <= 2) {
            const i64 dearer = n_answers == 2 ? cost[1] - cost[0] : 0;
            return add(dearer, 0, dearer < 0 ? -dearer : dearer, n_group);
        }
        i64 best = *high - *low;
        for (std::size_t a = 0; a < cost.size(); ++a)
            if (cost[a] < *high || (*low == *high && a == 0)) {
                add(*high - cost[a], static_cast<i32>(a), best, n_group);
                best = n_group = 0;  // counted once
            }
    }

    // Those of one answer together, so that they are beside each other within a value, too (walk.hpp).
    std::vector<u32> items_by_answer() const {
        const auto slot = [&](std::size_t i) {
            return n_answers > 2 ? static_cast<std::size_t>(answer[i]) : amount[i] < 0 && !is_real() ? 1U : 0U;
        };
        std::vector<u32> place(static_cast<std::size_t>(std::max(n_answers, 2)) + 1, 0), out(size());
        for (std::size_t i = 0; i < size(); ++i) ++place[slot(i) + 1];
        for (std::size_t a = 1; a < place.size(); ++a) place[a] += place[a - 1];
        for (std::size_t i = 0; i < size(); ++i) out[place[slot(i)]++] = static_cast<u32>(i);
        return out;
    }

    void sort_columns() {
        const std::size_t m = size();
        order.resize(m * n_columns());
        known.resize(n_columns());
        std::vector<u32> place;
        const std::vector<u32> by_answer = items_by_answer();
        for (std::size_t c = 0; c < n_columns(); ++c) {
            const OptimalColumn& column = problem_.columns[c];
            const std::size_t n_values = static_cast<std::size_t>(column.n_values);
            place.assign(n_values + 2, 0);
            const auto slot = [&](std::size_t i) {  // missing values come last
                const i32 of_item = code(c, static_cast<u32>(i));
                return of_item < 0 ? n_values : static_cast<std::size_t>(of_item);
            };
            for (std::size_t i = 0; i < m; ++i) ++place[slot(i) + 1];
            for (std::size_t v = 1; v < place.size(); ++v) place[v] += place[v - 1];
            known[c] = place[n_values];
            u32* list = order.data() + c * m;
            const std::vector<u32> start = place;
            for (const u32 i : by_answer) list[place[slot(i)]++] = i;
            for (std::size_t v = 0; v < n_values; ++v)
                if (start[v + 1] > start[v]) list[start[v + 1] - 1] |= kEnd;
            if (column.nominal) add_sets(c, list, start);
        }
    }

    // All sets of up to eight values (missing is one); of more, each value against the rest, and for each answer the
    // values in the order of its share, cut anywhere.
    void add_sets(std::size_t c, const u32* list, const std::vector<u32>& start) {
        const std::size_t n_slots = start.size() - 1;
        std::vector<std::size_t> present;
        for (std::size_t v = 0; v < n_slots; ++v)
            if (start[v + 1] > start[v]) present.push_back(v);
        const auto add = [&](auto&& in_set) {
            ValueSet set{c, std::vector<u8>(n_slots, 0)};
            for (std::size_t j = 0; j < present.size(); ++j) set.left[present[j]] = in_set(j) ? 1 : 0;
            sets.push_back(std::move(set));
        };
        if (present.size() <= 8) {
            for (u32 bits = 1; present.size() > 1 && bits < (u32{1} << (present.size() - 1)); ++bits)
                add([&](std::size_t j) { return (bits >> j & 1) != 0; });
            return;
        }
        all_sets = false;
        for (std::size_t one = 0; one < present.size(); ++one) add([&](std::size_t j) { return j == one; });
        for (int a = 0; a < (n_answers <= 2 ? 1 : n_answers); ++a) {
            std::vector<double> share(present.size());
            for (std::size_t j = 0; j < present.size(); ++j) {
                double own = 0, all = 0;
                for (u32 i = start[present[j]]; i < start[present[j] + 1]; ++i) {
                    const u32 item = list[i] & kItem;
                    all += static_cast<double>(is_real() ? weight[item] : full[item]);
                    if (n_answers <= 2 || answer[item] == a) own += static_cast<double>(amount[item]);
                }
                share[j] = all > 0 ? own / all : 0;
            }
            std::vector<std::size_t> by_share(present.size()), place(present.size());
            std::iota(by_share.begin(), by_share.end(), std::size_t{0});
            std::stable_sort(by_share.begin(), by_share.end(), [&](auto x, auto y) { return share[x] < share[y]; });
            for (std::size_t j = 0; j < by_share.size(); ++j) place[by_share[j]] = j;
            for (std::size_t cut = 2; cut + 1 < present.size(); ++cut)
                add([&](std::size_t j) { return place[j] < cut; });
        }
    }
};

}  // namespace hornbeam::optimal
