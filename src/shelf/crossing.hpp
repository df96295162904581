// Calls that are made on another thread for a loop that may end before they do: what they bring then is dropped.
#pragma once

#include <errand/awaitable.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace errand::shelf {

// Of one loop, on its thread; the calls themselves run on the other one.
class crossings {
public:
    crossings() = default;
    ~crossings() { leave(); }
    crossings(const crossings&) = delete;
    crossings& operator=(const crossings&) = delete;

    // `work`: awaitable<T>(), called there; T can be made by T{}. It goes on when its caller is cancelled, who waits for it.
    template <class Work>
    auto call(boost::asio::io_context& there, Work work) -> std::invoke_result_t<Work&> {
        using result = typename std::invoke_result_t<Work&>::value_type;
        auto one = std::make_shared<under_way<result>>();
        std::erase_if(all_, [](const auto& other) { return other.expired(); });
        all_.push_back(one);
        return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                           void(std::exception_ptr, result)>(
            [&there](auto done, std::shared_ptr<under_way<result>> of, Work what) {
                of->done = std::move(done);
                auto run = [](Work w) -> awaitable<result> { co_return co_await w(); };
                boost::asio::co_spawn(there, run(std::move(what)), [of](std::exception_ptr why, result got) {
                    of->end(std::move(why), std::move(got));
                });
            },
            boost::asio::use_awaitable, std::move(one), std::move(work));
    }

    // The loop ends: nobody is told of what is under way.
    void leave() {
        for (const auto& one : std::exchange(all_, {})) {
            if (const auto call = one.lock()) call->leave();
        }
    }

private:
    struct call_under_way {
        virtual ~call_under_way() = default;
        virtual void leave() = 0;
    };
    template <class Result>
    struct under_way final : call_under_way {
        std::mutex guard;
        boost::asio::any_completion_handler<void(std::exception_ptr, Result)> done;

        // Under the lock: the loop is there until it is told. It runs on another thread, so nothing is done here.
        void end(std::exception_ptr why, Result got) {
            const std::lock_guard lock{guard};
            if (done)
                boost::asio::dispatch(boost::asio::append(std::move(done), std::move(why), std::move(got)));
        }
        void leave() override {
            boost::asio::any_completion_handler<void(std::exception_ptr, Result)> gone;
            const std::lock_guard lock{guard};
            gone = std::move(done);
        }
    };

    std::vector<std::weak_ptr<call_under_way>> all_;
};

}  // namespace errand::shelf
