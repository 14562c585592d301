// The values of the rows of a node in some of its columns, read where the caller has them.
#pragma once

#include <algorithm>
#include <span>

#include "hornbeam/types.hpp"

namespace hornbeam {

// The known values of a column at a node.
struct ValueRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool has_gaps = false;

    bool is_known() const { return low <= high; }
    bool varies() const { return low < high; }
};

// The values of a node's rows in some of its columns, one column after the other: singles, or doubles of all else.
class NodeValues {
  public:
    explicit NodeValues(const std::vector<ColumnView>& columns) : columns_(columns) {}

    // How many columns of so many rows are read together: what they hold stays near.
    static std::size_t at_once(std::size_t n_rows) { return std::max<std::size_t>(4, (std::size_t{1} << 16) / n_rows); }

    void read(std::span<const i32> columns, std::span<const u32> id) {
        constexpr std::size_t kChunk = 256;  // rows whose cells lie side by side are fetched once
        n_ = id.size();
        held_.assign(columns.begin(), columns.end());
        range_.assign(held_.size(), {});
        if (cells_.size() < held_.size() * n_) cells_.resize(held_.size() * n_);
        for (std::size_t first = 0; first < n_; first += kChunk)
            for (std::size_t k = 0; k < held_.size(); ++k)
                fill(k, first, id.subspan(first, std::min(kChunk, n_ - first)));
    }
    // The place of a column among those held; or reads it.
    std::size_t hold(i32 column, std::span<const u32> id) {
        const auto at = std::find(held_.begin(), held_.end(), column);
        if (at != held_.end()) return static_cast<std::size_t>(at - held_.begin());
        read({&column, 1}, id);
        return 0;
    }
    void forget() { held_.clear(); }
    const ValueRange& range(std::size_t k) const { return range_[k]; }
    // Calls body(values, n), of floats or of doubles; gaps are no numbers.
    template <class Body>
    auto with(std::size_t k, Body&& body) const {
        const double* own = cells_.data() + k * n_;
        if (view(k).type != ValueType::f32) return body(own, n_);
        return body(reinterpret_cast<const float*>(own), n_);
    }

  private:
    const ColumnView& view(std::size_t k) const { return columns_[static_cast<std::size_t>(held_[k])]; }
    void fill(std::size_t k, std::size_t first, std::span<const u32> id) {
        const ColumnView& of = view(k);
        double* own = cells_.data() + k * n_;
        if (of.type == ValueType::f32)
            fill_as<float>(id, reinterpret_cast<float*>(own) + first, range_[k],
                           [&](u32 row) { return of.raw<float>(row); });
        else if (of.type == ValueType::f64)
            fill_as<double>(id, own + first, range_[k], [&](u32 row) { return of.raw<double>(row); });
        else
            fill_as<double>(id, own + first, range_[k], [&](u32 row) { return of.value(row); });
    }
    // Copies values and widens the range, several at a time, so that none waits for the one before.
    template <class T, class Read>
    static void fill_as(std::span<const u32> id, T* out, ValueRange& range, Read&& read) {
        constexpr std::size_t kLanes = 4;
        constexpr T kInfinity = std::numeric_limits<T>::infinity();
        T low[kLanes] = {kInfinity, kInfinity, kInfinity, kInfinity};
        T high[kLanes] = {-kInfinity, -kInfinity, -kInfinity, -kInfinity};
        bool gaps = false;
        const auto see = [&](std::size_t lane, T value) {  // a gap is no number and compares as false
            low[lane] = value < low[lane] ? value : low[lane];
            high[lane] = value > high[lane] ? value : high[lane];
            gaps |= value != value;
        };
        const u32* rows = id.data();
        const std::size_t n = id.size();
        std::size_t i = 0;
        for (; i + kLanes <= n; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) see(lane, out[i + lane] = read(rows[i + lane]));
        for (; i < n; ++i) see(0, out[i] = read(rows[i]));
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            range.low = std::min(range.low, static_cast<double>(low[lane]));
            range.high = std::max(range.high, static_cast<double>(high[lane]));
        }
        range.has_gaps |= gaps;
    }

    const std::vector<ColumnView>& columns_;
    std::size_t n_ = 0;
    std::vector<i32> held_;
    std::vector<ValueRange> range_;
    std::vector<double> cells_;
};

// in[i] = 1 where is_in(values[i]), else 0.
template <class T, class IsIn>
void mark(const T* values, std::size_t n, u8* in, IsIn&& is_in) {
    for (std::size_t i = 0; i < n; ++i) in[i] = is_in(values[i]);
}

// The largest number of a type that is not above a cut: what is not above the one is not above the other.
template <class T>
T at_most(double cut) {
    const T near = static_cast<T>(cut);
    return static_cast<double>(near) > cut ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

}  // namespace hornbeam
