// Arrays as the JSON of saved files, and back.

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "hornbeam/json/read_arrays.hpp"
#include "hornbeam/json/write_numbers.hpp"
#include "tests/check.hpp"
#include "tests/random.hpp"

using namespace hornbeam;
using hornbeam::testing::Random;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<std::string> kWords = {"leaf", "threshold", "leafy"};

std::string written(const std::vector<double>& values, std::size_t width = 0) {
    return numbers_text(std::span<const double>(values), width);
}

// A copy of the text that ends where its memory ends, so that a sanitizer sees whoever reads on.
JsonParts parts_of(std::string_view text) {
    const std::vector<char> exact(text.begin(), text.end());
    return take_arrays_out({exact.data(), exact.size()}, kWords);
}

JsonParts parts_of_nodes(const std::string& array) { return parts_of(R"({"nodes": {"a": )" + array + "}}"); }

bool is_taken(const std::string& array) {
    const JsonParts parts = parts_of_nodes(array);
    return parts.arrays.size() == 1 && parts.rest == R"({"nodes": {"a": NaN}})";
}

// What the rest was before something was taken out of it.
std::string restored(const std::string& text, const JsonParts& parts) {
    std::string out;
    std::size_t at = 0, from = 0;
    for (const JsonArray& array : parts.arrays) {
        const std::size_t length = array.start - from;
        out += parts.rest.substr(at, length);
        out += text.substr(array.start, array.end - array.start);
        CHECK(parts.rest.substr(at + length, kInPlaceOfArray.size()) == kInPlaceOfArray);
        at += length + kInPlaceOfArray.size();
        from = array.end;
    }
    return out + parts.rest.substr(at);
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

double random_double(Random& random) {
    double value = 0;
    do {
        const u64 bits = random.bits();
        std::memcpy(&value, &bits, sizeof value);
    } while (!std::isfinite(value));
    return value;
}

}  // namespace

TEST("numbers are written as Python writes them") {
    CHECK(written({0.0, -0.0, 1.0, 0.1, -2.5, 100.0}) == "0.0, -0.0, 1.0, 0.1, -2.5, 100.0");
    CHECK(written({1e15, 1e16, 123456789012345.6, 1.5e300}) ==
          "1000000000000000.0, 1e+16, 123456789012345.6, 1.5e+300");
    CHECK(written({1e-4, 0.00012, 1e-5, 5e-324}) == "0.0001, 0.00012, 1e-05, 5e-324");
    CHECK(written({0x1p53, 0x1p53 - 1}) == "9007199254740992.0, 9007199254740991.0");
    CHECK(written({-1.7976931348623157e308}) == "-1.7976931348623157e+308");
    CHECK(written({kNone, kInfinity, -kInfinity}) == R"(null, "inf", "-inf")");
    CHECK(written({}) == "");
    CHECK(written({1, 2, 3, kNone}, 2) == "[1.0, 2.0], [3.0, null]");
    CHECK(written({1, 2}, 1) == "[1.0], [2.0]");
    const std::vector<i64> longs = {0, -1, std::numeric_limits<i64>::min(), std::numeric_limits<i64>::max()};
    CHECK(numbers_text(std::span<const i64>(longs), 0) == "0, -1, -9223372036854775808, 9223372036854775807");
    const std::vector<i32> ints = {7, -2147483648};
    CHECK(numbers_text(std::span<const i32>(ints), 2) == "[7, -2147483648]");
    CHECK_THROWS(std::invalid_argument, written({1, 2, 3}, 2));
}

TEST("every double comes back from its text") {
    Random random(1);
    for (int turn = 0; turn < 200; ++turn) {
        std::vector<double> values;
        for (int k = 0; k < 30; ++k) {
            values.push_back(random_double(random));
            values.push_back(std::ldexp(random.number(-100, 100), random.number(-1070, 1000)));
            values.push_back(random.chance(0.5) ? kInfinity : -kInfinity);
            values.push_back(static_cast<double>(random.whole(-(i64{1} << 54), i64{1} << 54)));
        }
        const JsonParts parts = parts_of_nodes("[" + written(values) + "]");
        CHECK(parts.arrays.size() == 1);
        const auto& back = std::get<RealNumbers>(parts.arrays.at(0).values);
        CHECK(back.size() == values.size());
        for (std::size_t k = 0; k < back.size(); ++k) CHECK(same_bits(back[k], values[k]));
    }
}

TEST("whole numbers, rows and words are told apart") {
    JsonArray array = parts_of_nodes("[1, -2,\n 0 , 999999999999999999]").arrays.at(0);
    CHECK(std::get<WholeNumbers>(array.values) == WholeNumbers{1, -2, 0, 999999999999999999});
    CHECK(array.width == 0);
    CHECK(array.start == 16);
    array = parts_of_nodes("[[1, 2.5], [3, -0]]").arrays.at(0);
    CHECK(std::get<RealNumbers>(array.values) == RealNumbers{1, 2.5, 3, 0});
    CHECK(!std::signbit(std::get<RealNumbers>(array.values)[3]));
    CHECK(array.width == 2);
    array = parts_of_nodes(R"(["threshold", "leaf","leafy"])").arrays.at(0);
    CHECK(std::get<WordCodes>(array.values) == WordCodes{1, 0, 2});
    array = parts_of_nodes(R"([null, "inf", 9007199254740993, "-inf"])").arrays.at(0);
    const auto& reals = std::get<RealNumbers>(array.values);
    CHECK(std::isnan(reals[0]) && reals[1] == kInfinity && reals[2] == 0x1p53 && reals[3] == -kInfinity);
}

TEST("an unusual array stays where it is") {
    for (const char* array : {"[]",
                              "[[]]",
                              "[[1], []]",
                              "[[1], [1, 2]]",
                              "[[1], 2]",
                              "[1, [2]]",
                              "[[[1]]]",
                              "[01]",
                              "[1.]",
                              "[.5]",
                              "[+1]",
                              "[1e]",
                              "[1e+]",
                              "[- 1]",
                              "[-]",
                              "[0x1]",
                              "[1e999]",
                              "[1000000000000000000]",
                              "[true]",
                              "[nul]",
                              "[1,]",
                              "[,1]",
                              "[1 2]",
                              "[\"inf \"]",
                              "[\"tree\"]",
                              "[\"leaf\", 1]",
                              "[1, \"leaf\"]",
                              "[null, \"leaf\"]",
                              "[\"leaf\", null]",
                              "[[\"leaf\"]]",
                              "[\"l\\u0065af\"]",
                              "[1\v]",
                              "[1",
                              "[1,",
                              "[\"leaf",
                              "[\"",
                              "[nu",
                              "[-",
                              "[1.5e",
                              "["}) {
        CHECK(!is_taken(array));
        const std::string text = std::string(R"({"nodes": {"a": )") + array + "}}";
        CHECK(parts_of(text).rest == text);
    }
    for (const char* array : {"[1]", "[ 1 ]", "[-0.0]", "[1E5]", "[1e-05,\t2]", "[0]", "[[0]]", "[\"leaf\"]", "[null]"})
        CHECK(is_taken(array));
    CHECK(!is_taken("[0." + std::string(500, '1') + "]"));
}

TEST("only the arrays of trees are taken out") {
    const std::string text =
        R"({"a": [1], "nodes": {"x": [1], "y": {"z": [1]}}, "pools": {"p": {"q": [2], "r": [[3]]}, "s": [4]},)"
        R"( "trees": [{"nodes": {"x": [5]}, "pools": {"p": {"q": [6]}}, "meta": {"x": [7]}}, [{"nodes": {"x": [8]}}]],)"
        R"( "meta": {"nodes": {"x": [9]}}, "text": "\"nodes\": {\"x\": [10]}", "b": {"trees": [{"nodes": {"x": [11]}}]}})";
    const JsonParts parts = parts_of(text);
    CHECK(parts.arrays.size() == 5);
    CHECK(restored(text, parts) == text);
    std::string kept;
    for (const JsonArray& array : parts.arrays) kept += text.substr(array.start, array.end - array.start);
    CHECK(kept == "[1][2][[3]][5][6]");
    CHECK(parts_of(R"([{"nodes": {"x": [1]}}])").arrays.empty());
    CHECK(parts_of(R"({"nodes": [{"x": [1]}]})").arrays.empty());
    CHECK(parts_of(R"({}} {"nodes": {"x": [1]}})").arrays.empty());
}

TEST("nothing behind a NaN or Infinity of the text itself is taken out") {
    CHECK(parts_of(R"({"a": NaN, "nodes": {"x": [1]}})").arrays.empty());
    CHECK(parts_of(R"({"nodes": {"x": [-Infinity], "y": [1]}})").arrays.empty());
    CHECK(parts_of(R"({"nodes": {"x": [1], "y": [NaN], "z": [1]}})").arrays.size() == 1);
    CHECK(parts_of(R"({"NaN": "NaN", "nodes": {"x": [1]}})").arrays.size() == 1);
}

TEST("any bytes are read without harm, and nothing of them is lost") {
    const std::string sound =
        R"({"nodes": {"kind": ["leaf", "threshold"], "x": [1.5, null, "inf"], "s": [[1, 2], [3, 4]]}, "trees": [{"pools":)"
        R"( {"p": {"q": [1, 2, 3]}}}], "text": "a \"quoted\" \\"})";
    Random random(2);
    for (int turn = 0; turn < 20000; ++turn) {
        std::string text = sound;
        for (int change = random.number(1, 4); change > 0 && !text.empty(); --change) {
            const std::size_t at = random.below(text.size());
            switch (random.number(0, 4)) {
                case 0:
                    text[at] = static_cast<char>(random.number(0, 255));
                    break;
                case 1:
                    text.erase(at, random.below(9) + 1);
                    break;
                case 2:
                    text.insert(at, 1, R"([]{}",:\ -.eN10n)"[random.below(16)]);
                    break;
                case 3:
                    text.insert(at, text.substr(random.below(text.size()), random.below(40)));
                    break;
                default:
                    text.resize(at);
            }
        }
        CHECK(restored(text, parts_of(text)) == text);
    }
}
