// Worker and submitter of the fault tests of dependencies, to be killed and started again.
//   builder work JOURNAL
//   builder submit PLAN JOURNAL BEGIN ORDER     BEGIN: ms since 1970; ORDER: ordered, or loose (without dependencies)
// A submitter writes down what was accepted and what would have closed a cycle; started again, it goes on with the rest of its plan.
#include "fault/journal.hpp"
#include "fault/plan.hpp"
#include "fault/stones.hpp"
#include "runtime/app_core.hpp"
#include "support/task_journal.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

namespace asio = boost::asio;
using errand::test::task_journal;
using fault_test::lays_stone;
using fault_test::planned;
using fault_test::stone;

errand::awaitable<stone> fault_test::lays_stone::perform(int failures, errand::duration length) {
    auto& self = co_await errand::this_task();
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::use_awaitable);
    if (failures < 0 && !std::filesystem::exists(fault_test::mended_file(book.path())))
        throw errand::discard{"the stone is broken"};
    if (self.attempt() <= failures) throw std::runtime_error{"the stone has broken"};
    book.add("ended", self);
    co_return stone{self.fence(), static_cast<int>(::getpid())};
}
ERRAND_DEFINE_HANDLER(fault_test::lays_stone)

namespace {

int work(const char* path) {
    errand::app app;
    auto& book = app.provide<task_journal>(std::string{path});
    app.around_perform([&book](errand::task_context& task,
                               errand::next_step next) -> errand::awaitable<void> {
        book.add("started", task);
        co_await next();
    });
    errand::detail::core_of(app).events.subscribe([&book](const errand::event& what) { book.hear(what); });
    return app.run();
}

class foreman {
public:
    foreman(std::vector<planned> list, const char* journal, errand::time_point begin, bool ordered)
        : list_{std::move(list)}, book_{journal}, begin_{begin}, ordered_{ordered} {
        fault_test::journal before{journal};
        for (const auto& one : before.entries()) {
            if (one.what == "accepted" || one.what == "cyclic") answered_.insert(one.task);
        }
        app_.provide_ref(book_);
    }

    void run() {
        std::vector<std::thread> lanes;
        for (int i = 0; i < 4; ++i) lanes.emplace_back([this] { lane(); });
        for (auto& one : lanes) one.join();
        if (failed_) throw std::runtime_error{failure_};
    }

private:
    void lane() try {
        for (std::size_t at; !failed_ && (at = next_++) < list_.size();) {
            const auto& one = list_[at];
            std::this_thread::sleep_until(begin_ + one.when);
            submit(one);
        }
    } catch (const std::exception& e) {
        std::lock_guard lock{guard_};
        failure_ = e.what();
        failed_ = true;
    }

    void submit(const planned& one) {
        if (answered_.contains(stones_.ref(one.key).id())) return;
        // The store has been repeating for its own store_timeout each time before it says that it is away.
        for (int left = 30;; --left) {
            try {
                const auto to = stones_.with(options_of(one));
                const auto h = app_.block_on(to.perform_async(one.failures, one.length));
                book_.add("accepted", h.id());
                std::lock_guard lock{guard_};
                handles_.emplace(one.key, h);
                return;
            } catch (const errand::dependency_cycle&) {
                return book_.add("cyclic", stones_.ref(one.key).id());
            } catch (const errand::store_error& e) {
                std::fprintf(stderr, "builder: %s\n", e.what());
                if (left == 0) throw;
            }
        }
    }

    errand::options options_of(const planned& one) {
        errand::options with{.biz_id = one.key, .queue = one.queue};
        if (!ordered_) return with;
        std::lock_guard lock{guard_};
        for (const auto& parent : one.parents) {
            const auto h = handles_.find(parent);
            with.after.push_back(h == handles_.end() ? stones_.ref(parent) : errand::dependency{h->second});
        }
        return with;
    }

    const std::vector<planned> list_;
    task_journal book_;
    const errand::time_point begin_;
    const bool ordered_;
    std::set<std::string> answered_;
    errand::app app_;
    errand::proxy<lays_stone> stones_ = app_.handler<lays_stone>();
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex guard_;  // of what follows
    std::map<std::string, errand::handle<stone>> handles_;
    std::string failure_;
};

int submit(char** words) {
    const errand::time_point begin{errand::duration{std::stoll(words[2])}};
    foreman its{fault_test::read(words[0]), words[1], begin, std::string{words[3]} == "ordered"};
    its.run();
    return 0;
}

}  // namespace

int main(int count, char** words) try {
    const std::string role = count > 1 ? words[1] : "";
    if (role == "work" && count == 3) return work(words[2]);
    if (role == "submit" && count == 6) return submit(words + 2);
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "builder: %s\n", e.what());
    return 1;
}
