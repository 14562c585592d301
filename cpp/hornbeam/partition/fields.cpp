#include "hornbeam/partition/fields.hpp"

#include <algorithm>

namespace hornbeam {
namespace {

// Adds numbers of `width` words, the least significant word first.
void add_words(std::vector<u64>& sums, const Field& field) {
    const auto width = static_cast<std::size_t>(field.width);
    for (std::size_t first = 0; first < sums.size(); first += width)
        for (std::size_t k = 0, carry = 0; k < width; ++k) {
            const u64 other = field.at<u64>(first + k), sum = sums[first + k] + other, all = sum + carry;
            carry = static_cast<std::size_t>(sum < other) | static_cast<std::size_t>(all < sum);
            sums[first + k] = all;
        }
}

template <class T, class Combine>
void combine(std::vector<T>& out, const Field& field, const Combine& with) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = with(out[i], field.at<T>(i));
}

// Entries of several lists in one, those of equal keys added up.
void merge_keys(const std::vector<Field>& lists, FieldWriter& out) {
    const auto words = static_cast<std::size_t>(lists[0].width) + 1;
    struct Entry {
        double key;
        const char* at;
    };
    std::vector<Entry> entries;
    for (const Field& list : lists)
        for (std::size_t i = 0; i < list.size<u64>(); i += words)
            entries.push_back({list.at<double>(i), list.bytes.data() + i * sizeof(u64)});
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    std::vector<u64> merged;
    std::vector<u64> one(words);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::memcpy(one.data(), entries[i].at, words * sizeof(u64));
        if (i > 0 && entries[i - 1].key == entries[i].key)
            for (std::size_t k = 1; k < words; ++k) merged[merged.size() - words + k] += one[k];
        else
            merged.insert(merged.end(), one.begin(), one.end());
    }
    out.add(Merge::by_key, merged, lists[0].width);
}

template <class T, class Combine>
void merge_by(const std::vector<Field>& fields, const Combine& with, FieldWriter& out) {
    std::vector<T> merged = fields[0].all<T>();
    for (std::size_t k = 1; k < fields.size(); ++k) combine(merged, fields[k], with);
    out.add(fields[0].merge, merged, fields[0].width);
}

void merge_fields(const std::vector<Field>& fields, FieldWriter& out) {
    const Field& first = fields[0];
    for (const Field& field : fields)
        if (field.merge != first.merge || field.width != first.width ||
            (field.bytes.size() != first.bytes.size() && first.merge != Merge::join && first.merge != Merge::by_key))
            throw std::invalid_argument("answers to different messages cannot be merged");
    switch (first.merge) {
        case Merge::add: {
            std::vector<u64> sums = first.all<u64>();
            for (std::size_t k = 1; k < fields.size(); ++k) add_words(sums, fields[k]);
            return out.add(Merge::add, sums, first.width);
        }
        case Merge::add_doubles:
            return merge_by<double>(fields, [](double a, double b) { return a + b; }, out);
        case Merge::least:
            return merge_by<double>(fields, [](double a, double b) { return std::min(a, b); }, out);
        case Merge::most:
            return merge_by<double>(fields, [](double a, double b) { return std::max(a, b); }, out);
        case Merge::either:
            return merge_by<u8>(fields, [](u8 a, u8 b) { return static_cast<u8>(a | b); }, out);
        case Merge::by_key:
            return merge_keys(fields, out);
        case Merge::join: {
            std::size_t n = 0;
            for (const Field& field : fields) n += field.bytes.size();
            out.begin(Merge::join, first.width, n);
            for (const Field& field : fields) out.append(field.bytes.data(), field.bytes.size());
            return out.end();
        }
    }
    throw std::invalid_argument("an answer has a field of an unknown kind");
}

}  // namespace

std::string merge_answers(std::span<const std::string_view> answers) {
    if (answers.empty()) throw std::invalid_argument("no answer to merge");
    std::vector<FieldReader> readers;
    for (const std::string_view answer : answers) readers.emplace_back(answer);
    FieldWriter out;
    while (!readers[0].empty()) {
        std::vector<Field> fields;
        for (FieldReader& reader : readers) fields.push_back(reader.next());
        merge_fields(fields, out);
    }
    return out.take();
}

// Four sums at a time, because a multiplication waits for the one before.
u64 checksum(const void* bytes, std::size_t n, u64 seed) {
    const char* at = static_cast<const char*>(bytes);
    u64 lane[4] = {seed + 1, seed + 2, seed + 3, seed + 4};
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (std::size_t k = 0; k < 4; ++k) {
            u64 word;
            std::memcpy(&word, at + i + 8 * k, 8);
            lane[k] = (lane[k] ^ word) * 0x9E3779B97F4A7C15;
            lane[k] ^= lane[k] >> 32;
        }
    for (; i < n; ++i) lane[0] = (lane[0] ^ static_cast<u8>(at[i])) * 0x9E3779B97F4A7C15;
    u64 out = n;
    for (const u64 one : lane) out = mix_bits(out ^ one);
    return out;
}

}  // namespace hornbeam
