#include "worker/janitor.hpp"

#include "core/pace.hpp"
#include "core/random.hpp"

namespace errand {

namespace {
constexpr std::size_t cleaned_per_call = 100;
}  // namespace

janitor::janitor(worker_shared& shared, const boost::asio::any_io_executor& executor, store& in)
    : role{shared.app, executor, "cleaning"}, shared_{shared}, in_{in} {}

awaitable<std::size_t> janitor::pass() {
    std::size_t done = 0;
    for (std::size_t now = 1; now > 0; done += now) {
        now = co_await in_.clean(cleaned_per_call);
        now += co_await in_.trim(shared_.app.settings.max_history, cleaned_per_call);
    }
    co_return done;
}

duration janitor::pause() { return cleaning_interval(shared_.alive.load(), random_unit()); }

}  // namespace errand
