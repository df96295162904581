// Worker and submitter of the fault tests, to be killed and started again.
//   courier work JOURNAL                    runs the fault tests' tasks and the receipts example's
//   courier submit N PREFIX PER_SECOND      the submitter of the receipts example
#include "fault/tasks.hpp"
#include "runtime/app_core.hpp"
#include "support/task_journal.hpp"

// The example itself, so that what is shown under fire is what users read.
#include "../../examples/02_receipts/receipts.hpp"
#include "../../examples/02_receipts/submit.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <string>
#include <unistd.h>

namespace asio = boost::asio;

errand::awaitable<fault_test::stay> fault_test::stays::perform(int number, errand::duration length,
                                                               bool heeds) {
    auto& self = co_await errand::this_task();
    if (!heeds) co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::use_awaitable);
    co_return stay{number, self.fence(), self.attempt(), static_cast<int>(::getpid())};
}
ERRAND_DEFINE_HANDLER(fault_test::stays)

namespace {

int work(const char* path) {
    errand::test::task_journal book{path};
    errand::app app;
    app.provide<mailer>("smtp://localhost");
    app.around_perform([&book](errand::task_context& task,
                               errand::next_step next) -> errand::awaitable<void> {
        book.add("started", task);
        co_await next();
    });
    errand::detail::core_of(app).events.subscribe([&book](const errand::event& what) { book.hear(what); });
    return app.run();
}

int submit(char** words) {
    errand::app app;
    const order_run what{
        .orders = std::stoul(words[0]), .prefix = words[1], .per_second = std::stoul(words[2])};
    const auto all = app.block_on(submit_orders(app, what));
    std::printf("%zu %zu %zu %zu\n", all.submitted, all.success, all.duplicates, all.wrong);
    return 0;
}

}  // namespace

int main(int count, char** words) try {
    const std::string role = count > 1 ? words[1] : "";
    if (role == "work" && count == 3) return work(words[2]);
    if (role == "submit" && count == 5) return submit(words + 2);
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "courier: %s\n", e.what());
    return 1;
}
