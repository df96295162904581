// What is done to many tasks, here and not in the browser: it goes on when the page is closed, all see how far it is, and anybody who may
// stops it. In memory: after a restart of the service a new run goes on with the rest.
#pragma once

#include <errand/app.hpp>
#include <errand/inspect.hpp>

#include "service/console/action_log.hpp"
#include "service/console/duty.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace errand::console {

// What a run is to do.
struct run_order {
    std::string action;   // run_now, revive, cancel, remove, reschedule; check, repair: of the whole store
    task_filter which{};  // of which tasks
    std::string cause{};  // only those whose last error has this cause; empty: all
    std::optional<time_point> due_at{};  // of reschedule: due then
    bool dry_run = false;                // only counts
    std::size_t most = 0;                // so many at most; 0: all
    std::size_t rate = 0;                // so many a second; 0: as fast as it goes
    std::string who{};
    std::string request{};
};

class runs {
public:
    runs(app& of, const boost::asio::any_io_executor& loop, action_log& log)
        : app_{of}, duties_{loop}, log_{log} {}

    // Its id. Throws refusal (409) when as many are under way as may be.
    std::string start(run_order what);
    // It ends after the page that it is at. False: there is none, or it has ended.
    bool stop(std::string_view id);
    // The latest first.
    boost::json::array document() const;
    // Null: there is none.
    boost::json::value document_of(std::string_view id) const;
    awaitable<void> stop();

private:
    struct one_run;
    awaitable<void> carry_out(std::shared_ptr<one_run> run);
    awaitable<std::size_t> count_first(const one_run& run, repair what);
    awaitable<void> repair_filter(one_run& run);
    awaitable<void> one_by_one(one_run& run);
    awaitable<void> check_store(one_run& run);
    bool goes_on(const one_run& run) const;

    app& app_;
    duties duties_;
    action_log& log_;
    std::deque<std::shared_ptr<one_run>> all_;
};

// Those that have neither begun nor ended: what may be due at another time.
bool may_be_rescheduled(state in) noexcept;
// Whether this is the name of something that is done to tasks, and what. Another due time is none of these: it takes more to say.
std::optional<repair> repair_named(std::string_view action) noexcept;
// False: it was not in a state for that, or is not there.
awaitable<bool> act_on(inspector in, repair what, std::string id);

}  // namespace errand::console
