// Numpy arrays in and out. The boundary passes arrays, not objects: nothing here is a bound class.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam::bindings {

namespace nb = nanobind;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

// Hands a vector's memory over to a numpy array without copying it; with a number of columns the array has two
// dimensions.
template <class T>
nb::object to_numpy(std::vector<T> values, std::size_t n_columns = 0) {
    auto* moved = new std::vector<T>(std::move(values));
    nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (n_columns == 0) return nb::cast(nb::ndarray<nb::numpy, T>(moved->data(), {moved->size()}, owner));
    return nb::cast(nb::ndarray<nb::numpy, T>(moved->data(), {moved->size() / n_columns, n_columns}, owner));
}

// Refuses what would have to be converted: the copy would be gone when the span is read.
template <class T>
std::span<const T> span_of(nb::handle array) {
    if (array.is_none()) return {};
    auto typed = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(array, false);
    return {typed.data(), typed.shape(0)};
}
template <class T>
std::span<const T> span_of(const nb::dict& from, const char* name) {
    return span_of<T>(from[name]);
}

// The core numbers and counts rows with 32 bits.
inline constexpr std::size_t kMostRows = 0xfffffffe;

// Refuses a table whose rows cannot be numbered. To be called before anything is allocated for them.
inline void check_row_count(std::size_t n_rows) {
    if (n_rows <= kMostRows) return;
    std::string digits = std::to_string(n_rows);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
    throw std::invalid_argument(
        "a table of " + digits +
        " rows is too large: growing takes at most 4,294,967,294 rows; take a sample of the rows");
}

// One column: a float32, float64 or int32 array of any stride.
inline ColumnView column_view(const AnyArray& array) {
    if (array.ndim() != 1) throw std::invalid_argument("a column must have one dimension");
    ColumnView view;
    view.data = static_cast<const std::byte*>(array.data());
    view.stride = array.stride(0) * static_cast<std::ptrdiff_t>(array.itemsize());
    if (array.dtype() == nb::dtype<float>())
        view.type = ValueType::f32;
    else if (array.dtype() == nb::dtype<double>())
        view.type = ValueType::f64;
    else if (array.dtype() == nb::dtype<i32>())
        view.type = ValueType::codes;
    else
        throw std::invalid_argument("a column must hold float32, float64 or int32 values");
    return view;
}

void bind_growing(nb::module_& m);
void bind_applying(nb::module_& m);

}  // namespace hornbeam::bindings
