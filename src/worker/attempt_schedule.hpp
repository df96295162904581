// What a run sees of its schedule, and what it asks of it. Belongs to its attempt, and to the thread of that.
#pragma once

#include <errand/schedule.hpp>

#include "core/record.hpp"
#include "runtime/handlers.hpp"

#include <cstddef>

namespace errand {

class attempt_schedule final : public schedule_run {
public:
    // `shards`: of the namespace.
    attempt_schedule(const run_origin& of, const known_handler& handler, std::size_t shards)
        : of_{of}, handler_{handler}, shards_{shards} {}

    const std::string& key() const override { return of_.key; }
    time_point tick() const override { return of_.tick; }
    std::int64_t missed() const override { return of_.missed; }
    std::int64_t runs() const override { return of_.number; }
    void next_at(time_point when) override;
    void stop() override { wish_.stop = true; }

    // What counts if the attempt ends well.
    const schedule_wish& wish() const noexcept { return wish_; }

private:
    void use_args(boost::json::array args) override;

    const run_origin& of_;
    const known_handler& handler_;
    std::size_t shards_;
    schedule_wish wish_;
};

}  // namespace errand
