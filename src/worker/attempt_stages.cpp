#include "worker/attempt_stages.hpp"

#include <errand/error.hpp>

#include "core/stage_rules.hpp"
#include "runtime/operation_aborted.hpp"
#include "worker/active_task.hpp"
#include "worker/executor.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <utility>

namespace errand {

namespace asio = boost::asio;

namespace {

template <class Answer>
struct pending {
    explicit pending(const asio::any_io_executor& on) : woken{on} {}
    bool done = false;
    std::exception_ptr failure;
    Answer answer{};
    asio::steady_timer woken;
};

}  // namespace

// Makes a store call to its end whatever becomes of the handler: a cancellation must not lose what a stage has yielded.
// An attempt that was told to stop waits for it no longer than a lease.
template <class Answer>
awaitable<Answer> attempt_stages::unbroken(awaitable<Answer> call) {
    const asio::any_io_executor plain = on_.home().executor();
    const auto got = std::make_shared<pending<Answer>>(plain);
    asio::co_spawn(plain, std::move(call),
                   [got, keep = of_.shared_from_this()](std::exception_ptr failure, Answer answer) {
                       got->done = true;
                       got->failure = std::move(failure);
                       got->answer = std::move(answer);
                       got->woken.cancel();
                   });
    // For the whole coroutine, the handler included: put back as it was.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    for (bool last = of_.cancelled(); !got->done; last = true) {
        got->woken.expires_at(last ? asio::steady_timer::clock_type::now() + on_.app().settings.lease
                                   : asio::steady_timer::time_point::max());
        co_await got->woken.async_wait(asio::as_tuple(asio::use_awaitable));
        if (last && !got->done) break;
    }
    co_await asio::this_coro::throw_if_cancelled(throws);
    if (!got->done) std::rethrow_exception(operation_aborted());
    if (got->failure) std::rethrow_exception(got->failure);
    co_return std::move(got->answer);
}

void attempt_stages::throw_lost() const {
    throw lease_lost{"task " + of_.id() + " is no longer this attempt's"};
}

awaitable<void> attempt_stages::load() {
    while (reading_ == reading::under_way) co_await loaded_->wait();
    if (reading_ == reading::read) co_return;
    reading_ = reading::under_way;
    if (!loaded_) loaded_.emplace(on_.home().executor());
    std::exception_ptr failure;
    try {
        const auto got = co_await unbroken(on_.home().tasks().stages(of_.task.id, of_.task.claim));
        if (got.verdict == report_verdict::lease_lost) throw_lost();
        for (auto& one : decode_stages(got.records, of_.body.life)) {
            need_open(on_.app().seals(), one.result, "stage \"" + one.name + "\":");
            results_.insert_or_assign(std::move(one.name), std::move(one.result));
        }
        bytes_ = got.records.size();
    } catch (...) {
        failure = std::current_exception();
    }
    reading_ = failure ? reading::unread : reading::read;
    loaded_->open();
    if (failure) std::rethrow_exception(failure);
}

awaitable<std::optional<std::string>> attempt_stages::call(std::string name, stage_run* within) {
    if (!called_.insert(name).second) refuse_second_call(name);
    for (; within; within = within->outer().get()) within->called.push_back(name);
    try {
        co_await load();
    } catch (...) {
        called_.erase(name);
        throw;
    }
    const auto stored = results_.find(name);
    if (stored == results_.end()) co_return std::nullopt;
    co_return stored->second;
}

awaitable<void> attempt_stages::keep(stage_record done) {
    const auto limit = on_.app().settings.max_payload;
    check_stage_result(done.name, done.result.size(), limit);
    auto record = encode(done);
    check_kept_stages(done.name, bytes_ + record.size(), limit);
    bytes_ += record.size();
    const auto verdict = co_await unbroken(on_.home().tasks().stage(of_.task.id, of_.task.claim,
                                                                    of_.body.life, std::move(record)));
    if (verdict == report_verdict::lease_lost) throw_lost();
    results_.insert_or_assign(std::move(done.name), std::move(done.result));
}

void attempt_stages::forget(const std::vector<std::string>& names) {
    for (const auto& name : names) called_.erase(name);
}

}  // namespace errand
