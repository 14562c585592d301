// Nodes as sets of bits, for tables of few different tests, such as columns of two values.
//
// As in test_pairs.hpp an item has a bit for each unit of its benefit, and the bits of one answer lie together; but the
// bits of every test are made once, for all items. A node is a set of bits, its sides are what it shares with a test
// and what is left, and before pairs of tests are counted its bits are moved together. So no list is divided for the
// nodes of two levels, which are most of all.
#pragma once

#include "hornbeam/optimal/search_state.hpp"

namespace hornbeam::optimal {

class TestBits {
  public:
    // Moves the bits of one word that a mask has to its lower end (Hacker's Delight, 7-4), and on to their place.
    struct Move {
        std::size_t word, at;
        std::array<u64, 6> step{};
        Move(std::size_t of_word, u64 mask, std::size_t to) : word(of_word), at(to) {
            u64 gaps = ~mask << 1;
            for (int i = 0; i < 6; ++i) {
                u64 odd = gaps;  // where the number of gaps below is odd
                for (int s = 1; s < 64; s *= 2) odd ^= odd << s;
                const u64 moved = odd & mask;
                step[static_cast<std::size_t>(i)] = moved;
                mask = (mask ^ moved) | (moved >> (1 << i));
                gaps &= ~odd;
            }
        }
        u64 together(u64 bits) const {
            for (int i = 0; i < 6; ++i) {
                const u64 moved = bits & step[static_cast<std::size_t>(i)];
                bits = (bits ^ moved) | (moved >> (1 << i));
            }
            return bits;
        }
    };

    // `own`: the lines of the node of all items, opened.
    TestBits(const Items& items, const ItemNode& root, const Level& own) : items_(items) {
        std::size_t n_tests = 0;
        for (std::size_t j = 0; j < own.lines.size(); ++j) n_tests += own.cuts[j].cut.size();
        const auto n = static_cast<double>(n_tests);
        const double steps = 16 * static_cast<double>(root.m) * static_cast<double>(items.n_columns());
        if (items.is_real() || items.problem().min_rows > 1 || items.n_means() > 0 || !items.all_sets) return;
        if (n * n / 2 * static_cast<double>(root.m) / 64 > steps || !place_items(root)) return;
        const auto words = static_cast<double>(n_words_);
        if (n * n / 2 * (words + 3 * static_cast<double>(n_answers_)) > steps || n * words > kMostWords) return;
        for (std::size_t j = 0; j < own.lines.size(); ++j) add_line(root, own.lines[j], own.cuts[j].cut);
    }

    bool used() const { return !tests_.empty(); }

    void fill(ItemNode& root) const {
        root.bits.assign(n_words_, 0);
        for (u32 i = 0; i < root.m; ++i) set_bits(root.bits.data(), root.list(0)[i] & kItem);
        measure(root);
    }

    // The sides of a test as sets of bits; their lists are not divided.
    void divide(const ItemNode& node, const Line& line, u32 cut, ItemNode& a, ItemNode& b) const {
        const u64* test = bits_of(test_at(node, line, cut));
        a.bits.resize(n_words_);
        b.bits.resize(n_words_);
        for (std::size_t w = 0; w < n_words_; ++w) {
            a.bits[w] = node.bits[w] & test[w];
            b.bits[w] = node.bits[w] & ~test[w];
        }
        measure(a);
        measure(b);
    }

    // What a leaf costs, and which set it is.
    void measure(ItemNode& node) const {
        node.key = {};
        for (std::size_t w = 0; w < first_word_[n_answers_]; ++w) {
            if (node.bits[w] == 0) continue;
            const u64 salt = (w + 1) * kMixStep;
            node.key[0] += mix_bits(mix_bits(node.bits[w]) + salt);
            node.key[1] += mix_bits(mix_bits(~node.bits[w]) ^ salt);
        }
        u64 most = 0, all = 0;
        for (std::size_t a = 0; a < n_answers_; ++a) {
            const u64 own = count(node.bits.data(), first_word_[a], first_word_[a + 1]);
            most = std::max(most, own);
            all += own;
        }
        if (has_plane()) all = count(node.bits.data(), first_word_[n_answers_], n_words_);
        node.full = static_cast<i64>(all) * items_.unit;
        node.leaf = node.full - static_cast<i64>(most) * items_.unit;
    }

    // The tests that divide a node, with their bits moved together.
    void open(const ItemNode& node, TestPairs& pairs, std::vector<Move>& moves) const {
        pairs.tests.clear();
        pairs.n_answers = n_answers_;
        pairs.first_word.assign(n_answers_ + 1, 0);
        pairs.total.assign(n_answers_, 0);
        moves.clear();
        for (std::size_t a = 0; a < n_answers_; ++a) {
            std::size_t at = 64 * pairs.first_word[a];
            for (std::size_t w = first_word_[a]; w < first_word_[a + 1]; ++w)
                if (node.bits[w] != 0) {
                    moves.push_back(Move(w, node.bits[w], at));
                    at += static_cast<std::size_t>(std::popcount(node.bits[w]));
                }
            pairs.total[a] = static_cast<u32>(at - 64 * pairs.first_word[a]);
            pairs.first_word[a + 1] = (at + 63) / 64;
        }
        pairs.n_words = pairs.first_word[n_answers_];
        pairs.bits.assign((tests_.size() + 1) * pairs.n_words + 1, 0);  // a word may be written behind the last one
        pairs.count.assign(tests_.size() * n_answers_, 0);
        for (std::size_t t = 0; t < tests_.size(); ++t) add_moved(t, node, pairs, moves);
    }

    // What the left side of a pair's test may cost at most, whatever is answered.
    i64 full_left(const ItemNode& node, std::size_t test) const {
        const u64* bits = bits_of(test);
        const std::size_t first = has_plane() ? first_word_[n_answers_] : 0;
        u64 n = 0;
        for (std::size_t w = first; w < n_words_; ++w) n += static_cast<u64>(std::popcount(node.bits[w] & bits[w]));
        return static_cast<i64>(n) * items_.unit;
    }

    // A test by its line and its place in the lists of a node.
    Chosen chosen(const ItemNode& node, std::size_t test) const {
        const Test& own = tests_[test];
        if (own.is_set) return {own.line, 0};
        const u64 *bits = bits_of(test), *known = known_.data() + own.column * n_words_;
        u64 n = 0;
        for (std::size_t w = 0; w < first_word_[n_answers_]; ++w)
            n += static_cast<u64>(std::popcount(node.bits[w] & bits[w] & known[w] & first_bits_[w]));
        return {own.line, static_cast<u32>(n)};
    }

  private:
    static constexpr double kMostWords = 1 << 21;
    struct Test {
        u32 line;
        std::size_t column;
        bool is_set;
    };

    const u64* bits_of(std::size_t test) const { return bits_.data() + test * n_words_; }
    bool has_plane() const { return items_.n_answers > 2; }

    static u64 count(const u64* bits, std::size_t first, std::size_t end) {
        u64 n = 0;
        for (; first < end; ++first) n += static_cast<u64>(std::popcount(bits[first]));
        return n;
    }

    void add_moved(std::size_t t, const ItemNode& node, TestPairs& pairs, const std::vector<Move>& moves) const {
        const std::size_t number = pairs.tests.size();
        const u64* bits = bits_of(t);
        u64* to = pairs.bits.data() + number * pairs.n_words;
        for (const Move& move : moves) {
            const u64 some = bits[move.word] & node.bits[move.word];
            if (some == 0) continue;
            const u64 own = move.together(some);
            const std::size_t shift = move.at % 64;
            to[move.at / 64] |= own << shift;
            if (shift > 0) to[move.at / 64 + 1] |= own >> (64 - shift);
        }
        u64 inside = 0, all = 0;
        for (std::size_t a = 0; a < n_answers_; ++a) {
            const u64 n = count(to, pairs.first_word[a], pairs.first_word[a + 1]);
            pairs.count[number * n_answers_ + a] = static_cast<u32>(n);
            inside += n;
            all += pairs.total[a];
        }
        if (inside > 0 && inside < all) return pairs.tests.push_back({t, 0, false});
        std::fill(to, to + pairs.n_words, 0);  // it divides nothing
    }

    // Which test the first `cut` items of a node's list are.
    std::size_t test_at(const ItemNode& node, const Line& line, u32 cut) const {
        const std::vector<u32>& of_code = number_[line.number % Level::n_lines(items_)];
        if (line.set != nullptr) return of_code[0];
        return of_code[static_cast<std::size_t>(items_.code(line.column, node.list(line.column)[cut - 1] & kItem))];
    }

    bool place_items(const ItemNode& root) {
        n_answers_ = static_cast<std::size_t>(std::max(items_.n_answers, 2));
        std::vector<u64> total(n_answers_ + 1, 0);  // last the plane of what groups may cost
        const auto sections = [&](u32 item, auto&& add) {
            const i64 amount = items_.amount[item] < 0 ? -items_.amount[item] : items_.amount[item];
            const std::size_t a = items_.n_answers > 2      ? static_cast<std::size_t>(items_.answer[item])
                                  : items_.amount[item] < 0 ? 1
                                                            : 0;
            add(a, static_cast<u64>(amount / items_.unit), 0);
            if (has_plane()) add(n_answers_, static_cast<u64>(items_.full[item] / items_.unit), 1);
        };
        for (u32 i = 0; i < root.m; ++i)
            sections(root.list(0)[i] & kItem, [&](std::size_t a, u64 n, int) { total[a] += std::min<u64>(n, kEnd); });
        first_word_.assign(n_answers_ + 2, 0);
        for (std::size_t a = 0; a <= n_answers_; ++a) {
            if (total[a] > u64{64} << 20) return false;
            first_word_[a + 1] = first_word_[a] + (total[a] + 63) / 64;
        }
        n_words_ = first_word_[n_answers_ + 1];
        for (auto& place : place_) place.assign(items_.size(), {0, 0});
        first_bits_.assign(n_words_, 0);
        std::vector<u64> next(n_answers_ + 1);
        for (std::size_t a = 0; a <= n_answers_; ++a) next[a] = 64 * first_word_[a];
        for (u32 item = 0; item < items_.size(); ++item)
            sections(item, [&](std::size_t a, u64 n, int plane) {
                place_[static_cast<std::size_t>(plane)][item] = {next[a], next[a] + n};
                if (plane == 0 && n > 0) first_bits_[next[a] / 64] |= u64{1} << (next[a] % 64);
                next[a] += n;
            });
        return true;
    }

    void set_bits(u64* to, u32 item) const {
        for (const auto& place : place_)
            for (u64 bit = place[item].first; bit < place[item].second; ++bit) to[bit / 64] |= u64{1} << (bit % 64);
    }

    void add_line(const ItemNode& root, const Line& line, const std::vector<u32>& cuts) {
        const u32 *list = root.list(line.column), known = root.known[line.column];
        if (known_.empty()) {
            known_.assign(items_.n_columns() * n_words_, 0);
            number_.resize(Level::n_lines(items_));
        }
        std::vector<u64> bits(n_words_, 0);
        std::vector<u32>& of_code = number_[line.number];
        of_code.assign(static_cast<std::size_t>(items_.problem().columns[line.column].n_values) + 1, 0);
        for (u32 i = 0; i < known; ++i) set_bits(known_.data() + line.column * n_words_, list[i] & kItem);
        for (u32 i = known; line.missing_left && i < root.m; ++i) set_bits(bits.data(), list[i]);
        u32 i = 0;
        for (const u32 cut : cuts) {
            for (; i < cut; ++i) set_bits(bits.data(), list[i] & kItem);
            for (u32 j = 0; line.set != nullptr && j < root.m; ++j)
                if (line.set->has(items_.code(line.column, list[j] & kItem))) set_bits(bits.data(), list[j] & kItem);
            of_code[cut == 0 ? 0 : static_cast<std::size_t>(items_.code(line.column, list[cut - 1] & kItem))] =
                static_cast<u32>(tests_.size());
            tests_.push_back({line.number, line.column, line.set != nullptr});
            bits_.insert(bits_.end(), bits.begin(), bits.end());
        }
    }

    const Items& items_;
    std::size_t n_answers_ = 0, n_words_ = 0;
    std::vector<std::size_t> first_word_;                    // of each answer, of the plane, and the end
    std::array<std::vector<std::pair<u64, u64>>, 2> place_;  // of each item: its bits, and those in the plane
    std::vector<Test> tests_;
    std::vector<u64> bits_, known_, first_bits_;  // of each test; of each column what is not missing; of each item one
    std::vector<std::vector<u32>> number_;        // of each line: the test behind each code
};

}  // namespace hornbeam::optimal
