// _core.numbers_text and _core.take_arrays_out: arrays as the JSON of saved files, and back.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "hornbeam/json/read_arrays.hpp"
#include "hornbeam/json/write_numbers.hpp"

namespace hornbeam::bindings {
namespace {

template <class T>
std::string text_of(const AnyArray& array) {
    const std::size_t width = array.ndim() == 2 ? array.shape(1) : 0;
    const std::span<const T> values(static_cast<const T*>(array.data()), array.size());
    nb::gil_scoped_release release;
    return numbers_text(values, width);
}

nb::bytes numbers_text_of(const nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>& array) {
    if (array.ndim() != 1 && (array.ndim() != 2 || array.shape(1) == 0))
        throw std::invalid_argument("numbers must have one dimension, or two with a width");
    std::string text;
    if (array.dtype() == nb::dtype<double>())
        text = text_of<double>(AnyArray(array));
    else if (array.dtype() == nb::dtype<i32>())
        text = text_of<i32>(AnyArray(array));
    else if (array.dtype() == nb::dtype<i64>())
        text = text_of<i64>(AnyArray(array));
    else
        throw std::invalid_argument("numbers must be float64, int32 or int64");
    return nb::bytes(text.data(), text.size());
}

// The rest of the text, and of each array: where it began and ended, and its values.
nb::tuple take_out(const nb::bytes& text, const std::vector<std::string>& words) {
    JsonParts parts;
    {
        const std::string_view view(text.c_str(), text.size());
        nb::gil_scoped_release release;
        parts = take_arrays_out(view, words);
    }
    nb::list arrays;
    for (JsonArray& array : parts.arrays) {
        nb::object values =
            std::visit([&](auto& numbers) { return to_numpy(std::move(numbers), array.width); }, array.values);
        arrays.append(nb::make_tuple(array.start, array.end, values));
    }
    return nb::make_tuple(nb::bytes(parts.rest.data(), parts.rest.size()), arrays);
}

}  // namespace

void bind_json(nb::module_& m) {
    m.def("numbers_text", &numbers_text_of, nb::arg("array"));
    m.def("take_arrays_out", &take_out, nb::arg("text"), nb::arg("words"));
}

}  // namespace hornbeam::bindings
