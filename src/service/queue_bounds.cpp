#include "service/queue_bounds.hpp"

#include <errand/policy.hpp>

#include "core/record.hpp"
#include "runtime/handlers.hpp"
#include "service/attempt_calls.hpp"
#include "service/checks.hpp"
#include "service/exchange.hpp"
#include "service/refusal.hpp"

#include <utility>

namespace errand::web {

void keep_to_queues(const request& in, const members& given, const std::string& handler, options& extra) {
    if (in.only_queues.empty()) return;
    if (!extra.queue) {
        const auto* known = handlers::find(handler);
        extra.queue = known ? known->policy.queue : policy{}.queue;
    }
    need_queue(in, *extra.queue, given.path_of("queue"));
    // The handler's own rule may be to replace.
    if (!extra.on_duplicate) {
        const auto* known = handlers::find(handler);
        const bool rejects = known && known->policy.on_duplicate == duplicate_rule::reject;
        extra.on_duplicate = rejects ? duplicate_rule::reject : duplicate_rule::keep_first;
    }
    if (extra.on_duplicate != duplicate_rule::replace) return;
    throw refusal{403, "forbidden",
                  "a token that is for some queues replaces no task: it may be in another one",
                  given.path_of("on_duplicate")};
}

awaitable<void> check_waited_for(app& of, const request& in, const detail::draft& one, std::string path) {
    if (in.only_queues.empty() || !one.extra) co_return;
    for (const auto& parent : one.extra->after) {
        const auto found = co_await of.find(parent.id());
        if (found && in.may_use_queue(found->queue)) continue;
        throw refusal{404, "not_found",
                      "a task that it is to wait for is not there: it never was, or is no longer kept",
                      std::move(path)};
    }
}

awaitable<void> check_there(app& of, const request& in, const std::string& id) {
    if (in.only_queues.empty()) co_return;
    const auto found = co_await of.find(id);
    if (!found || in.may_use_queue(found->queue)) co_return;
    throw refusal{409, "conflict", "another task is known by this already"};
}

awaitable<void> check_claimed(exchange& work, const request& in, task_id id, const ticket& by) {
    if (in.only_queues.empty()) co_return;
    if (const auto* held = work.held(id, by)) {
        if (in.may_use_queue(held->task.queue)) co_return;
        throw claim_lost(std::nullopt);
    }
    const auto found = co_await work.tasks().find(id);
    if (!found || in.may_use_queue(decode_body(found->body).queue)) co_return;
    throw claim_lost(std::nullopt);
}

}  // namespace errand::web
