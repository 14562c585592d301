// Asking Python, now and then, whether to go on: pending signals, and the user's callback.
#pragma once

#include <nanobind/nanobind.h>

namespace hornbeam::bindings {

namespace nb = nanobind;

// Called without the interpreter's lock; true to stop. An error of the callback is kept for `rethrow`.
class Progress {
  public:
    explicit Progress(const nb::object& callback) : callback_(callback) {}

    bool operator()(double share) {
        if (failed_) return true;
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
            PyErr_Clear();
            return true;
        }
        if (callback_.is_none()) return false;
        PyObject* answer = PyObject_CallFunction(callback_.ptr(), "d", share);
        if (answer == nullptr) return failed_ = true;
        const bool stop = PyObject_IsTrue(answer) == 1;
        Py_DECREF(answer);
        return stop;
    }
    void rethrow() const {
        if (failed_) throw nb::python_error();
    }

  private:
    const nb::object& callback_;
    bool failed_ = false;
};

}  // namespace hornbeam::bindings
