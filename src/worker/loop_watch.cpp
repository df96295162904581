#include "worker/loop_watch.hpp"

#include "runtime/process_meter.hpp"
#include "worker/announce.hpp"
#include "worker/frame_names.hpp"
#include "worker/stack_probe.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace errand {

namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

namespace {
constexpr std::chrono::seconds too_long{1};
// It is told again when it has lasted twice as long, and once a minute in the end.
constexpr std::chrono::minutes seldom{1};
// A thread that computes answers as soon as it has a core.
constexpr int looks_for_answer = 20;
constexpr std::chrono::milliseconds between_answers{5};
}  // namespace

loop_watch::loop_watch(detail::app_core& app, const asio::any_io_executor& executor,
                       std::span<const std::unique_ptr<worker_thread>> threads)
    : role{app, executor, "watching threads"},
      threads_{threads},
      questions_(threads.size()),
      patience_{executor} {
    stack_probe::prepare();
}

awaitable<std::size_t> loop_watch::pass() {
    for (std::size_t at = 0; at < threads_.size(); ++at) {
        if (!ask(*threads_[at], questions_[at])) continue;
        // Before anything is waited for: another task may begin there meanwhile.
        auto begun = threads_[at]->beginning(event_kind::loop_blocked);
        auto where = co_await look_for(threads_[at]->system_id());
        // What it does once it has gone on is not what it was blocked by.
        if (questions_[at].answered->there.load()) where.clear();
        tell(questions_[at], std::move(begun), std::move(where));
    }
    co_return threads_.size();
}

bool loop_watch::ask(worker_thread& at, question& one) {
    const auto now = steady::now();
    if (one.answered->there.load()) {
        one.blocks.clear();
        one.told = {};
        one.running = std::move(one.answered->running);
        if (at.running() == 0) return false;
        one.asked = now;
        one.tell_at = now + too_long;
        one.answered->there.store(false);
        asio::post(at.home().context(), [to = one.answered, &at] {
            to->running = at.some_running();
            to->there.store(true);
        });
        return false;
    }
    return now >= one.tell_at;
}

void loop_watch::tell(question& one, std::pair<detail::app_core*, event> begun, std::string where) {
    const auto now = steady::now();
    const auto since = now - one.asked;
    one.tell_at = now + std::min<steady::duration>(since, seldom);
    auto& [of, said] = begun;
    if (!of && !one.running.empty()) said.text = "lately there ran " + one.running;
    if (!where.empty()) said.text += (said.text.empty() ? "" : "; ") + where;
    said.after = std::chrono::floor<duration>(since);
    app().meter.blocked(said.after - std::exchange(one.told, said.after));
    one.blocks = said.task;
    one.blocks_for = of;
    announce(of ? *of : app(), std::move(said));
}

awaitable<std::string> loop_watch::look_for(pid_t thread) {
    const auto state = state_of_thread(thread);
    const auto waits = state.call.empty() ? std::string{} : "it waits in the system call " + state.call;
    if (!state.may_be_asked) co_return waits;
    const stack_probe probe{thread};
    for (int look = 0; probe.has_asked() && look < looks_for_answer; ++look) {
        const auto stack = probe.answer();
        if (!stack.empty()) co_return "it is in " + stack_in_words(frame_names(stack));
        patience_.expires_after(between_answers);
        co_await patience_.async_wait(asio::use_awaitable);
    }
    co_return waits;
}

std::vector<std::string> loop_watch::blocking(const detail::app_core& of) const {
    std::vector<std::string> tasks;
    for (const auto& one : questions_) {
        if (!one.blocks.empty() && one.blocks_for == &of) tasks.push_back(one.blocks);
    }
    return tasks;
}

}  // namespace errand
