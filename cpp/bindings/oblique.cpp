// _core.score_directions, _core.climb, _core.look_ahead: standardised columns and a target -> directions and what their
// best cuts gain.
#include <nanobind/stl/string.h>

#include "bindings/grow.hpp"
#include "hornbeam/oblique/look_ahead.hpp"

namespace hornbeam::bindings {
namespace {

using oblique::Goal;
using oblique::GoalView;
using oblique::Points;

// Columns and target of some rows, with what keeps the criterion's name.
struct Input {
    std::string criterion;
    Points points;
    Goal goal;

    // cloud: n values for each of `width` columns; scoring: the target as for `grow`, and how cuts are judged.
    Input(const nb::object& z, std::size_t width, const nb::dict& scoring)
        : criterion(nb::cast<std::string>(scoring["criterion"])),
          points(points_of(z, width)),
          goal(view(scoring), points.n) {}

  private:
    static Points points_of(const nb::object& z, std::size_t width) {
        const auto values = span_of<float>(z);
        if (width == 0 || values.size() % width != 0) throw std::invalid_argument("columns differ in length");
        check_row_count(values.size() / width);
        return {values.data(), values.size() / width, width};
    }
    GoalView view(const nb::dict& scoring) const {
        const TargetView target = target_of(scoring);
        GoalView out;
        out.criterion = criterion;
        out.level = nb::cast<double>(scoring["level"]);
        out.loss_scale = nb::cast<double>(scoring["loss_scale"]);
        out.n_classes = target.n_classes;
        out.codes = target.codes;
        out.values = target.values;
        out.weights = target.weights;
        out.counts = target.counts;
        out.min_rows = nb::cast<double>(scoring["min_rows"]);
        out.min_weight = nb::cast<double>(scoring["min_weight"]);
        const std::size_t n_values = target.n_classes > 0 ? target.codes.size() : target.values.size();
        const auto fits = [&](std::size_t size) { return size == 0 || size == points.n; };
        if (n_values != points.n || !fits(target.weights.size()) || !fits(target.counts.size()))
            throw std::invalid_argument("columns and target differ in length");
        for (i32 code : target.codes)
            if (code < 0 || code >= target.n_classes) throw std::invalid_argument("no such class");
        return out;
    }
};

template <class T>
std::span<const T> rows_of(const nb::object& array, std::size_t width) {
    const auto values = span_of<T>(array);
    if (values.size() % width != 0) throw std::invalid_argument("directions need a weight for each column");
    return values;
}

nb::object score_directions(const nb::object& z, std::size_t width, const nb::dict& scoring,
                            const nb::object& directions, int n_threads) {
    const Input input(z, width, scoring);
    const auto candidates = rows_of<double>(directions, width);
    std::vector<double> out;
    run_without_lock([&] { out = oblique::scores(input.points, input.goal, candidates, n_threads); });
    return to_numpy(std::move(out));
}

// (scores, directions one after the other, interrupted)
nb::tuple climb(const nb::object& z, std::size_t width, const nb::dict& scoring, const nb::object& starts,
                const nb::object& free, const nb::tuple& how, int n_threads) {
    const Input input(z, width, scoring);
    const auto start_directions = rows_of<double>(starts, width);
    const auto free_weights = rows_of<u8>(free, width);
    if (start_directions.size() != free_weights.size()) throw std::invalid_argument("starts and free differ in length");
    const oblique::Steps steps{nb::cast<double>(how[0]), nb::cast<double>(how[1]), nb::cast<std::size_t>(how[2]),
                               nb::cast<double>(how[3]), nb::cast<double>(how[4])};
    StopCheck stop_check{nb::none()};
    bool stopped = false;
    oblique::ClimbResult out;
    run_without_lock([&] {
        out = oblique::climb(input.points, input.goal, start_directions, free_weights, steps, n_threads,
                             [&] { return stopped = stop_check(0.0); });
    });
    stop_check.rethrow();
    return nb::make_tuple(to_numpy(std::move(out.score)), to_numpy(std::move(out.direction)), stopped);
}

// (place of the direction or -1, rows below, score, cost)
nb::tuple look_ahead(const nb::object& z, std::size_t width, const nb::dict& scoring, const nb::object& directions,
                     double least, i64 depth, std::size_t most, std::size_t budget) {
    const Input input(z, width, scoring);
    const auto candidates = rows_of<double>(directions, width);
    if (input.goal.n_classes == 0) throw std::invalid_argument("only trees of classes are looked into");
    for (float value : span_of<float>(z))
        if (value != value) throw std::invalid_argument("no value may be missing");
    oblique::Choice choice;
    run_without_lock(
        [&] { choice = oblique::look_ahead(input.points, input.goal, candidates, {least, depth, most, budget}); });
    return nb::make_tuple(choice.direction, choice.below, choice.score, choice.cost);
}

}  // namespace

void bind_oblique(nb::module_& m) {
    m.def("score_directions", &score_directions, nb::arg("z"), nb::arg("width"), nb::arg("told"), nb::arg("directions"),
          nb::arg("n_threads"));
    m.def("climb", &climb, nb::arg("z"), nb::arg("width"), nb::arg("told"), nb::arg("starts"), nb::arg("free"),
          nb::arg("how"), nb::arg("n_threads"));
    m.def("look_ahead", &look_ahead, nb::arg("z"), nb::arg("width"), nb::arg("told"), nb::arg("directions"),
          nb::arg("least"), nb::arg("depth"), nb::arg("most"), nb::arg("budget"));
}

}  // namespace hornbeam::bindings
