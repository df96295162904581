#include "worker/lease_keeper.hpp"

#include "worker/announce.hpp"

#include <boost/asio/post.hpp>

namespace errand {

namespace asio = boost::asio;

lease_keeper::lease_keeper(detail::app_core& app, const asio::any_io_executor& executor, store& in,
                           std::span<station* const> stations)
    : role{app, executor, "extending leases"}, in_{in}, stations_{stations} {}

awaitable<std::size_t> lease_keeper::pass() {
    extend_call call;
    call.lease = app().settings.lease;
    for (auto* one : stations_) one->leased().collect(call);
    if (call.tasks.empty()) co_return 0;
    const auto answer = co_await in_.extend(call);
    // A task that has ended meanwhile is nobody's loss: its thread does not find it.
    for (auto* one : stations_) {
        auto& runs = one->runs();
        for (const auto claim : answer.lost_claims) {
            asio::post(one->home().context(), [&runs, claim] { runs.lost(claim); });
        }
        for (const auto& lost : answer.lost_tasks) {
            asio::post(one->home().context(), [&runs, lost] { runs.lost(lost.first, lost.second); });
        }
    }
    co_return call.tasks.size();
}

}  // namespace errand
