#include "worker/side_by_side.hpp"

#include "runtime/async_gate.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace errand {

namespace {

struct joint_end {
    joint_end(const boost::asio::any_io_executor& on, std::size_t count) : left{count}, changed{on} {}

    std::size_t left;
    std::exception_ptr failure{};
    async_gate changed;
};

}  // namespace

awaitable<void> side_by_side(boost::asio::any_io_executor on, std::vector<awaitable<void>> all,
                             std::function<void()> failed) {
    const auto ends = std::make_shared<joint_end>(on, all.size());
    for (auto& one : all) {
        boost::asio::co_spawn(on, std::move(one), [ends, failed](const std::exception_ptr& why) {
            --ends->left;
            ends->changed.open();
            if (!why || ends->failure) return;
            ends->failure = why;
            failed();
        });
    }
    while (ends->left > 0) co_await ends->changed.wait();
    if (ends->failure) std::rethrow_exception(ends->failure);
}

}  // namespace errand
