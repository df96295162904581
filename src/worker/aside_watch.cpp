#include "worker/aside_watch.hpp"

namespace errand {

aside_watch::aside_watch(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in,
                         std::function<void()> found)
    : role{shared.app, executor, "looking for tasks that stand aside"},
      shared_{shared},
      in_{in},
      found_{std::move(found)} {}

awaitable<std::size_t> aside_watch::pass() {
    const adopt_call call{.queues = shared_.queues.names(), .handlers = shared_.knows};
    const auto answer = co_await in_.adopt(call);
    any_ = answer.more;
    if (any_) found_();
    co_return any_ ? 1 : 0;
}

// Workers of two programs at once are likely to leave more.
duration aside_watch::pause() { return std::chrono::seconds{any_ ? 1 : 5}; }

}  // namespace errand
