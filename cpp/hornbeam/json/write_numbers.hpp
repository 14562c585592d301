// Numbers as the text that JSON holds: the shortest digits that bring every double back, written as Python writes them.
#pragma once

#include <span>
#include <string>

#include "hornbeam/types.hpp"

namespace hornbeam {

// What stands between the brackets of an array: "1, -3" or, with a width, rows of so many numbers: "[1, 2], [3, 4]".
// A NaN is null, infinities are "inf" and "-inf" in quotes.
std::string numbers_text(std::span<const double> values, std::size_t width);
std::string numbers_text(std::span<const i32> values, std::size_t width);
std::string numbers_text(std::span<const i64> values, std::size_t width);

}  // namespace hornbeam
