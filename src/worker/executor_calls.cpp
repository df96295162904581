// What an attempt calls: its handler, with the arguments of a task, the result before it, or the items of a bundle.
#include <errand/detail/engine.hpp>
#include <errand/detail/json_read.hpp>
#include <errand/error.hpp>

#include "core/sealed_records.hpp"
#include "runtime/on_loop.hpp"
#include "worker/executor.hpp"
#include "worker/on_dead.hpp"
#include "worker/perform_chain.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace errand {

namespace asio = boost::asio;

// Its first argument is the result of the task that it came after.
awaitable<std::string> executor::call_with_result(active_task& attempt) {
    std::string text;
    try {
        text = co_await detail::stored_result(shared_.app, to_text(attempt.body.after.back()));
    } catch (const key_missing& missing) {
        attempt.locked = missing.what();
        throw;
    }
    auto& args = attempt.args->get_array();
    args.insert(args.begin(), detail::parse_json(text, "args[0]", args.storage()));
    attempt.body.takes_result = false;
    co_return co_await call(attempt);
}

// All items of its bundle, and what is said of each of them.
awaitable<std::string> executor::call_bundle(active_task& attempt) {
    if (!attempt.known->code->item_key) {
        throw usage_error{
            "handler " + attempt.known->name +
            ": this is a run over collected items, and its perform takes no list of them any more"};
    }
    auto read = [id = attempt.task.id](loop& there) { return bundle_run::read(there.tasks(), id); };
    attempt.bundle = co_await on_loop(home_, std::move(read));
    if (attempt.bundle->items().empty()) co_return std::string{};
    try {
        attempt.args.emplace(attempt.bundle->args(attempt.args_storage(), shared_.app.seals()));
    } catch (const key_missing& missing) {
        attempt.locked = missing.what();
        throw;
    }
    const auto result = co_await call_handler(attempt);
    const auto now = shared_.app.now();
    const auto ends = attempt.bundle->ends(*attempt.known, attempt.set.get(), result, now);
    if (has_on_dead(attempt.known)) co_await tell_dead_items(attempt, ends, now);
    co_return bundle_report(ends);
}

awaitable<void> executor::tell_dead_items(const active_task& attempt, const std::vector<item_end>& ends,
                                          time_point now) {
    for (std::size_t at = 0; at < ends.size(); ++at) {
        if (!ends[at].dead) continue;
        const auto& item = attempt.bundle->items()[at];
        const auto terms = terms_of(attempt.known->policy, item.body, attempt.set.get());
        const auto notes = failed_in_bundle(item.notes, ends[at].why, now);
        const dead_task one{item.id, attempt.task.queue, item.body, terms, notes, attempt.started_at};
        // The run is over: what was to stop it stops none of these calls.
        co_await asio::this_coro::reset_cancellation_state();
        co_await call_on_dead(shared_.app, *attempt.known, one, now);
    }
}

awaitable<std::string> executor::call(active_task& attempt) {
    if (is_carrier(attempt.task.id)) return call_bundle(attempt);
    if (attempt.body.takes_result && !attempt.body.after.empty()) return call_with_result(attempt);
    return call_handler(attempt);
}

awaitable<std::string> executor::call_handler(active_task& attempt) {
    const auto& beans = shared_.app.beans;
    const auto perform = attempt.known->code->run;
    const auto& wrappers = shared_.app.perform_wrappers;
    if (wrappers.empty()) return perform(beans, attempt.args->get_array(), attempt.stage);
    auto handler = [&beans, perform, &attempt] {
        return perform(beans, attempt.args->get_array(), attempt.stage);
    };
    return perform_wrapped(wrappers, attempt, handler);
}

}  // namespace errand
