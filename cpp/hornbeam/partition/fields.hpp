// Fields: what a part of the rows answers, as bytes, so that answers travel and merge without being understood.
//
//   field    [how it merges, width, size] [bytes, a multiple of 8]
//
// An answer is a list of fields. Answers to one message have the same fields, and merge field by field: in any order,
// and in any groups, to the same answer.
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hornbeam/types.hpp"

namespace hornbeam {

enum class Merge : u64 {
    add = 0,          // integers of `width` words each
    add_doubles = 1,  // an estimate: what is decided by it does not decide the tree
    least = 2,        // doubles
    most = 3,         // doubles
    either = 4,       // bytes that are 0 or 1
    join = 5,         // one after the other
    by_key = 6,       // doubles in ascending order, each followed by `width` integers: those of equal keys are added
};

// Writes numbers and arrays one after the other.
class Writer {
  public:
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        append(&value, sizeof(T));
    }
    template <class T>
    void put_all(const std::vector<T>& values) {
        put<u64>(values.size());
        append(values.data(), values.size() * sizeof(T));
    }
    void append(const void* from, std::size_t n) { bytes.append(static_cast<const char*>(from), n); }

    std::string bytes;
};

// Reads them in the same order; what is too short is refused.
class Reader {
  public:
    explicit Reader(std::string_view bytes) : left_(bytes) {}
    template <class T>
    T get() {
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    template <class T>
    std::vector<T> get_all() {
        const auto n = static_cast<std::size_t>(get<u64>());
        if (n > left_.size() / sizeof(T)) fail();
        std::vector<T> out(n);
        if (n > 0) std::memcpy(out.data(), take(n * sizeof(T)).data(), n * sizeof(T));
        return out;
    }
    std::string_view take(std::size_t n) {
        if (n > left_.size()) fail();
        const std::string_view out = left_.substr(0, n);
        left_.remove_prefix(n);
        return out;
    }
    bool empty() const { return left_.empty(); }
    std::size_t size() const { return left_.size(); }

  private:
    [[noreturn]] static void fail() { throw std::invalid_argument("a message between tasks is cut short"); }

    std::string_view left_;
};

// One field of an answer; the bytes are the answer's.
struct Field {
    Merge merge = Merge::join;
    u64 width = 1;
    std::string_view bytes;

    template <class T>
    std::size_t size() const {
        return bytes.size() / sizeof(T);
    }
    template <class T>
    T at(std::size_t i) const {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        return value;
    }
    template <class T>
    std::vector<T> all() const {
        std::vector<T> out(size<T>());
        if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
        return out;
    }
};

class FieldWriter {
  public:
    template <class T>
    void add(Merge merge, const T* values, std::size_t n, u64 width = 1) {
        begin(merge, width, n * sizeof(T));
        out_.append(values, n * sizeof(T));
        end();
    }
    template <class T>
    void add(Merge merge, const std::vector<T>& values, u64 width = 1) {
        add(merge, values.data(), values.size(), width);
    }
    void add_one(Merge merge, double value) { add(merge, &value, 1); }
    void add_count(i64 value) { add(Merge::add, &value, 1); }
    // A field of so many bytes, which follow by `append`.
    void begin(Merge merge, u64 width, std::size_t n_bytes) {
        out_.put(merge);
        out_.put(width);
        out_.put<u64>(n_bytes);
        padding_ = (8 - n_bytes % 8) % 8;
    }
    void append(const void* from, std::size_t n) { out_.append(from, n); }
    void end() { out_.bytes.append(padding_, '\0'); }
    std::string take() { return std::move(out_.bytes); }

  private:
    Writer out_;
    std::size_t padding_ = 0;
};

class FieldReader {
  public:
    explicit FieldReader(std::string_view answer) : left_(answer) {}
    Field next() {
        Field out;
        out.merge = left_.get<Merge>();
        out.width = left_.get<u64>();
        const auto n = static_cast<std::size_t>(left_.get<u64>());
        out.bytes = left_.take(n);
        left_.take((8 - n % 8) % 8);
        return out;
    }
    bool empty() const { return left_.empty(); }
    // How many bytes of the answer are read.
    std::size_t position(std::string_view answer) const { return answer.size() - left_.size(); }

  private:
    Reader left_;
};

// One answer of several to the same message.
std::string merge_answers(std::span<const std::string_view> answers);

// A number that other bytes hardly ever have: what a cache checks its contents by.
u64 checksum(const void* bytes, std::size_t n, u64 seed = 0);

}  // namespace hornbeam
