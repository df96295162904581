// A log's lines about tasks, of which there may be very many alike: some a minute are written, the others counted. From any
// thread.
#pragma once

#include "core/line_budget.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace spdlog {
class logger;
}

namespace errand {

class paced_log {
public:
    explicit paced_log(std::shared_ptr<spdlog::logger> to) : to_{std::move(to)} {}

    // `level` is one of spdlog's.
    void write(int level, std::string_view line);
    // How many were left out in minutes that are over; or until now.
    void tell_left_out();
    void tell_all_left_out();

private:
    void tell(const std::vector<line_budget::left_out>& some, std::size_t level);

    std::shared_ptr<spdlog::logger> to_;
    std::mutex guard_;
    std::array<line_budget, 7> budgets_;  // by level
};

}  // namespace errand
