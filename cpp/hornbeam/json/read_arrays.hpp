// The arrays of a saved tree, read from the bytes of its file without an object for each number.
//
// The text is JSON, or claims to be. Where the format has the arrays of a tree (nodes.*, pools.*.*, and the same in
// each of trees), an array of numbers, of equally long rows of numbers, or of known words is taken out, and the word
// NaN stands in its place, which JSON does not have. All else, an array that is in any way unusual included, stays as
// it is, letter by letter, for a parser that judges it. So the rest is JSON if and only if the text is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

using WholeNumbers = std::vector<i64>;  // all items were written as whole numbers of at most 18 digits
using RealNumbers = std::vector<double>;
using WordCodes = std::vector<std::int8_t>;  // positions among the known words

struct JsonArray {
    std::size_t start = 0, end = 0;  // where its brackets are in the text
    std::size_t width = 0;           // of its rows; 0 if it has none
    std::variant<WholeNumbers, RealNumbers, WordCodes> values;
};

struct JsonParts {
    std::string rest;  // the text with NaN in place of each array
    std::vector<JsonArray> arrays;
};

inline constexpr std::string_view kInPlaceOfArray = "NaN";

// Of a text that has NaN or Infinity itself, nothing behind that is taken out. There are at most 127 words.
JsonParts take_arrays_out(std::string_view text, std::span<const std::string> words);

}  // namespace hornbeam
