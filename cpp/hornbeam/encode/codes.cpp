// Raw values of all columns turned into codes, block by block on all threads: cuts from a sample, then one byte a cell.
#include "hornbeam/encode/codes.hpp"

#include <mutex>

namespace hornbeam {
namespace {

constexpr std::size_t kBlock = 512;

template <class T>
void load(const ColumnView& view, std::size_t first, std::size_t n, T* out) {
    if (view.type == ValueType::codes) {
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(view.value(first + i));
        return;
    }
    const std::byte* at = view.data + static_cast<std::ptrdiff_t>(first) * view.stride;
    for (std::size_t i = 0; i < n; ++i, at += view.stride) std::memcpy(out + i, at, sizeof(T));
}

// Whether codes are numbers of bins, not values.
bool is_cut(const ColumnView& view) {
    return view.type != ValueType::codes ||
           (view.split == SplitKind::threshold && view.n_values > static_cast<i32>(kMissingCode));
}

bool has_ties(const std::monostate&) { return false; }
template <class T>
bool has_ties(const Cuts<T>& cuts) {
    return cuts.tied();
}

}  // namespace

Codes::Codes(const std::vector<ColumnView>& columns, std::size_t bin_bytes)
    : views_(columns), columns_(columns.size()) {
    std::vector<i32> narrow;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const bool cut = columns[j].split == SplitKind::threshold;
        if (cut || columns[j].n_values <= static_cast<i32>(kMissingCode)) narrow.push_back(static_cast<i32>(j));
    }
    const std::size_t room = std::max<std::size_t>(40960 / (kBins * bin_bytes), 4);
    const std::size_t n_groups = (narrow.size() + room - 1) / room;
    for (std::size_t g = 0, taken = 0; g < n_groups; ++g) {
        Group group;
        const std::size_t left = narrow.size() - taken, even = (left + (n_groups - g) - 1) / (n_groups - g);
        const std::size_t share = std::min(left, (even + 3) / 4 * 4);  // no byte of a row is left unused
        for (std::size_t i = 0; i < share; ++i, ++taken) {
            columns_[static_cast<std::size_t>(narrow[taken])].group = static_cast<i32>(g);
            columns_[static_cast<std::size_t>(narrow[taken])].offset = static_cast<u32>(i);
            group.columns.push_back(narrow[taken]);
        }
        group.width = static_cast<u32>((share + 3) / 4 * 4);
        groups_.push_back(std::move(group));
    }
}

Codes::Codes(const std::vector<ColumnView>& columns, std::size_t n_rows, std::size_t bin_bytes, Pool& pool)
    : Codes(columns, bin_bytes) {
    pool.each(columns.size(), [&](std::size_t j, int) {
        const auto column = static_cast<i32>(j);
        set_cuts(column, sample(column, n_rows));
    });
    settle(code(n_rows, pool));
}

// A fixed, well-spread choice of rows: where the cuts fall changes the speed, never the tree.
std::vector<double> Codes::sample(i32 j, std::size_t n_rows, std::size_t most) const {
    const ColumnView& view = views_[static_cast<std::size_t>(j)];
    std::vector<double> out;
    if (!is_cut(view)) return out;
    const std::size_t n = std::min(n_rows, most);
    out.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t row =
            n == n_rows ? i : static_cast<std::size_t>((i * u64{0x9E3779B97F4A7C15} >> 16) % n_rows);
        const double x = view.value(row);
        if (std::isfinite(x)) out.push_back(x + 0.0);  // -0 and 0 are one value
    }
    return out;
}

void Codes::set_cuts(i32 j, const std::vector<double>& sample) {
    const ColumnView& view = views_[static_cast<std::size_t>(j)];
    CodedColumn& column = columns_[static_cast<std::size_t>(j)];
    if (!is_cut(view)) return;
    if (view.type == ValueType::f32)
        column.cuts = Cuts<float>(std::vector<float>(sample.begin(), sample.end()));
    else
        column.cuts = Cuts<double>(sample);
}

SavedCuts Codes::saved_cuts(i32 j) const {
    const auto save = [](const auto& cuts) {
        return SavedCuts{cuts.maybe_exact(), cuts.tied(), {cuts.cuts(), cuts.cuts() + cuts.size()}};
    };
    const CodedColumn& column = columns_[static_cast<std::size_t>(j)];
    if (const auto* narrow = std::get_if<Cuts<float>>(&column.cuts)) return save(*narrow);
    if (const auto* cuts = std::get_if<Cuts<double>>(&column.cuts)) return save(*cuts);
    return {};
}

void Codes::set_cuts(i32 j, const SavedCuts& saved) {
    const ColumnView& view = views_[static_cast<std::size_t>(j)];
    if (!is_cut(view)) return;
    CodedColumn& column = columns_[static_cast<std::size_t>(j)];
    if (view.type == ValueType::f32)
        column.cuts = Cuts<float>({saved.cuts.begin(), saved.cuts.end()}, saved.maybe_exact, saved.tied);
    else
        column.cuts = Cuts<double>(saved.cuts, saved.maybe_exact, saved.tied);
}

std::size_t Codes::bytes_for(std::size_t n_rows) const {
    std::size_t width = 0;
    for (const Group& group : groups_) width += group.width;
    return width * n_rows + 8;  // whoever reads four bytes at a time reads beyond the last
}

void Codes::lend(u8* memory, std::size_t n_rows) {
    for (Group& group : groups_) {
        group.codes = std::shared_ptr<u8[]>(memory, [](u8*) {});
        memory += group.width * n_rows;
    }
}

std::vector<CodingFlags> Codes::code(std::size_t n_rows, Pool& pool) {
    for (Group& group : groups_)
        if (!group.codes) group.codes = std::make_unique_for_overwrite<u8[]>(group.width * n_rows + 8);
    std::vector<CodingFlags> flags(columns_.size());
    std::mutex mutex;
    const std::size_t chunk = 16 * kBlock, n_chunks = (n_rows + chunk - 1) / chunk;
    pool.each(n_chunks, [&](std::size_t c, int) {
        std::vector<CodingFlags> mine(columns_.size());
        const std::size_t end = std::min(n_rows, (c + 1) * chunk);
        for (std::size_t first = c * chunk; first < end; first += kBlock)
            for (Group& group : groups_) code_block(first, std::min(kBlock, end - first), group, mine);
        std::lock_guard lock(mutex);
        for (std::size_t j = 0; j < mine.size(); ++j) flags[j].merge(mine[j]);
    });
    return flags;
}

void Codes::settle(const std::vector<CodingFlags>& flags) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        CodedColumn& column = columns_[j];
        if (column.wide()) continue;
        if (flags[j].infinite) throw InfiniteValue(static_cast<i32>(j));
        column.exact = !flags[j].inexact;
        column.tied = std::visit([](const auto& cuts) { return has_ties(cuts); }, column.cuts);
        for (u32 code = 0; code < kBins && column.tied; ++code) column.flat[code] = flags[j].mixed[code] == 0;
    }
}

void Codes::code_block(std::size_t first, std::size_t n, Group& group, std::vector<CodingFlags>& flags) const {
    alignas(64) u8 coded[kBlock];
    for (std::size_t i = 0; i < group.columns.size(); ++i) {
        const auto j = static_cast<std::size_t>(group.columns[i]);
        const ColumnView& view = views_[j];
        if (const auto* narrow_cuts = std::get_if<Cuts<float>>(&columns_[j].cuts)) {
            alignas(64) float x[kBlock];
            load(view, first, n, x);
            code_values(*narrow_cuts, x, n, coded, flags[j]);
        } else if (const auto* cuts = std::get_if<Cuts<double>>(&columns_[j].cuts)) {
            alignas(64) double x[kBlock];
            load(view, first, n, x);
            code_values(*cuts, x, n, coded, flags[j]);
        } else {
            for (std::size_t r = 0; r < n; ++r) {
                const i32 code = view.raw<i32>(first + r);
                coded[r] = static_cast<u8>(code < 0 ? kMissingCode : static_cast<u32>(code));
            }
        }
        u8* out = group.codes.get() + first * group.width + i;
        for (std::size_t r = 0; r < n; ++r, out += group.width) *out = coded[r];
    }
    for (u32 i = static_cast<u32>(group.columns.size()); i < group.width; ++i)
        for (std::size_t r = 0; r < n; ++r) group.codes[(first + r) * group.width + i] = 0;
}

std::pair<double, double> Codes::edges(i32 j, i32 code) const {
    const auto find = [code](const auto& cuts) {
        const auto at = [&](i32 k) { return static_cast<double>(cuts.value(static_cast<u32>(k))); };
        const auto last = static_cast<i32>(cuts.size()) - 1;
        if (last < 1) return std::pair{0.0, 0.0};
        if (code == 0) return std::pair{2 * at(0) - at(1), at(0)};
        if (code > last) return std::pair{at(last), 2 * at(last) - at(last - 1)};
        return std::pair{at(code - 1), at(code)};
    };
    const CodedColumn& column = columns_[static_cast<std::size_t>(j)];
    if (const auto* narrow = std::get_if<Cuts<float>>(&column.cuts)) return find(*narrow);
    if (const auto* cuts = std::get_if<Cuts<double>>(&column.cuts)) return find(*cuts);
    return {static_cast<double>(code), static_cast<double>(code)};
}

i32 Codes::code_of(i32 j, double value) const {
    const CodedColumn& column = columns_[static_cast<std::size_t>(j)];
    if (const auto* narrow = std::get_if<Cuts<float>>(&column.cuts))
        return static_cast<i32>(narrow->code(static_cast<float>(value)));
    if (const auto* cuts = std::get_if<Cuts<double>>(&column.cuts)) return static_cast<i32>(cuts->code(value));
    return static_cast<i32>(value);
}

double Codes::exact_value(i32 j, i32 code) const {
    const CodedColumn& column = columns_[static_cast<std::size_t>(j)];
    if (!column.exact) return std::numeric_limits<double>::quiet_NaN();
    if (const auto* narrow_cuts = std::get_if<Cuts<float>>(&column.cuts))
        return static_cast<double>(narrow_cuts->value(static_cast<u32>(code)));
    if (const auto* cuts = std::get_if<Cuts<double>>(&column.cuts)) return cuts->value(static_cast<u32>(code));
    return static_cast<double>(code);
}

}  // namespace hornbeam
