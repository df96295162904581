// adopt over several shards: one after the other. A shard that does not answer is left behind, and what it gives in the end
// comes as if it had been handed over.
#include "store/shards/sharded_store.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace errand {

namespace asio = boost::asio;

namespace {
constexpr std::chrono::seconds patience_with_a_shard{1};
}  // namespace

// A call to one shard.
struct sharded_store::adoption {
    adoption(const asio::any_io_executor& executor, adopt_call of)
        : call{std::move(of)}, ended{executor, std::chrono::steady_clock::now() + patience_with_a_shard} {}

    adopt_call call;
    asio::steady_timer ended;
    adopt_answer answer;
    std::exception_ptr failure;
    bool over = false;
    bool left_behind = false;
};

awaitable<adopt_answer> sharded_store::adopt(const adopt_call& asked) {
    const auto n = shards();
    const auto executor = co_await asio::this_coro::executor;
    adopt_answer got;
    std::exception_ptr failure;
    const auto first = first_adopted_;
    for (std::size_t i = 0; i < n; ++i) {
        const auto shard = (first + i) % n;
        first_adopted_ = shard;
        // Another one may have something as well.
        if (asked.limit > 0 && got.tasks.size() == asked.limit) {
            got.more = true;
            break;
        }
        if (adopting_[shard]) continue;
        adopting_[shard] = true;
        auto call = asked;
        call.limit -= got.tasks.size();
        const auto one = std::make_shared<adoption>(executor, std::move(call));
        auto ended = [one, shard, here = std::weak_ptr{here_}](std::exception_ptr why, adopt_answer answer) {
            one->failure = std::move(why);
            one->answer = std::move(answer);
            one->over = true;
            one->ended.cancel();
            const auto there = here.lock();
            if (!there) return;
            auto& self = **there;
            self.adopting_[shard] = false;
            if (!one->left_behind || !self.listener_) return;
            for (auto& task : one->answer.tasks)
                self.listener_->task_given(self.outer(std::move(task), shard));
        };
        asio::co_spawn(executor, shards_[shard]->adopt(one->call), std::move(ended));
        if (!one->over) co_await one->ended.async_wait(asio::as_tuple(asio::use_awaitable));
        one->left_behind = !one->over;
        if (!one->over) continue;
        if (one->failure) failure = one->failure;
        got.more = got.more || one->answer.more;
        for (auto& task : one->answer.tasks) got.tasks.push_back(outer(std::move(task), shard));
    }
    // What others gave is not to be lost for that.
    if (failure && got.tasks.empty()) std::rethrow_exception(failure);
    if (failure) got.more = true;
    co_return got;
}

}  // namespace errand
