#include "worker/loop_watch.hpp"

#include "runtime/process_meter.hpp"
#include "worker/announce.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {
constexpr std::chrono::seconds too_long{1};
// It is told again when it has lasted twice as long, and once a minute in the end.
constexpr std::chrono::minutes seldom{1};
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
    if (one.answered->there.load()) {
        one.blocks.clear();
        one.told = {};
        one.running = std::move(one.answered->running);
        if (at.running() == 0) return;
        one.asked = now;
        one.tell_at = now + too_long;
        one.answered->there.store(false);
        asio::post(at.home().context(), [to = one.answered, &at] {
            to->running = at.some_running();
            to->there.store(true);
        });
        return;
    }
    if (now < one.tell_at) return;
    const auto since = now - one.asked;
    one.tell_at = now + std::min<steady::duration>(since, seldom);
    auto [of, said] = at.beginning(event_kind::loop_blocked);
    if (!of && !one.running.empty()) said.text = "lately there ran " + one.running;
    said.after = std::chrono::floor<duration>(since);
    app().meter.blocked(said.after - std::exchange(one.told, said.after));
    one.blocks = said.task;
    one.blocks_for = of;
    announce(of ? *of : app(), std::move(said));
}

std::vector<std::string> loop_watch::blocking(const detail::app_core& of) const {
    std::vector<std::string> tasks;
    for (const auto& one : questions_) {
        if (!one.blocks.empty() && one.blocks_for == &of) tasks.push_back(one.blocks);
    }
    return tasks;
}

}  // namespace errand
