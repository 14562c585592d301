// The errors to expect of a leaf that made some errors among its cases, as C4.5 estimates them, or as Weka does.
//
//     none:  cases (1 - confidence^(1 / cases));  below one: linear;  else, with z the normal deviate and s = errors +
//     1/2, cases (s + z^2/2 + sqrt(z^2 (s (1 - s / cases) + z^2/4))) / (cases + z^2)
//
// See hornbeam._base.error_limits (Quinlan 1993, chapter 4).
#pragma once

#include <algorithm>
#include <cmath>

namespace hornbeam {

struct ErrorLimit {
    double confidence, deviate2;
    double top, none, one;  // what is added per right case at the high end; fewer errors are none; the formula's least

    double operator()(double errors, double cases) const {
        if (errors >= one) return errors + many(errors, cases);
        const double least = cases * (1.0 - std::pow(confidence, 1.0 / cases));
        return errors + (errors < none ? least : least + errors * (many(1.0, cases) - least));
    }

  private:
    double many(double errors, double cases) const {
        const double s = errors + 0.5;
        if (s >= cases) return top * (cases - errors);
        const double inside = deviate2 * (s * (1.0 - s / cases) + deviate2 / 4.0);
        return cases * ((s + deviate2 / 2.0 + std::sqrt(std::max(inside, 0.0))) / (cases + deviate2)) - errors;
    }
};

}  // namespace hornbeam
