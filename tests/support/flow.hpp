// Submissions without a pause, one after the other, while something is done to the store.
#pragma once

#include "support/store_fixture.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

namespace errand::test {

class flow {
public:
    flow(store_fixture& in, member& by) : in_{in}, to_{*by.of}, now_{std::make_shared<state>()} {
        boost::asio::co_spawn(in.io, run(*by.of, now_), [now = now_](const std::exception_ptr& failed) {
            now->ended = true;
            now->failed = failed;
        });
    }
    // Of a test that has failed: the store must outlive its call.
    ~flow() {
        now_->stop = true;
        if (!now_->ended) to_.close();
        in_.until([this] { return now_->ended; });
    }
    flow(const flow&) = delete;
    flow& operator=(const flow&) = delete;

    std::size_t accepted() const { return now_->accepted; }
    // Whether so many more are accepted before the deadline.
    bool goes_on(std::size_t count) {
        const auto wanted = now_->accepted + count;
        return in_.until([&] { return now_->accepted >= wanted || now_->ended; }) && !now_->ended;
    }
    // Behind the one that is under way. Throws what that or an earlier one has failed of.
    void stop() {
        now_->stop = true;
        REQUIRE(in_.until([&] { return now_->ended; }));
        if (now_->failed) std::rethrow_exception(now_->failed);
    }

private:
    struct state {
        std::size_t accepted = 0;
        bool stop = false, ended = false;
        std::exception_ptr failed;
    };

    static awaitable<void> run(store& to, std::shared_ptr<state> now) {
        while (!now->stop) {
            const std::vector items{item_of("x")};
            const auto answers = co_await to.submit(0, items, submit_mode::each);
            if (answers.at(0).verdict != submit_verdict::accepted)
                throw std::runtime_error{"a submission was not accepted"};
            ++now->accepted;
        }
    }

    store_fixture& in_;
    store& to_;
    std::shared_ptr<state> now_;
};

}  // namespace errand::test
