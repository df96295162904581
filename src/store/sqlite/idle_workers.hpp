// Who of this process waits for what: workers for tasks of a queue, resolvers for news, others for schedules. Kept in memory, since it ends with
// the process; what other processes do is noticed by looking at the file.
#pragma once

#include "store/store.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace errand::sqlite {

// What a store object leaves with its engine. The listener is used on the executor only.
struct caller {
    caller(boost::asio::io_context& on, std::string of, std::string in)
        : executor{on.get_executor()}, name{std::move(of)}, name_space{std::move(in)} {}

    boost::asio::io_context::executor_type executor;
    std::string name;
    std::string name_space;
    std::int64_t ns = 0;  // its key; 0 until it was opened
    bool closed = false;  // guarded by the engine's lock
    std::shared_ptr<store_listener*> listener = std::make_shared<store_listener*>(nullptr);
    // Is told in words what keeps calls from being made, and that it is over; emptied when the object is closed.
    std::shared_ptr<std::function<void(std::string_view)>> trouble =
        std::make_shared<std::function<void(std::string_view)>>();
};

// To be told when the transaction is committed.
struct notice {
    enum class kind : std::uint8_t { woken, news, cancelled, ended, may_go_on, aside, schedules, settings };
    caller* to = nullptr;
    kind what = kind::woken;
    ended_task about{};
};

class idle_workers {
public:
    using place = std::pair<std::int64_t, std::string>;  // namespace and queue

    void enter(caller& who);
    void leave(caller& who);
    // By the name under which it claims and watches; null when it is not of this process.
    caller* find(std::int64_t ns, std::string_view name) const;
    const std::vector<caller*>& callers() const noexcept { return callers_; }

    void wait(caller& who, std::string_view queue);
    void stop_waiting(caller& who, std::string_view queue);
    // The one that has waited longest, who waits no more; null when nobody does.
    caller* take(std::int64_t ns, std::string_view queue);
    // The same of all but one.
    caller* take_other(std::int64_t ns, std::string_view queue, const caller& but);
    std::size_t waiting(std::int64_t ns, std::string_view queue) const;
    std::vector<place> waited_for() const;

    void wait_for_news(caller& who);
    void stop_waiting_for_news(caller& who);
    caller* take_resolver(std::int64_t ns);
    std::vector<std::int64_t> news_waited_for() const;

    // A worker that takes tasks which stand aside in these queues, of handlers by these keys (aside.cpp).
    struct adopter {
        caller* who = nullptr;
        std::vector<std::string> queues;
        std::set<std::int64_t> handlers;
    };
    // In place of what it said before.
    void wait_aside(adopter one);
    void stop_waiting_aside(const caller& who);
    const std::vector<adopter>& adopters() const noexcept { return adopters_; }

    // Of a queue one process's worker sleeps until exactly its next due time.
    struct timekeeper {
        std::int64_t due = 0;
        std::string holder;
    };
    std::map<place, timekeeper> timekeepers;
    std::map<std::int64_t, timekeeper> schedule_keepers;  // likewise of the schedules of a namespace
    struct quiet_look {
        std::int64_t at = 0;     // ms
        std::int64_t after = 0;  // the last queue of the page before; 0: the end was reached
    };
    std::map<std::int64_t, quiet_look> quiet_looks;  // by namespace: for queues whose counters go
    std::map<place, std::int64_t> looked;            // when one of them was last told to look after it

    // Of a namespace, those that everybody of this process has been told of.
    std::map<std::int64_t, std::int64_t> settings;

    // One that looks at schedules again at `until`, ms.
    struct schedule_watcher {
        caller* who = nullptr;
        std::int64_t until = 0;
        // When it asked, and when then the first one after that was to be looked at, and the first of all.
        std::int64_t asked = 0, next = 0, first = 0;
    };
    // In place of what it said before.
    void watch_schedules(const schedule_watcher& one);
    void stop_watching_schedules(const caller& who);
    const std::vector<schedule_watcher>& schedule_watchers() const noexcept { return schedule_watchers_; }

    bool empty() const {
        return idle_.empty() && resolvers_.empty() && adopters_.empty() && schedule_watchers_.empty();
    }

private:
    std::vector<caller*> callers_;
    std::map<place, std::vector<caller*>> idle_;  // only with somebody in it
    std::map<std::int64_t, std::vector<caller*>> resolvers_;
    std::vector<adopter> adopters_;
    std::vector<schedule_watcher> schedule_watchers_;
};

}  // namespace errand::sqlite
