// _core.codes_of_objects and _core.codes_of_arrow: a column of text as codes, its distinct values in their order.
//
// Frames that were read from files hold the same Python object in every cell of one value, so a cell is looked up by
// its address first; the text itself is looked at where an address is new. Text of Arrow is looked up by its bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string_view>

#include "bindings/arrays.hpp"

namespace hornbeam::bindings {
namespace {

using Codes = nb::ndarray<i32, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
constexpr i32 kMissing = -1, kNoText = -2;

struct ObjectText {
    PyObject* object;
    u64 key() const { return static_cast<u64>(PyObject_Hash(object)); }  // Python keeps it with the text
    bool equals(const ObjectText& other, u64) const { return PyUnicode_Compare(object, other.object) == 0; }
    bool operator<(const ObjectText& other) const { return PyUnicode_Compare(object, other.object) < 0; }
    nb::object value() const { return nb::borrow(object); }
};

template <class Word>
u64 word_at(const char* bytes) {
    Word word;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

// UTF-8, whose order by bytes is that of its characters. The key of less than 8 bytes is those bytes and their number.
struct BytesText {
    std::string_view bytes;
    static constexpr u64 kLong = u64{0xff} << 56;
    u64 key() const {
        const char* at = bytes.data();
        const std::size_t size = bytes.size();
        if (size >= 8) {
            u64 sum = size;
            for (std::size_t k = 0; k < size; k += 8) {
                sum = (sum ^ word_at<u64>(at + std::min(k, size - 8))) * 0x9e3779b97f4a7c15u;
                sum ^= sum >> 32;
            }
            return sum | kLong;
        }
        u64 all = size << 56;
        if (size >= 4) {
            all |= word_at<std::uint32_t>(at) << 24;
            all |= word_at<std::uint16_t>(at + size - 3) << 8 | word_at<u8>(at + size - 1);
        } else if (size > 0) {
            all |= word_at<u8>(at) << 16 | word_at<u8>(at + size / 2) << 8 | word_at<u8>(at + size - 1);
        }
        return all;
    }
    bool equals(const BytesText& other, u64 key) const { return key < kLong || bytes == other.bytes; }
    bool operator<(const BytesText& other) const { return bytes < other.bytes; }
    nb::object value() const { return nb::steal(PyUnicode_FromStringAndSize(bytes.data(), Py_ssize_t(bytes.size()))); }
};

// The distinct texts in the order of their appearance: open addressing, at most half full.
template <class Text>
class Distinct {
  public:
    i32 code_of(Text text) {
        const u64 key = text.key();
        for (std::size_t at = place_of(key);; at = (at + 1) & (slots_.size() - 1)) {
            Slot& slot = slots_[at];
            if (slot.code < 0) {
                slot = {key, static_cast<i32>(texts_.size())};
                texts_.push_back(text);
                if (2 * texts_.size() > slots_.size()) grow();
                return static_cast<i32>(texts_.size()) - 1;
            }
            if (slot.key == key && texts_[slot.code].equals(text, key)) return slot.code;
        }
    }

    // Recodes by the order of the texts, and lists them in that order.
    nb::list sort(std::span<i32> codes) {
        std::vector<i32> order(texts_.size()), rank(texts_.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](i32 a, i32 b) { return texts_[a] < texts_[b]; });
        for (std::size_t k = 0; k < order.size(); ++k) {
            rank[order[k]] = static_cast<i32>(k);
            nb::object value = texts_[order[k]].value();
            if (!value.is_valid()) throw nb::python_error();
            values_.append(value);
        }
        if (!std::is_sorted(order.begin(), order.end()))
            for (i32& code : codes) code = code < 0 ? code : rank[code];
        return values_;
    }
    bool empty() const { return texts_.empty(); }

  private:
    struct Slot {
        u64 key = 0;
        i32 code = kMissing;
    };
    std::size_t place_of(u64 key) const { return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> shift_); }
    void grow() {
        std::vector<Slot> old(4 * slots_.size());
        old.swap(slots_);
        shift_ -= 2;
        for (const Slot& slot : old) {
            if (slot.code < 0) continue;
            std::size_t at = place_of(slot.key);
            while (slots_[at].code >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    int shift_ = 64 - 6;
    std::vector<Text> texts_;
    nb::list values_;  // made first: no garbage is collected, hence no text let go, while they are looked at
};

// Objects ---------------------------------------------------------------------------------------------------

// The buffer of an array of Python objects, given back at the end.
struct ObjectBuffer {
    Py_buffer view{};
    explicit ObjectBuffer(nb::handle array) {
        if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_FORMAT | PyBUF_STRIDES) != 0) throw nb::python_error();
    }
    ObjectBuffer(const ObjectBuffer&) = delete;
    ObjectBuffer& operator=(const ObjectBuffer&) = delete;
    ~ObjectBuffer() { PyBuffer_Release(&view); }
    bool holds_objects() const { return view.ndim == 1 && std::strcmp(view.format, "O") == 0; }
    PyObject* operator[](std::size_t row) const {
        const char* cell = static_cast<const char*>(view.buf) + static_cast<std::ptrdiff_t>(row) * view.strides[0];
        PyObject* object;
        std::memcpy(&object, cell, sizeof object);  // a field of records may lie anywhere
        return object;
    }
};

i32 code_of_object(PyObject* object, const nb::tuple& gaps, Distinct<ObjectText>& distinct) {
    if (object != nullptr && PyUnicode_CheckExact(object)) return distinct.code_of({object});
    if (object == nullptr || object == Py_None) return kMissing;
    if (PyFloat_Check(object) && std::isnan(PyFloat_AsDouble(object))) return kMissing;
    for (nb::handle gap : gaps)
        if (gap.ptr() == object) return kMissing;
    return kNoText;
}

// The values, and whether there are gaps. None where something else than text, None, nan or `gaps` is among the
// objects, or no text at all.
nb::object codes_of_objects(const nb::object& objects, const nb::tuple& gaps, Codes& codes) {
    const ObjectBuffer cells(objects);
    const std::size_t n_rows = codes.shape(0);
    if (!cells.holds_objects() || static_cast<std::size_t>(cells.view.shape[0]) != n_rows)
        throw std::invalid_argument("objects and codes must be columns of one length");
    struct Known {
        PyObject* object = nullptr;
        i32 code = kMissing;
    };
    std::array<Known, 512> known;
    Distinct<ObjectText> distinct;
    bool has_gaps = false;
    i32* out = codes.data();
    for (std::size_t row = 0; row < n_rows; ++row) {
        PyObject* object = cells[row];
        Known& place = known[(reinterpret_cast<std::uintptr_t>(object) * 0x9e3779b97f4a7c15u) >> 55];
        if (place.object != object) {
            const i32 code = code_of_object(object, gaps, distinct);
            if (code == kNoText) return nb::none();
            place = {object, code};
            has_gaps |= code == kMissing;
        }
        out[row] = place.code;
    }
    if (distinct.empty()) return nb::none();
    return nb::make_tuple(distinct.sort({out, n_rows}), has_gaps);
}

// Arrow -----------------------------------------------------------------------------------------------------

// An array as the C data interface of Arrow lays it out.
struct ArrowArray {
    i64 length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

template <class Offset>
void add_codes(const ArrowArray& array, Distinct<BytesText>& distinct, i32* codes) {
    const auto* known = static_cast<const unsigned char*>(array.buffers[0]);  // a bit for each cell, or none at all
    const auto* ends = static_cast<const Offset*>(array.buffers[1]) + array.offset;
    const auto* bytes = static_cast<const char*>(array.buffers[2]);
    for (i64 row = 0; row < array.length; ++row) {
        const i64 bit = row + array.offset;
        if (known != nullptr && (known[bit / 8] >> (bit % 8) & 1) == 0)
            codes[row] = kMissing;
        else
            codes[row] = distinct.code_of({{bytes + ends[row], static_cast<std::size_t>(ends[row + 1] - ends[row])}});
    }
}

// `chunks`: the pieces of one column; `large`: whether they count bytes with 64 bits.
nb::list codes_of_arrow(const nb::list& chunks, bool large, Codes& codes) {
    Distinct<BytesText> distinct;
    std::size_t row = 0;
    for (nb::handle chunk : chunks) {
        const auto& array = *static_cast<const ArrowArray*>(nb::cast<nb::capsule>(chunk).data("arrow_array"));
        if (array.n_buffers != 3 || static_cast<std::size_t>(array.length) > codes.shape(0) - row)
            throw std::invalid_argument("text and codes must be columns of one length");
        if (array.length > 0)  // otherwise there may be no buffers
            (large ? add_codes<i64> : add_codes<i32>)(array, distinct, codes.data() + row);
        row += static_cast<std::size_t>(array.length);
    }
    if (row != codes.shape(0)) throw std::invalid_argument("text and codes must be columns of one length");
    return distinct.sort({codes.data(), codes.shape(0)});
}

}  // namespace

void bind_text(nb::module_& m) {
    m.def("codes_of_objects", &codes_of_objects, nb::arg("objects"), nb::arg("gaps"), nb::arg("codes"));
    m.def("codes_of_arrow", &codes_of_arrow, nb::arg("chunks"), nb::arg("large"), nb::arg("codes"));
}

}  // namespace hornbeam::bindings
