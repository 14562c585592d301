// _core.grow_far and what its tasks call: messages and answers are bytes, rows are arrays.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/grow.hpp"
#include "hornbeam/partition/answer.hpp"
#include "hornbeam/partition/learn_far.hpp"

namespace hornbeam::bindings {
namespace {

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes to_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// Calls Python to send a message, or to keep and recall answers; what it raises is raised again on the thread that
// called the core.
class Sender {
  public:
    Sender(nb::object send, nb::object kept) : send_(std::move(send)), kept_(std::move(kept)) {}
    std::string operator()(const std::string& message) {
        return guarded([&] { return std::string(view_of(nb::cast<nb::bytes>(send_(to_bytes(message))))); });
    }
    KeptAnswers kept() {
        if (kept_.is_none()) return {};
        return {[this](const AnswerKey& key) {
                    return guarded([&]() -> std::optional<std::string> {
                        const nb::object known = kept_.attr("recall")(bytes_of(key));
                        if (known.is_none()) return std::nullopt;
                        return std::string(view_of(nb::cast<nb::bytes>(known)));
                    });
                },
                [this](const auto& answers) {
                    guarded([&] {
                        nb::list all;
                        for (const auto& [key, answer] : answers)
                            all.append(nb::make_tuple(bytes_of(key), nb::bytes(answer.data(), answer.size())));
                        kept_.attr("keep")(all);
                    });
                }};
    }
    void rethrow() const {
        if (!error_.is_valid()) return;
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error_.ptr())), error_.ptr());
        throw nb::python_error();
    }

  private:
    static nb::bytes bytes_of(const AnswerKey& key) { return nb::bytes(&key, sizeof key); }
    template <class Call>
    auto guarded(Call&& call) -> decltype(call()) {
        nb::gil_scoped_acquire acquire;
        try {
            return call();
        } catch (const nb::python_error& error) {
            if (!error_.is_valid()) error_ = nb::borrow(error.value());
        }
        throw std::runtime_error("a message could not be sent");
    }

    nb::object send_, kept_, error_;
};

nb::tuple grow_far(const nb::list& columns, const nb::dict& target, const nb::dict& plan, const nb::dict& limits,
                   const nb::object& send, const nb::object& progress, const nb::object& kept) {
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, 0, owners);
    const TargetView kind = target_of(target);
    const Plan what = plan_of(plan, views.size());
    const auto limit = [&](const char* name) { return nb::cast<std::size_t>(limits[name]); };
    const FarLimits memory{limit("fetch_rows"), limit("fetch_bytes"), limit("answer_bytes"),
                           static_cast<int>(limit("n_searches"))};
    TreeArrays tree;
    StopCheck stop_check(progress);
    Sender sender(send, kept);
    const KeptAnswers kept_answers = sender.kept();
    try {
        run_without_lock([&] {
            tree = learn_far(
                views, kind, what, memory, [&](const std::string& message) { return sender(message); },
                std::ref(stop_check), kept_answers);
        });
    } catch (const std::runtime_error&) {
        sender.rethrow();
        throw;
    }
    stop_check.rethrow();
    const bool interrupted = tree.interrupted;
    stop_check.hand_on_signal(interrupted);
    return nb::make_tuple(to_dict(std::move(tree)), interrupted);
}

std::span<u8> memory_of(const nb::object& array) {
    if (array.is_none()) return {};
    auto typed = nb::cast<nb::ndarray<u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(array, false);
    return {typed.data(), typed.shape(0)};
}

nb::bytes answer_message(const nb::bytes& message, const nb::list& columns, std::size_t n_rows, const nb::dict& target,
                         const nb::dict& plan, const nb::object& checksums, const nb::object& codes,
                         const nb::object& nodes) {
    std::vector<AnyArray> owners;
    Partition part{views_of(columns, n_rows, owners), n_rows, target_of(target)};
    for (const u64 one : span_of<u64>(checksums)) part.checksums.push_back(one);
    const Plan what = plan_of(plan, part.columns.size());
    const PartCache cache{memory_of(codes), memory_of(nodes)};
    const std::string_view text = view_of(message);
    std::string out;
    try {
        run_without_lock([&] { out = answer(text, part, what, cache); });
    } catch (const ChangedRows& changed) {
        PyErr_SetObject(PyExc_BufferError, nb::int_(changed.column).ptr());
        throw nb::python_error();
    }
    return to_bytes(out);
}

nb::bytes merge(const nb::list& answers) {
    std::vector<nb::bytes> held;
    for (nb::handle one : answers) held.push_back(nb::cast<nb::bytes>(one));
    std::vector<std::string_view> views;
    for (const nb::bytes& one : held) views.push_back(view_of(one));
    std::string out;
    run_without_lock([&] { out = merge_answers(views); });
    return to_bytes(out);
}

// The checksum of each column, then of the target.
nb::object checksums(const nb::list& columns, std::size_t n_rows, const nb::dict& target) {
    std::vector<AnyArray> owners;
    const std::vector<ColumnView> views = views_of(columns, n_rows, owners);
    const TargetView goal = target_of(target);
    std::vector<u64> out;
    run_without_lock([&] {
        for (const ColumnView& view : views)
            out.push_back(checksum(view.data, n_rows * static_cast<std::size_t>(view.stride)));
        out.push_back(target_checksum(goal));
    });
    return to_numpy(std::move(out));
}

nb::tuple cache_bytes(std::size_t n_columns, std::size_t n_rows) {
    return nb::make_tuple(code_bytes(n_columns, n_rows), node_bytes(n_rows));
}

}  // namespace

void bind_partition(nb::module_& m) {
    m.def("grow_far", &grow_far, nb::arg("columns"), nb::arg("target"), nb::arg("plan"), nb::arg("limits"),
          nb::arg("send"), nb::arg("progress").none(), nb::arg("kept").none());
    m.def("answer", &answer_message, nb::arg("message"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"),
          nb::arg("plan"), nb::arg("checksums").none(), nb::arg("codes").none(), nb::arg("nodes").none());
    m.def("merge_answers", &merge, nb::arg("answers"));
    m.def("checksums", &checksums, nb::arg("columns"), nb::arg("n_rows"), nb::arg("target"));
    m.def("cache_bytes", &cache_bytes, nb::arg("n_columns"), nb::arg("n_rows"));
}

}  // namespace hornbeam::bindings
