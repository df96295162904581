#include "worker/perform_chain.hpp"

#include <errand/error.hpp>

namespace errand {
namespace {

struct wrapper_chain {
    const std::vector<perform_wrapper>& wrappers;
    task_context& task;
    const perform_call& handler;
    std::string result;
    bool reached = false;
};

awaitable<void> call_handler(wrapper_chain& all) {
    all.reached = true;
    all.result = co_await all.handler();
}

awaitable<void> call_from(wrapper_chain& all, std::size_t at) {
    if (at == all.wrappers.size()) return call_handler(all);
    auto call = all.wrappers[at](all.task, [&all, at] { return call_from(all, at + 1); });
    if (!call.valid())
        throw usage_error{"a wrapper given to around_perform returned an awaitable that holds nothing"};
    return call;
}

}  // namespace

awaitable<std::string> perform_wrapped(const std::vector<perform_wrapper>& wrappers, task_context& task,
                                       perform_call handler) {
    wrapper_chain all{wrappers, task, handler, {}};
    co_await call_from(all, 0);
    // Its result would be that of a handler that has not run.
    if (!all.reached) {
        throw usage_error{"the handler did not run: a wrapper given to around_perform returned without "
                          "co_await next()"};
    }
    co_return std::move(all.result);
}

}  // namespace errand
