// What happened lately, of each handler and of all, and what waits.
#include <errand/figures.hpp>
#include <errand/inspect.hpp>

#include "client/backlogs.hpp"
#include "client/whole_look.hpp"
#include "runtime/caller_loop.hpp"

#include <algorithm>

namespace errand {
namespace {

awaitable<figures_info> of_handlers_on(loop& there) {
    const auto answer = co_await there.tasks().figures();
    figures_by_handler by_handler;
    for (const auto& one : answer.counts) add_count(by_handler, one);
    figures_info info;
    info.over =
        store::figures_period * store::figures_kept + answer.now.time_since_epoch() % store::figures_period;
    attempt_figures sum;
    for (const auto& [handler, figures] : by_handler) {
        sum.merge(figures);
        info.handlers.push_back(shown(handler, figures));
    }
    info.all = shown({}, sum);
    co_return info;
}

void add_backlogs(figures_info& to, const backlogs& waiting, time_point now) {
    to.estimated = waiting.estimated;
    for (const auto& [handler, of] : waiting.of) {
        auto at = std::ranges::lower_bound(to.handlers, handler, {}, &handler_figures::handler);
        if (at == to.handlers.end() || at->handler != handler)
            at = to.handlers.insert(at, handler_figures{.handler = handler});
        at->backlog = of.tasks;
        if (of.oldest) at->oldest = std::max(now - *of.oldest, duration{0});
    }
}

awaitable<figures_info> figures_on(loop& there) {
    auto info = co_await of_handlers_on(there);
    const auto seen = co_await there.tasks().overview();
    add_backlogs(info, co_await backlogs_by_handler(there.tasks(), seen), seen.now);
    for (const auto& one : seen.queues) {
        info.backlog += static_cast<std::int64_t>(one.ready + one.delayed + one.retry + one.waiting);
        if (!one.next_submitted_at) continue;
        const auto age = std::max(seen.now - *one.next_submitted_at, duration{0});
        info.oldest = std::max(info.oldest.value_or(age), age);
    }
    info.all.backlog = info.backlog;
    info.all.oldest = info.oldest;
    for (const auto& one : info.handlers) info.all.oldest = std::max(info.all.oldest, one.oldest);
    co_return info;
}

}  // namespace

awaitable<figures_info> figures_of_handlers(detail::app_core& app) {
    return on_caller_loop(&app, [](loop& there) { return of_handlers_on(there); });
}

awaitable<figures_info> inspector::figures() const {
    return on_caller_loop(app_, [](loop& there) { return figures_on(there); });
}

}  // namespace errand
