// Takes over the tasks of workers that gave no sign of life until their lease had run out.
#pragma once

#include "store/store.hpp"
#include "worker/frame.hpp"
#include "worker/last_words.hpp"
#include "worker/role.hpp"

namespace errand {

class recoverer final : public role {
public:
    recoverer(worker_frame& frame, const boost::asio::any_io_executor& executor, store& in);

    awaitable<std::size_t> pass() override;

private:
    duration pause() override;
    awaitable<report> end_of(const claimed_task& task);
    static awaitable<void> hear(detail::app_core& app, const known_handler& of, const dead_task& task,
                                time_point now);

    worker_frame& frame_;
    store& in_;
    std::optional<duration> until_end_;  // of the first lease, as of the last round
};

}  // namespace errand
