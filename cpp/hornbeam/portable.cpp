#include "hornbeam/portable.hpp"

#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <string>

#include "hornbeam/portable_twins.hpp"

namespace hornbeam {

bool parse_double(std::string_view text, double& out) {
#if defined(__cpp_lib_to_chars) && !defined(HORNBEAM_PORTABLE)
    const char* end = text.data() + text.size();
    double value = 0;
    const auto [last, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || last != end) return false;
    out = value;
    return true;
#else
    return twin::parse_double(text, out);
#endif
}

bool twin::parse_double(std::string_view text, double& out) {
    std::string copy(text);
    // Programs may have chosen another point for all their numbers.
    if (const std::size_t point = copy.find('.'); point != std::string::npos)
        copy.replace(point, 1, std::localeconv()->decimal_point);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || end != copy.c_str() + copy.size() || !std::isfinite(value)) return false;
    const bool only_zeros = text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == text.npos;
    if (value == 0 && !only_zeros) return false;
    out = value;
    return true;
}

}  // namespace hornbeam
