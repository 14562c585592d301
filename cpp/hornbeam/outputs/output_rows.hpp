// Several targets side by side, in the order in which a sweep reads them: row after row.
//
//   codes     row 0 [ a b c ]   row 1 [ a b c ]     a class target has a lane for each class; a code names its lane
//   values    row 0 [ d e ]     row 1 [ d e ]       a target of numbers
#pragma once

#include <vector>

#include "hornbeam/criteria/criteria.hpp"
#include "hornbeam/grow/learn.hpp"

namespace hornbeam {

struct ClassOutput {
    int n_classes;
    std::size_t first_lane;
    double scale;  // what its impurity counts
};
struct NumberOutput {
    double scale;            // what its impurity counts,
    int scale_exponent = 0;  // times two to this
};

struct OutputRows {
    std::vector<ClassOutput> classes;
    std::vector<NumberOutput> numbers;
    const Criterion* criterion = &kCriteria[0];  // of the classes
    std::size_t n_lanes = 0;
    int weight_bits = 62;  // the weights of all rows add up to less than 2 to this power
    std::vector<i32> codes;
    std::vector<double> values;

    const i32* row_codes(std::size_t row) const { return codes.data() + row * classes.size(); }
    const double* row_values(std::size_t row) const { return values.data() + row * numbers.size(); }
};

}  // namespace hornbeam
