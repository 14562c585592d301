#include "hornbeam/json/write_numbers.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace hornbeam {
namespace {

constexpr std::size_t kMostLetters = 32;             // of a number with its separator and the brackets of its row
constexpr double kWhole = 0x1p53;                    // whole numbers below are written with all of their digits
constexpr int kFewestPlaces = -4, kMostPlaces = 15;  // exponents that Python writes without an exponent

char* put(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

// The digits of a number d.ddd * 10^exponent, with a point among, before or behind them.
char* put_digits(char* at, std::string_view digits, int exponent) {
    if (exponent < 0) {
        at = put(at, "0.");
        for (int zero = -1; zero > exponent; --zero) *at++ = '0';
        return put(at, digits);
    }
    const auto before = static_cast<std::size_t>(exponent) + 1;
    at = put(at, digits.substr(0, before));
    for (std::size_t zero = digits.size(); zero < before; ++zero) *at++ = '0';
    *at++ = '.';
    return digits.size() > before ? put(at, digits.substr(before)) : put(at, "0");
}

char* put_number(char* at, double value) {
    if (std::isnan(value)) return put(at, "null");
    if (std::isinf(value)) return put(at, value > 0 ? "\"inf\"" : "\"-inf\"");
    if (std::signbit(value)) *at++ = '-';
    value = std::fabs(value);
    if (value < kWhole && value == std::trunc(value))
        return put(std::to_chars(at, at + kMostLetters, static_cast<i64>(value)).ptr, ".0");
    char text[kMostLetters], digits[kMostLetters];
    const char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    char* last = digits;
    const char* from = text;
    for (; *from != 'e'; ++from)
        if (*from != '.') *last++ = *from;
    const bool negative = from[1] == '-';
    int exponent = 0;
    for (from += 2; from != end; ++from) exponent = exponent * 10 + (*from - '0');
    if (negative) exponent = -exponent;
    if (exponent < kFewestPlaces || exponent > kMostPlaces)
        return put(at, {text, static_cast<std::size_t>(end - text)});
    return put_digits(at, {digits, static_cast<std::size_t>(last - digits)}, exponent);
}

template <class Whole>
char* put_number(char* at, Whole value) {
    return std::to_chars(at, at + kMostLetters, value).ptr;
}

template <class T>
std::string text_of(std::span<const T> values, std::size_t width) {
    if (width > 0 && values.size() % width != 0) throw std::invalid_argument("the last row is too short");
    std::string out(values.size() * kMostLetters, '\0');
    char* at = out.data();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) at = put(at, ", ");
        if (width > 0 && i % width == 0) *at++ = '[';
        at = put_number(at, values[i]);
        if (width > 0 && i % width == width - 1) *at++ = ']';
    }
    out.resize(static_cast<std::size_t>(at - out.data()));
    return out;
}

}  // namespace

std::string numbers_text(std::span<const double> values, std::size_t width) { return text_of(values, width); }
std::string numbers_text(std::span<const i32> values, std::size_t width) { return text_of(values, width); }
std::string numbers_text(std::span<const i64> values, std::size_t width) { return text_of(values, width); }

}  // namespace hornbeam
