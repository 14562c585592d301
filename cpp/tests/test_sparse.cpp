// Sparse columns: tallies against adding up, the best columns against all cuts of the dense table, blocks, leaves.
#include "hornbeam/sparse/sparse.hpp"

#include <algorithm>

#include "hornbeam/criteria/criteria.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

struct Matrix {
    std::vector<std::vector<double>> rows;  // dense
    std::vector<i64> row_start{0};
    std::vector<i32> row_cells, cell_start{0}, below, cell_column;
    std::vector<double> cell_value;

    sparse::CellRows sparse_rows() const { return {row_start, row_cells}; }
};

Matrix draw(Random& random, std::size_t n, std::size_t p) {
    Matrix m;
    m.rows.assign(n, std::vector<double>(p));
    for (auto& row : m.rows)
        for (double& x : row) x = random.whole(0, 3) == 0 ? static_cast<double>(random.whole(-2, 2)) : 0.0;
    for (std::size_t j = 0; j < p; ++j) {
        i32 n_below = 0;
        for (const double value : {-2.0, -1.0, 1.0, 2.0}) {
            if (std::none_of(m.rows.begin(), m.rows.end(), [&](const auto& row) { return row[j] == value; })) continue;
            m.cell_column.push_back(static_cast<i32>(j));
            m.cell_value.push_back(value);
            n_below += value < 0;
        }
        m.below.push_back(n_below);
        m.cell_start.push_back(static_cast<i32>(m.cell_value.size()));
    }
    for (const auto& row : m.rows) {
        for (std::size_t c = 0; c < m.cell_value.size(); ++c)
            if (row[static_cast<std::size_t>(m.cell_column[c])] == m.cell_value[c])
                m.row_cells.push_back(static_cast<i32>(c));
        m.row_start.push_back(static_cast<i64>(m.row_cells.size()));
    }
    return m;
}

// The best decrease of a column's cuts that leave `least` rows on both sides, by the core's own formula; -1 without
// one.
double best_of_column(const Matrix& m, const std::vector<i64>& rows, const std::vector<i32>& codes, std::size_t j,
                      i64 least) {
    double best = -1;
    for (const double cut : {-1.5, -0.5, 0.5, 1.5}) {
        i64 parts[2][2] = {{0, 0}, {0, 0}}, total[2] = {0, 0};
        for (const i64 r : rows) {
            const auto at = static_cast<std::size_t>(r);
            ++parts[m.rows[at][j] > cut][codes[at]];
            ++total[codes[at]];
        }
        const i64* const sides[] = {parts[0], parts[1]};
        if (std::min(parts[0][0] + parts[0][1], parts[1][0] + parts[1][1]) < least) continue;
        best = std::max(best, gini::decrease(total, sides, 2, 2));
    }
    return best;
}

}  // namespace

TEST("the columns named are the first of those that cut best") {
    Random random(7);
    for (int round = 0; round < 300; ++round) {
        const auto n = static_cast<std::size_t>(random.whole(2, 30)), p = static_cast<std::size_t>(random.whole(1, 6));
        const Matrix m = draw(random, n, p);
        std::vector<i32> codes(n);
        for (i32& code : codes) code = static_cast<i32>(random.whole(0, 1));
        const sparse::CellSums outcome{2, codes, {}, {}, {}};
        std::vector<i64> all(n), some;
        for (std::size_t r = 0; r < n; ++r) all[r] = static_cast<i64>(r);
        std::vector<double> tally(m.cell_value.size() * 2), total(2);
        sparse::add_rows(m.sparse_rows(), all, outcome, 1.0, tally.data());
        std::vector<i64> gone;
        for (const i64 r : all) (random.whole(0, 2) == 0 ? gone : some).push_back(r);
        sparse::add_rows(m.sparse_rows(), gone, outcome, -1.0, tally.data());
        for (const i64 r : some) total[static_cast<std::size_t>(codes[static_cast<std::size_t>(r)])] += 1;
        const i64 least = random.whole(1, 3);
        std::vector<double> scores(p);
        for (std::size_t j = 0; j < p; ++j) scores[j] = best_of_column(m, some, codes, j, least);
        const double best = *std::max_element(scores.begin(), scores.end());
        const auto named = sparse::best_columns({m.cell_start, m.below}, tally, total, outcome, "gini",
                                                {static_cast<double>(least), 0});
        if (best < 0) {
            CHECK(named.empty());
            continue;
        }
        const auto first = std::find_if(scores.begin(), scores.end(), [&](double s) { return s > best - 1e-9; });
        CHECK(named.size() == 1 && named[0] == static_cast<i32>(first - scores.begin()));
    }
}

TEST("a dense block has the columns that differ") {
    Random random(8);
    for (int round = 0; round < 200; ++round) {
        const Matrix m = draw(random, 12, 5);
        std::vector<i64> rows;
        for (i64 r = 0; r < 12; ++r)
            if (random.whole(0, 2) > 0) rows.push_back(r);
        const auto block =
            sparse::dense_block<double>(m.sparse_rows(), rows, m.cell_column, m.cell_value, 5, std::size_t{1} << 20);
        std::size_t at = 0;
        for (std::size_t j = 0; j < 5; ++j) {
            std::vector<double> values;
            for (const i64 r : rows) values.push_back(m.rows[static_cast<std::size_t>(r)][j]);
            if (values.empty() || std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; }))
                continue;
            CHECK(at < block.columns.size() && block.columns[at] == static_cast<i32>(j));
            CHECK(std::equal(values.begin(), values.end(),
                             block.values.begin() + static_cast<std::ptrdiff_t>(at * rows.size())));
            ++at;
        }
        CHECK(at == block.columns.size());
        const auto none = sparse::dense_block<double>(m.sparse_rows(), rows, m.cell_column, m.cell_value, 5, 0);
        CHECK(none.fits == block.values.empty());
    }
}

}  // namespace hornbeam
