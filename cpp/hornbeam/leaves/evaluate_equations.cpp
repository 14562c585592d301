#include "hornbeam/leaves/evaluate_equations.hpp"

#include <algorithm>

namespace hornbeam {
namespace {

constexpr std::size_t kChunk = 4096;

double term_value(const ModelView& models, std::size_t t, double x) {
    if (!(x >= -std::numeric_limits<double>::max())) return models.gap[t];  // missing, or a category never seen
    if (models.power[t] == 0) {
        const auto first = models.member.begin() + models.member_offset[t];
        const auto last = models.member.begin() + models.member_offset[t + 1];
        return std::binary_search(first, last, static_cast<i32>(x)) ? models.weight[t] : 0;
    }
    const double step = x - models.centre[t];
    double value = models.weight[t] * step;
    for (i32 p = 1; p < models.power[t]; ++p) value *= step;
    return value;
}

double answer(const ModelView& models, const std::vector<ColumnView>& columns, std::size_t m, std::size_t row) {
    double sum = models.intercept[m];
    for (auto t = static_cast<std::size_t>(models.term_offset[m]);
         t < static_cast<std::size_t>(models.term_offset[m + 1]); ++t)
        sum += term_value(models, t, columns[static_cast<std::size_t>(models.column[t])].value(row));
    return std::min(std::max(sum, models.low[m]), models.high[m]);
}

}  // namespace

void evaluate(const ModelView& models, const std::vector<ColumnView>& columns, std::span<const i64> rows,
              std::span<const i32> leaves, std::span<const double> own, Pool& pool, double* out) {
    pool.each((leaves.size() + kChunk - 1) / kChunk, [&](std::size_t chunk, int) {
        const std::size_t end = std::min(leaves.size(), (chunk + 1) * kChunk);
        for (std::size_t i = chunk * kChunk; i < end; ++i) {
            const auto leaf = static_cast<std::size_t>(leaves[i]);
            const auto m = static_cast<std::size_t>(models.offset[leaf]);
            const std::size_t row = rows.empty() ? i : static_cast<std::size_t>(rows[i]);
            out[i] = models.offset[leaf + 1] > models.offset[leaf] ? answer(models, columns, m, row) : own[leaf];
        }
    });
}

}  // namespace hornbeam
