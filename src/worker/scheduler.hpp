// Fires the ticks of schedules: looks at those whose time has come, decides by the rules what follows, and writes that down if
// nothing has changed meanwhile. Any worker does it for all schedules of the namespace; two that do it at once do it once.
#pragma once

#include "runtime/loop.hpp"
#include "worker/role.hpp"
#include "worker/worker_shared.hpp"

namespace errand {

class scheduler final : public role {
public:
    scheduler(worker_shared& shared, const boost::asio::any_io_executor& executor, loop& on);

    // Until none is due; returns how many were changed.
    awaitable<std::size_t> pass() override;
    // When one is due next, from the end of the last round.
    std::optional<duration> next() const noexcept { return next_; }

private:
    duration pause() override;

    awaitable<std::size_t> look_at_all(schedules_answer due);
    // Nullopt: it cannot be done now, and stays due.
    awaitable<std::optional<schedule_step>> step_for(const kept_schedule& kept, time_point now,
                                                     std::int64_t room);
    // For so many runs there is room.
    awaitable<std::vector<schedule_step>> steps_for(const schedules_answer& due, std::int64_t room);
    awaitable<std::int64_t> admitted(std::int64_t runs);
    // It cannot be fired here.
    std::optional<schedule_step> put_off(const kept_schedule& kept, time_point now, std::string_view why);
    awaitable<bool> cancel_run(task_id overtaken);

    worker_shared& shared_;
    loop& on_;
    store& in_;
    std::optional<duration> next_;
    std::chrono::steady_clock::time_point asks_quota_at_{};
};

}  // namespace errand
