#include "trial/novel.hpp"

#include <errand/event.hpp>

#include "support/task_journal.hpp"

#include <stdexcept>

namespace trial {

using namespace std::chrono_literals;

errand::awaitable<mark> novel::perform(int number, int failures) {
    co_await toil(2ms);
    if ((co_await errand::this_task()).attempt() <= failures) throw std::runtime_error{"the chore failed"};
    co_return co_await done(number);
}

void take_novel_handler() { static_cast<void>(errand::detail::definition<novel>{}); }

void strange_tasks::hear(const errand::event& what) {
    using enum errand::event_kind;
    const std::lock_guard lock{guard_};
    if (what.kind == handler_unknown) {
        untold_.insert(what.task);
        book_.add("strange", what.task);
    }
    if (what.kind != report_accepted && what.kind != report_stale) return;
    const auto at = untold_.find(what.task);
    if (at == untold_.end()) return;
    untold_.erase(at);
    if (what.kind == report_accepted) book_.add("aside", what.task);
}

}  // namespace trial
