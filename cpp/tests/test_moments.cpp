// Moments and least squares: sums that add up in any order, lines that leave the residuals they should.

#include <cmath>
#include <numeric>

#include "hornbeam/leaves/evaluate_equations.hpp"
#include "hornbeam/leaves/fit_equations.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

namespace hornbeam {
namespace {

using testing::Random;

struct Rows {
    std::vector<std::vector<double>> columns;
    std::vector<double> target, weight, fallback;
    std::vector<i64> row;

    Rows(u64 seed, std::size_t n, std::size_t width, double gaps) : columns(width), fallback(width, 0.5) {
        Random random(seed);
        for (std::size_t i = 0; i < n; ++i) {
            double y = random.normal();
            for (std::size_t j = 0; j < width; ++j) {
                const double x = 100.0 * static_cast<double>(j) + random.normal();
                columns[j].push_back(random.chance(gaps) ? std::nan("") : x);
                y += static_cast<double>(j + 1) * x;
            }
            target.push_back(y);
            weight.push_back(0.25 + random.real());
            row.push_back(static_cast<i64>(i));
        }
    }
    std::vector<ColumnView> views() const {
        std::vector<ColumnView> out;
        for (const auto& column : columns) {
            ColumnView view;
            view.data = reinterpret_cast<const std::byte*>(column.data());
            view.stride = sizeof(double);
            out.push_back(view);
        }
        return out;
    }
};

RowMoments moments_of(const Rows& rows, const std::vector<u32>& entries, bool weighted) {
    const std::vector<ColumnView> views = rows.views();
    RowMoments out(views.size() + 1);
    const std::span<const double> weight = weighted ? std::span<const double>(rows.weight) : std::span<const double>();
    Summing().sum({views, rows.target, rows.fallback, rows.row, weight, entries}, out);
    return out;
}

std::vector<u32> range(std::size_t from, std::size_t to) {
    std::vector<u32> out(to - from);
    std::iota(out.begin(), out.end(), static_cast<u32>(from));
    return out;
}

bool close(double a, double b) { return std::fabs(a - b) <= 1e-9 * (1 + std::fabs(a) + std::fabs(b)); }

}  // namespace

TEST("moments do not depend on the order of rows") {
    for (const bool weighted : {false, true}) {
        const Rows rows(1, 200, 3, 0.1);
        std::vector<u32> order = range(0, 200);
        const RowMoments one = moments_of(rows, order, weighted);
        Random(2).shuffle(order);
        const RowMoments two = moments_of(rows, order, weighted);
        CHECK(one.weight == two.weight && one.mean == two.mean && one.product == two.product);
    }
}

TEST("moments of two groups add up to those of both") {
    for (const bool weighted : {false, true}) {
        const Rows rows(3, 120, 3, 0.0);
        RowMoments sum = moments_of(rows, range(0, 50), weighted);
        sum.add(moments_of(rows, range(50, 120), weighted));
        const RowMoments all = moments_of(rows, range(0, 120), weighted);
        CHECK(close(sum.weight, all.weight));
        for (std::size_t j = 0; j < 4; ++j) {
            CHECK(close(sum.mean[j], all.mean[j]));
            for (std::size_t k = 0; k <= j; ++k) CHECK(close(sum.product[j * 4 + k], all.product[j * 4 + k]));
        }
        CHECK(sum.low == all.low && sum.high == all.high);
    }
}

TEST("residuals of least squares are at right angles to every column") {
    const Rows rows(5, 80, 4, 0.0);
    const RowMoments moments = moments_of(rows, range(0, 80), false);
    const std::vector<i32> degree(4, 1), sign(4, 0);
    FitOptions options;
    options.degree = degree;
    options.sign = sign;
    LeastSquares solver(options);
    const Equation equation = solver.solve(moments, 80, {});
    CHECK(equation.terms.size() == 4);
    double squares = 0;
    std::vector<double> angle(4, 0.0);
    for (std::size_t i = 0; i < 80; ++i) {
        double left = rows.target[i] - equation.intercept;
        for (std::size_t j = 0; j < 4; ++j) left -= equation.slope[j] * rows.columns[j][i];
        squares += left * left;
        for (std::size_t j = 0; j < 4; ++j) angle[j] += left * (rows.columns[j][i] - moments.mean[j]);
    }
    for (const double a : angle) CHECK(std::fabs(a) < 1e-7);
    CHECK(close(squares, equation.squares));
}

TEST("a slope of the forbidden sign goes, and too few rows lower the degree") {
    const Rows rows(6, 40, 2, 0.0);
    const RowMoments moments = moments_of(rows, range(0, 40), false);
    const std::vector<i32> degree{1, 2}, sign{-1, 0};
    FitOptions options;
    options.degree = degree;
    options.sign = sign;
    LeastSquares solver(options);
    CHECK(solver.solve(moments, 40, {}).terms == std::vector<std::size_t>{1});
    const std::vector<i32> free{0, 0};
    options.sign = free;
    LeastSquares other(options);
    CHECK(other.solve(moments, 3, {}).terms.size() == 2);
    CHECK(other.solve(moments, 2, {}).terms == std::vector<std::size_t>{0});
    CHECK(other.solve(moments, 1, {}).terms.empty());
}

TEST("dropping terms leaves none that does not matter") {
    Rows rows(7, 60, 5, 0.0);
    for (std::size_t i = 0; i < 60; ++i) rows.target[i] = 2 * rows.columns[3][i];
    const RowMoments moments = moments_of(rows, range(0, 60), false);
    const std::vector<i32> degree(5, 1), sign(5, 0);
    for (const Dropping dropping : {Dropping::adjusted, Dropping::akaike}) {
        FitOptions options;
        options.degree = degree;
        options.sign = sign;
        options.dropping = dropping;
        LeastSquares solver(options);
        const Equation equation = solver.solve(moments, 60, {});
        CHECK(std::find(equation.terms.begin(), equation.terms.end(), 3) != equation.terms.end());
        if (dropping == Dropping::adjusted) CHECK(equation.terms.size() == 1);
    }
}

TEST("short equations have few terms and few digits, and go through the means") {
    Rows rows(9, 200, 12, 0.0);
    for (std::size_t i = 0; i < 200; ++i)
        rows.target[i] = 31.4159 * rows.columns[2][i] - 2.71828 * rows.columns[7][i] + rows.columns[0][i] + 5;
    const RowMoments moments = moments_of(rows, range(0, 200), false);
    const std::vector<i32> degree(12, 1), sign(12, 0);
    FitOptions options;
    options.degree = degree;
    options.sign = sign;
    options.max_terms = 2;
    LeastSquares exact(options);
    const Equation long_one = exact.solve(moments, 200, {});
    CHECK((long_one.terms == std::vector<std::size_t>{2, 7}));
    options.rounding = 0.05;
    LeastSquares solver(options);
    const Equation equation = solver.solve(moments, 200, {});
    CHECK(equation.terms == long_one.terms);
    CHECK(equation.squares >= long_one.squares && equation.squares < long_one.squares * 1.02);
    double squares = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        double left = rows.target[i] - equation.intercept;
        for (std::size_t k = 0; k < 2; ++k) left -= equation.slope[k] * rows.columns[equation.terms[k]][i];
        squares += left * left;
    }
    CHECK(close(squares, equation.squares));
    for (const double slope : equation.slope) CHECK(close(slope * 10, std::nearbyint(slope * 10)));
    options.max_terms = 0;
    LeastSquares all(options);
    CHECK((all.solve(moments, 200, {}).terms == std::vector<std::size_t>{0, 2, 7}));
}

TEST("threads change no model, and every node with rows enough has one") {
    const Rows rows(8, 30000, 3, 0.05);
    const std::vector<i32> first{1, -1, 3, -1, -1}, children{2, 0, 2, 0, 0};
    const std::vector<i64> n_rows{30000, 10000, 20000, 10000, 10000}, tested_offset{0, 0, 0, 0, 0, 0};
    const std::vector<i32> column{0, 1, 2}, degree(3, 1), sign(3, 0);
    std::vector<i32> leaf(30000);
    for (std::size_t i = 0; i < leaf.size(); ++i) leaf[i] = i % 3 == 0 ? 1 : static_cast<i32>(2 + i % 3);
    ModelTask task;
    task.first_child = first;
    task.n_children = children;
    task.n_rows = n_rows;
    task.tested_offset = tested_offset;
    task.column = column;
    task.n_tested = 3;
    task.options.degree = degree;
    task.options.sign = sign;
    task.columns = rows.views();
    task.target = rows.target;
    task.fallback = rows.fallback;
    task.row = rows.row;
    task.leaf = leaf;
    Pool alone(1, nullptr), four(4, nullptr);
    const Models one = fit_models(task, alone), two = fit_models(task, four);
    CHECK(one.node == std::vector<i32>{0, 1, 2, 3, 4});
    CHECK(one.intercept == two.intercept && one.slope == two.slope && one.squares == two.squares);
    CHECK(one.low[0] == std::min({one.low[1], one.low[3], one.low[4]}));
}

TEST("an equation is evaluated with its gaps, sets and bounds") {
    const std::vector<i64> offset{0, 1}, term_offset{0, 2}, member_offset{0, 0, 2};
    const std::vector<double> intercept{1}, low{-5}, high{50}, centre{1, 0}, weight{2, 10}, gap{7, 3};
    const std::vector<i32> column{0, 1}, power{2, 0}, member{1, 4};
    const ModelView models{offset, intercept, low,    high, term_offset,   column,
                           power,  centre,    weight, gap,  member_offset, member};
    const std::vector<double> x{3, std::nan(""), 100};
    const std::vector<i32> code{4, 2, -1}, leaves{0, 0, 0};
    std::vector<ColumnView> columns(2);
    columns[0].data = reinterpret_cast<const std::byte*>(x.data());
    columns[0].stride = sizeof(double);
    columns[1].data = reinterpret_cast<const std::byte*>(code.data());
    columns[1].stride = sizeof(i32);
    columns[1].type = ValueType::codes;
    std::vector<double> out(3);
    Pool pool(1, nullptr);
    evaluate(models, columns, {}, leaves, intercept, pool, out.data());
    CHECK(out == std::vector<double>{1 + 2 * 4 + 10, 1 + 7, 50});
}

}  // namespace hornbeam
