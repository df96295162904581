// What the inspector changes: one task, a queue, all tasks that match.
#include <errand/error.hpp>
#include <errand/inspect.hpp>

#include "client/edit_task.hpp"
#include "client/listing.hpp"
#include "core/policy_rules.hpp"
#include "runtime/async_gate.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/parent_links.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::size_t tasks_per_page = 200;

void check_queue(const std::string& name) {
    if (name.empty() || name.size() > max_name_length)
        throw usage_error{"inspect: \"" + name + "\" is not the name of a queue"};
}

bool applies(repair what, state in) {
    switch (what) {
    case repair::run_now: return in == state::delayed || in == state::retry;
    case repair::revive: return in == state::dead || in == state::cancelled || in == state::expired;
    case repair::cancel: return !is_end(in);
    case repair::remove: return in != state::working;
    }
    return false;
}

std::string_view name_of(repair what) {
    switch (what) {
    case repair::run_now: return "run_now";
    case repair::revive: return "revive";
    case repair::cancel: return "cancel";
    case repair::remove: return "remove";
    }
    return "repair";
}

awaitable<bool> run_now_on(store& in, task_id id) {
    const auto found = co_await in.find(id);
    if (!found || !applies(repair::run_now, found->where)) co_return false;
    co_return (co_await reschedule_on(in, id, incarnation_of(found->body), time_point{})).value_or(false);
}

awaitable<bool> revive_one_of_many(store& in, task_id id, bool& tells) {
    if (!(co_await revive_on(in, id, 0)).value_or(false)) co_return false;
    if (tells) tells = co_await revive_dependents_there(in, id);
    co_return true;
}

awaitable<bool> repair_on(store& in, task_id id, repair what, bool& tells) {
    switch (what) {
    case repair::run_now: co_return co_await run_now_on(in, id);
    case repair::revive: co_return co_await revive_one_of_many(in, id, tells);
    case repair::cancel: co_return (co_await cancel_on(in, id, 0, policy{}.retention)).cancelled;
    case repair::remove: co_return co_await remove_on(in, id) == remove_verdict::removed;
    }
    co_return false;
}

// Many at once: each is a call or two, and calls share round trips.
awaitable<std::size_t> repair_page(loop& there, const std::vector<found_task>& tasks, repair what,
                                   bool& tells) {
    constexpr std::size_t at_once = 50;
    auto executor = there.executor();
    std::size_t next = 0;
    std::size_t changed = 0;
    std::exception_ptr failure;
    auto work = [&]() -> awaitable<void> {
        while (next < tasks.size() && !failure) {
            const auto id = tasks[next++].id;
            try {
                if (co_await repair_on(there.tasks(), id, what, tells)) ++changed;
            } catch (...) {
                failure = std::current_exception();
            }
        }
    };
    async_gate ended{executor};
    auto left = std::min(at_once, tasks.size());
    for (auto i = left; i > 0; --i) {
        boost::asio::co_spawn(executor, work(), [&](std::exception_ptr) {
            if (--left == 0) ended.open();
        });
    }
    while (left > 0) co_await ended.wait();
    if (failure) std::rethrow_exception(failure);
    co_return changed;
}

awaitable<repair_progress> repair_all_on(loop& there, task_filter which, repair what, repair_options how) {
    repair_progress done;
    std::string next;
    bool tells = true;
    do {
        // The oldest first: what the repair itself adds to the list comes behind.
        auto page = co_await list_page(there.tasks(), which, std::move(next), tasks_per_page,
                                       list_order::oldest_first);
        next = std::move(page.next);
        if (page.tasks.size() > how.most - done.matched) page.tasks.resize(how.most - done.matched);
        done.looked_at += page.looked_at;
        done.matched += page.tasks.size();
        done.changed +=
            how.dry_run ? page.tasks.size() : co_await repair_page(there, page.tasks, what, tells);
        if (how.progress && !how.progress(done)) break;
    } while (!next.empty() && done.matched < how.most);
    co_return done;
}

// Of one task, by its id as text.
awaitable<bool> repair_one(detail::app_core* app, const std::string& id, repair what) {
    return on_caller_loop(app, [on = required_task_id(id), what](loop& there) -> awaitable<bool> {
        bool tells = true;
        co_return co_await repair_on(there.tasks(), on, what, tells);
    });
}

awaitable<bool> false_if_gone(awaitable<std::optional<bool>> what) {
    const auto done = co_await std::move(what);
    co_return done.value_or(false);
}

}  // namespace

awaitable<bool> inspector::pause(std::string queue) const {
    check_queue(queue);
    return on_caller_loop(app_,
                          [queue = std::move(queue)](loop& there) { return there.tasks().pause(queue); });
}

awaitable<bool> inspector::resume(std::string queue) const {
    check_queue(queue);
    return on_caller_loop(app_,
                          [queue = std::move(queue)](loop& there) { return there.tasks().resume(queue); });
}

awaitable<bool> inspector::run_now(std::string id) const { return repair_one(app_, id, repair::run_now); }
awaitable<bool> inspector::cancel(std::string id) const { return repair_one(app_, id, repair::cancel); }
awaitable<bool> inspector::remove(std::string id) const { return repair_one(app_, id, repair::remove); }

awaitable<bool> inspector::revive(std::string id) const {
    return on_caller_loop(app_, [on = required_task_id(id)](loop& there) {
        return false_if_gone(revive_with_dependents_on(there.tasks(), on, 0));
    });
}

awaitable<bool> inspector::reschedule(std::string id, time_point due_at) const {
    return on_caller_loop(app_, [on = required_task_id(id), due_at](loop& there) {
        return false_if_gone(reschedule_on(there.tasks(), on, 0, due_at));
    });
}

awaitable<bool> inspector::change(std::string id, task_change what) const {
    if (what.priority && (*what.priority < 0 || *what.priority > 9)) {
        throw usage_error{"inspect.change: priority is " + std::to_string(*what.priority) +
                          ", and must be 0 to 9"};
    }
    return on_caller_loop(app_, [on = required_task_id(id), what = std::move(what)](loop& there) {
        return false_if_gone(change_on(there.tasks(), on, 0, what));
    });
}

awaitable<repair_progress> inspector::repair_all(task_filter which, repair what, repair_options how) const {
    if (!applies(what, which.state)) {
        throw usage_error{"inspect.repair_all: " + std::string{name_of(what)} +
                          " does nothing to tasks in state " + std::string{to_string(which.state)}};
    }
    return on_caller_loop(app_, [which = std::move(which), what, how = std::move(how)](loop& there) {
        return repair_all_on(there, which, what, how);
    });
}

}  // namespace errand
