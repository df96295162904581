// Worker and submitter of the fault tests, to be killed and started again.
//   courier work JOURNAL                    runs the fault tests' tasks and the receipts example's
//   courier submit N PREFIX PER_SECOND      the submitter of the receipts example
// Each start of a task, and each end of one with the store's verdict, is a line of the journal,
// `what id attempt fence pid`, written at once: what a killed worker has done stays known.
#include "fault/tasks.hpp"
#include "runtime/app_core.hpp"

// The example itself, so that what is shown under fire is what users read.
#include "../../examples/02_receipts/receipts.hpp"
#include "../../examples/02_receipts/submit.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <mutex>
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

class journal {
public:
    explicit journal(const char* path)
        : file_{::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)} {}
    ~journal() { ::close(file_); }
    journal(const journal&) = delete;
    journal& operator=(const journal&) = delete;

    void add(std::string line) const {
        line += ' ' + std::to_string(::getpid()) + '\n';
        if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
    }

    void started(const errand::task_context& task) const {
        add("started " + task.id() + ' ' + std::to_string(task.attempt()) + ' ' +
            std::to_string(task.fence()));
    }

    void hear(const errand::event& what) {
        using enum errand::event_kind;
        switch (what.kind) {
        case worker_started: add("up - 0 0"); break;
        case task_succeeded: end(what.task, "success"); break;
        case task_retrying: end(what.task, "retry"); break;
        case task_given_back: end(what.task, "given_back"); break;
        case task_dead: end(what.task, "dead"); break;
        case report_accepted: settle(what.task, {}); break;
        case report_stale: settle(what.task, "refused"); break;
        default: break;
        }
    }

private:
    void end(const std::string& task, const char* how) {
        std::lock_guard lock{guard_};
        unsettled_[task] = how;
    }

    // The end has come to the store, which has taken it, or another verdict stands.
    void settle(const std::string& task, std::string verdict) {
        std::lock_guard lock{guard_};
        const auto at = unsettled_.find(task);
        if (at == unsettled_.end()) return;
        add((verdict.empty() ? at->second : verdict) + ' ' + task + " 0 0");
        unsettled_.erase(at);
    }

    int file_;
    std::mutex guard_;
    std::map<std::string, std::string> unsettled_;
};

int work(const char* path) {
    journal book{path};
    errand::app app;
    app.provide<mailer>("smtp://localhost");
    app.around_perform([&book](errand::task_context& task,
                               errand::next_step next) -> errand::awaitable<void> {
        book.started(task);
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
