// What the bindings that grow trees share: plans, targets and columns coming in, trees going out, and the check
// whether to stop.
#pragma once

#include "bindings/arrays.hpp"
#include "hornbeam/grow/learn.hpp"

namespace hornbeam::bindings {

Limits limits_of(const nb::dict& from);
Plan plan_of(const nb::dict& from, std::size_t n_columns);
TargetView target_of(const nb::dict& from);
// The same with several targets, if there are some: `outputs` keeps what is said of each.
TargetView target_of(const nb::dict& from, std::vector<OutputView>& outputs);
// columns: [(array, kind, split, n_values), ...]; `owners` keeps their memory alive.
std::vector<ColumnView> views_of(const nb::list& columns, std::size_t n_rows, std::vector<AnyArray>& owners);
nb::dict to_dict(TreeArrays&& tree);

// Asks Python whether to stop: Ctrl-C, or `progress(share)` returning True. An exception of `progress` or of another
// signal's handler stops, too, and is raised by `rethrow`.
class StopCheck {
  public:
    explicit StopCheck(nb::object progress) : progress_(std::move(progress)) {}
    bool operator()(double share);
    void rethrow() const {
        if (failed_) throw nb::python_error();
    }
    // Ctrl-C that came when nothing was left to be stopped is handed on.
    void hand_on_signal(bool interrupted) const {
        if (is_pressed_ && !interrupted) PyErr_SetInterrupt();
    }

  private:
    nb::object progress_;
    bool failed_ = false, is_pressed_ = false;
};

// Runs `body` without the interpreter's lock. An infinite value raises OverflowError with the column's number.
void run_without_lock(const std::function<void()>& body);

}  // namespace hornbeam::bindings
