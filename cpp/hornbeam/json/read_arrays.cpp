#include "hornbeam/json/read_arrays.hpp"

#include <limits>
#include <stdexcept>

namespace hornbeam {
namespace {

constexpr std::size_t kMostDigits = 18;    // of a whole number: each fits into 64 bits
constexpr std::size_t kMostLetters = 400;  // of a number: what is longer is left to the parser

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads one array from its opening bracket on; gives up at whatever it does not know.
class ArrayReader {
  public:
    ArrayReader(std::string_view text, std::size_t at, std::span<const std::string> words)
        : text_(text), at_(at), words_(words) {}

    bool read(JsonArray& array) {
        array.start = at_++;
        skip_spaces();
        if (peek() == '[' ? !read_rows(array.width) : !read_items()) return false;
        array.end = at_;
        if (!codes_.empty())
            array.values = std::move(codes_);
        else if (!reals_.empty())
            array.values = std::move(reals_);
        else
            array.values = std::move(wholes_);
        return true;
    }

  private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip_spaces() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    std::size_t size() const { return codes_.size() + reals_.size() + wholes_.size(); }

    // Behind an item: the comma before the next one, or the bracket that ends the array.
    bool is_next(bool& last) {
        skip_spaces();
        last = peek() == ']';
        if (!last && peek() != ',') return false;
        ++at_;
        if (!last) skip_spaces();
        return true;
    }

    bool read_items() {
        for (bool last = false; !last;)
            if (!read_item() || !is_next(last)) return false;
        return true;
    }

    bool read_rows(std::size_t& width) {
        for (bool last = false; !last;) {
            const std::size_t before = size();
            if (peek() != '[') return false;
            ++at_;
            skip_spaces();
            if (!read_items()) return false;
            if (before == 0) width = size();
            if (size() - before != width || !is_next(last)) return false;
        }
        return codes_.empty();
    }

    bool read_item() {
        const char first = peek();
        if (first == '"') return read_quoted();
        if (first == 'n') return take("null") && add(std::numeric_limits<double>::quiet_NaN());
        return read_number();
    }

    bool take(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    bool read_quoted() {
        if (take("\"inf\"")) return add(std::numeric_limits<double>::infinity());
        if (take("\"-inf\"")) return add(-std::numeric_limits<double>::infinity());
        if (!reals_.empty() || !wholes_.empty()) return false;
        const std::string_view rest = text_.substr(at_ + 1);
        for (std::size_t code = 0; code < words_.size(); ++code) {
            const std::string& word = words_[code];
            if (!rest.starts_with(word) || rest.size() == word.size() || rest[word.size()] != '"') continue;
            at_ += word.size() + 2;
            codes_.push_back(static_cast<std::int8_t>(code));
            return true;
        }
        return false;
    }

    // -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?
    bool read_number() {
        const std::size_t start = at_;
        const bool negative = peek() == '-';
        if (negative) ++at_;
        const std::size_t first = at_;
        i64 whole = 0;
        for (; is_digit(peek()) && at_ - first <= kMostDigits; ++at_)
            if (at_ - first < kMostDigits) whole = whole * 10 + (peek() - '0');
        const std::size_t digits = at_ - first;
        if (digits == 0 || digits > kMostDigits || (digits > 1 && text_[first] == '0')) return false;
        if (peek() != '.' && peek() != 'e' && peek() != 'E') return add_whole(negative ? -whole : whole);
        if (peek() == '.') {
            ++at_;
            if (!skip_digits()) return false;
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!skip_digits()) return false;
        }
        if (at_ - start > kMostLetters) return false;
        double value = 0;
        return parse_double(text_.substr(start, at_ - start), value) && add(value);
    }

    bool skip_digits() {
        const std::size_t start = at_;
        while (is_digit(peek())) ++at_;
        return at_ > start;
    }

    bool add(double value) {
        if (!codes_.empty()) return false;
        if (!wholes_.empty()) {
            reals_.assign(wholes_.begin(), wholes_.end());
            wholes_ = {};
        }
        reals_.push_back(value);
        return true;
    }

    bool add_whole(i64 value) {
        if (!reals_.empty() || !codes_.empty()) return add(static_cast<double>(value));
        wholes_.push_back(value);
        return true;
    }

    std::string_view text_;
    std::size_t at_;
    std::span<const std::string> words_;
    WholeNumbers wholes_;
    RealNumbers reals_;
    WordCodes codes_;
};

// What an object or array of a saved tree or forest is.
enum class JsonPlace : u8 { document, nodes, pools, pool, trees, tree, other };

JsonPlace place_in(JsonPlace outer, std::string_view key, char bracket) {
    using enum JsonPlace;
    if (outer == trees) return bracket == '{' ? tree : other;
    if (outer == document && key == "trees" && bracket == '[') return trees;
    if (bracket == '[') return other;
    if (outer == pools) return pool;
    if (outer == document || outer == tree) {
        if (key == "nodes") return nodes;
        if (key == "pools") return pools;
    }
    return other;
}

class Scanner {
  public:
    Scanner(std::string_view text, std::span<const std::string> words) : text_(text), words_(words) {}

    JsonParts scan() {
        while (at_ < text_.size() && step()) {
        }
        parts_.rest += text_.substr(copied_);
        return std::move(parts_);
    }

  private:
    // False where nothing behind can be understood.
    bool step() {
        switch (text_[at_]) {
            case '"':
                return string();
            case '{':
            case '[':
                open({});
                return true;
            case '}':
            case ']':
                ++at_;
                return close();
            case 'N':
            case 'I':
                return false;
            default:
                ++at_;
                return true;
        }
    }

    // A string and, if it is the name of an entry, the opening bracket behind it.
    bool string() {
        const std::size_t start = ++at_;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
            if (text_[at_] == '\\') ++at_;
        if (at_ >= text_.size()) return false;
        const std::string_view key = text_.substr(start, at_++ - start);
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != ':') return true;
        ++at_;
        skip_spaces();
        if (at_ == text_.size() || (text_[at_] != '[' && text_[at_] != '{')) return true;
        const bool of_tree = deeper_ == 0 && depth_ > 0 &&
                             (places_[depth_ - 1] == JsonPlace::nodes || places_[depth_ - 1] == JsonPlace::pool);
        if (!of_tree || text_[at_] != '[' || !take_out()) open(key);
        return true;
    }

    void skip_spaces() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }

    bool take_out() {
        JsonArray array;
        if (!ArrayReader(text_, at_, words_).read(array)) return false;
        parts_.rest += text_.substr(copied_, array.start - copied_);
        parts_.rest += kInPlaceOfArray;
        at_ = copied_ = array.end;
        parts_.arrays.push_back(std::move(array));
        return true;
    }

    void open(std::string_view key) {
        const char bracket = text_[at_++];
        JsonPlace place = JsonPlace::other;
        if (deeper_ == 0) {
            if (depth_ > 0)
                place = place_in(places_[depth_ - 1], key, bracket);
            else if (bracket == '{')
                place = JsonPlace::document;
        }
        if (place == JsonPlace::other)
            ++deeper_;
        else
            places_[depth_++] = place;
    }

    bool close() {
        if (deeper_ > 0)
            --deeper_;
        else if (depth_ > 0)
            --depth_;
        else
            return false;
        return true;
    }

    std::string_view text_;
    std::span<const std::string> words_;
    std::size_t at_ = 0, copied_ = 0;
    JsonPlace places_[5] = {};  // the brackets that are open; the longest way is document, trees, tree, pools, pool
    std::size_t depth_ = 0;
    std::size_t deeper_ = 0;  // brackets of other places that are open inside of them
    JsonParts parts_;
};

}  // namespace

JsonParts take_arrays_out(std::string_view text, std::span<const std::string> words) {
    if (words.size() > 127) throw std::invalid_argument("there are too many words");
    return Scanner(text, words).scan();
}

}  // namespace hornbeam
