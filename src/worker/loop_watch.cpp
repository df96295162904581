#include "worker/loop_watch.hpp"

#include "worker/announce.hpp"

#include <boost/asio/post.hpp>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {
constexpr std::chrono::seconds too_long{1};
}  // namespace

loop_watch::loop_watch(detail::app_core& app, const asio::any_io_executor& executor,
                       std::span<const std::unique_ptr<worker_thread>> threads)
    : role{app, executor, "watching threads"}, threads_{threads}, questions_(threads.size()) {}

awaitable<std::size_t> loop_watch::pass() {
    for (std::size_t at = 0; at < threads_.size(); ++at) look(*threads_[at], questions_[at]);
    co_return threads_.size();
}

void loop_watch::look(worker_thread& at, question& one) {
    const auto now = steady::now();
    if (one.answered->load()) {
        one.told = false;
        if (at.running() == 0) return;
        one.asked = now;
        one.answered->store(false);
        asio::post(at.home().context(), [answered = one.answered] { answered->store(true); });
        return;
    }
    if (one.told || now - one.asked < too_long) return;
    one.told = true;
    announce(app(),
             {.kind = event_kind::loop_blocked, .after = std::chrono::floor<duration>(now - one.asked)});
}

}  // namespace errand
