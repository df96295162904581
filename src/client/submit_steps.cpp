#include "client/submit_steps.hpp"

#include <errand/error.hpp>

#include "runtime/ambient.hpp"
#include "runtime/app_core.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"

namespace errand::detail {

namespace {

// Calls the wrappers from the outermost to the innermost, then `last`.
struct submit_chain {
    const std::vector<submit_wrapper>& wrappers;
    submission& what;
    bool arrived = false;

    awaitable<void> go(std::size_t at) {
        if (at == wrappers.size()) {
            arrived = true;
            co_return;
        }
        co_await wrappers[at](what, [this, at]() -> awaitable<void> { return go(at + 1); });
    }
};

}  // namespace

void choose_core(draft& one, const boost::asio::any_io_executor& executor) {
    one.app = &core_for(executor, *one.app);
    if (one.held_by) one.held_by->choose(*one.app);
}

awaitable<draft> wrapped(draft one) {
    submission what;
    const auto keyed_by = one.keys ? one.args : std::string{};
    what.handler = one.wire_name.empty() ? handlers::of_type(one.handler).name : one.wire_name;
    what.args = std::move(one.args);
    if (one.extra) what.options = *one.extra;
    if (!what.options.biz_id) what.options.biz_id = one.biz_id;
    submit_chain chain{one.app->submit_wrappers, what};
    co_await chain.go(0);
    if (!chain.arrived) {
        throw usage_error{"a task of " + what.handler +
                          " was not submitted: a wrapper given to around_submit did not call `next`"};
    }
    const bool same_handler = one.wire_name.empty() ? handlers::of_type(one.handler).name == what.handler
                                                    : one.wire_name == what.handler;
    // The keys are those of what leaves.
    if (one.keys && (!same_handler || what.args != keyed_by)) one.keys.reset();
    one.wire_name = what.handler;
    one.args = std::move(what.args);
    one.extra = std::make_shared<const options>(std::move(what.options));
    co_return std::move(one);
}

std::shared_ptr<open_transaction> transaction_of(const draft& one, const ambient* around) {
    if (one.held_by) return one.held_by;
    if (around && around->transaction && &around->transaction->app() == one.app) return around->transaction;
    return nullptr;
}

std::shared_ptr<stage_run> stage_of(const draft& one, const ambient* around) {
    return around && around->app == one.app ? around->stage : nullptr;
}

task_ref ref_of(app_core& app, const task_id& id, incarnation stamped, const submit_answer& answer,
                duration retention) {
    return {.app = &app,
            .id = id.bytes,
            .life = answer.life != 0 ? answer.life : stamped,
            .duplicate = answer.verdict == submit_verdict::duplicate,
            .held = nullptr,
            .retention = retention};
}

}  // namespace errand::detail
