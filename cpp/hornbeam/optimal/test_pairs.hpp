// All pairs of tests of a node, counted by bit sets: for tables of few different tests, such as columns of two values.
//
// A test is the set of items on its smaller side, a bit for each unit of benefit; the bits of one answer lie together.
// How much of each answer has both tests, one of them or none follows from the bits that two sets share, so that one
// count tells what each test costs with the other one below it, on either side.
#pragma once

#include "hornbeam/optimal/cuts_of_line.hpp"

namespace hornbeam::optimal {

struct TestPairs {
    struct Test {
        std::size_t line;
        u32 index;                    // of the cut
        bool is_right;                // whether the bits stand for the right side
        i64 inside = 0, outside = 0;  // the most benefit of one more test among the items with a bit, and the others
    };

    std::vector<Test> tests;
    std::size_t n_answers = 0, n_words = 0;
    std::vector<std::size_t> first_word;  // of each answer, and the end
    std::vector<u64> bits;                // of each test
    std::vector<u32> count, total;        // bits of each test and answer; of each answer

    const u64* bits_of(std::size_t test) const { return bits.data() + test * n_words; }

    // Makes the sets of all cuts of a node, unless another way is faster: `other` is its price in steps.
    bool open(const Items& items, const ItemNode& node, const std::vector<Line>& lines,
              const std::vector<CutsOfLine>& cuts, double other) {
        if (!items.all_sets) return false;
        std::size_t n = 0;
        for (std::size_t j = 0; j < lines.size(); ++j) n += cuts[j].cut.size();
        const double least = static_cast<double>(n) * static_cast<double>(n) / 2;
        if (least * (5 + static_cast<double>(node.m) / 64) > other) return false;
        place_items(items, node);
        if (least * static_cast<double>(n_words + 3 * n_answers) > other) return false;
        tests.clear();
        bits.assign(n * n_words, 0);
        for (std::size_t j = 0; j < lines.size(); ++j) add_line(items, node, lines[j], cuts[j], j);
        count.assign(n * n_answers, 0);
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t a = 0; a < n_answers; ++a)
                for (std::size_t w = first_word[a]; w < first_word[a + 1]; ++w)
                    count[t * n_answers + a] += static_cast<u32>(std::popcount(bits_of(t)[w]));
        return true;
    }

    // The most benefit of one answer for a test's items with a bit, and for the others.
    std::pair<i64, i64> one_answer(std::size_t test) const {
        u32 inside = 0, outside = 0;
        for (std::size_t a = 0; a < n_answers; ++a) {
            inside = std::max(inside, count[test * n_answers + a]);
            outside = std::max(outside, total[a] - count[test * n_answers + a]);
        }
        return {inside, outside};
    }

  private:
    std::vector<std::size_t> place_;  // of each item: its first bit
    std::vector<u32> n_bits_;

    static std::size_t answer_of(const Items& items, u32 item) {
        return items.n_answers > 2 ? static_cast<std::size_t>(items.answer[item]) : items.amount[item] < 0 ? 1 : 0;
    }

    void place_items(const Items& items, const ItemNode& node) {
        n_answers = static_cast<std::size_t>(std::max(items.n_answers, 2));
        place_.resize(items.size());
        n_bits_.resize(items.size());
        total.assign(n_answers, 0);
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(0)[i] & kItem;
            const i64 amount = items.amount[item] < 0 ? -items.amount[item] : items.amount[item];
            n_bits_[item] = static_cast<u32>(std::min<i64>(amount / items.unit, kItem));
            total[answer_of(items, item)] += n_bits_[item];
        }
        first_word.assign(n_answers + 1, 0);
        for (std::size_t a = 0; a < n_answers; ++a)
            first_word[a + 1] = first_word[a] + (std::size_t{total[a]} + 63) / 64;
        n_words = first_word[n_answers];
        std::vector<std::size_t> next(n_answers);
        for (std::size_t a = 0; a < n_answers; ++a) next[a] = 64 * first_word[a];
        for (u32 i = 0; i < node.m; ++i) {
            const u32 item = node.list(0)[i] & kItem;
            std::size_t& at = next[answer_of(items, item)];
            place_[item] = at;
            at += n_bits_[item];
        }
    }

    void set_bits(u64* to, u32 item) const {
        for (std::size_t bit = place_[item]; bit < place_[item] + n_bits_[item]; ++bit)
            to[bit / 64] |= u64{1} << (bit % 64);
    }

    void add_line(const Items& items, const ItemNode& node, const Line& line, const CutsOfLine& cuts, std::size_t j) {
        const u32* list = node.list(line.column);
        const u32 known = node.known[line.column];
        for (u32 index = 0; index < cuts.cut.size(); ++index) {
            const u32 cut = cuts.cut[index];
            u64* to = bits.data() + tests.size() * n_words;
            const u32 n_left = cut + (line.missing_left ? node.m - known : 0);
            const bool is_right = line.set == nullptr && 2 * n_left > node.m;
            if (line.set != nullptr) {
                for (u32 i = 0; i < node.m; ++i)
                    if (line.set->has(items.code(line.column, list[i] & kItem))) set_bits(to, list[i] & kItem);
            } else {
                for (u32 i = is_right ? cut : 0; i < (is_right ? known : cut); ++i) set_bits(to, list[i] & kItem);
                for (u32 i = known; line.missing_left != is_right && i < node.m; ++i) set_bits(to, list[i] & kItem);
            }
            tests.push_back({j, index, is_right});
        }
    }
};

// Fills `inside` and `outside` of all tests.
void count_pairs(TestPairs& pairs);

}  // namespace hornbeam::optimal
