#include "runtime/no_result.hpp"

#include <errand/error.hpp>

#include "core/record.hpp"
#include "runtime/result_watch.hpp"

namespace errand::no_result {

std::exception_ptr gone(const task_id& id) {
    return std::make_exception_ptr(result_gone{
        "the result of task " + to_text(id) +
        " is no longer kept: its place was taken by a later task with the same biz_id"});
}

std::exception_ptr deleted(const task_id& id) {
    return std::make_exception_ptr(result_gone{
        "the result of task " + to_text(id) +
        " is no longer kept: its retention is over, newer ones took its place in the history, or it was deleted"});
}

std::exception_ptr lost(const task_id& id) {
    return std::make_exception_ptr(unknown_task{
        "the store knows nothing of task " + to_text(id) +
        ": it was accepted and then lost by the store, or its retention is over; submit it again if it still matters"});
}

std::exception_ptr unanswered(const task_id& id) {
    return std::make_exception_ptr(store_error{
        "the end of task " + to_text(id) +
        " cannot be awaited: the store did not answer in time; the task "
        "goes on"});
}

[[noreturn]] void throw_closing() { throw store_error{"the app is closing: nothing more can be awaited"}; }

bool comes_too_late(const ended_task& end, time_point now) {
    return retention_is_over(end.outcome, end.finished_at, now);
}

}  // namespace errand::no_result
