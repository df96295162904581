// One caller's way to its engine, and the answers' way back: a call is a function of the operations, run on the engine's
// thread, whose result is posted to the caller's executor.
//
// A call that is cancelled before it has begun is withdrawn; one that runs is waited for, so what it refers to lives as
// long as it needs.
#pragma once

#include <errand/awaitable.hpp>

#include "store/sqlite/engine.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::sqlite {

template <class Result, class Work>
class typed_job final : public job, public std::enable_shared_from_this<typed_job<Result, Work>> {
public:
    using completion = boost::asio::any_completion_handler<void(std::exception_ptr, Result)>;

    typed_job(caller& who, Work work, completion done, store_observer* observer)
        : work_{std::move(work)}, done_{std::move(done)}, busy_{who.executor}, observer_{observer} {
        by = &who;
        if (observer_) began_ = std::chrono::steady_clock::now();
    }

    void run(operations& in) override { result_ = work_(in); }

    void answer(std::exception_ptr failed) override {
        boost::asio::post(by->executor,
                          [self = this->shared_from_this(), failed = std::move(failed)]() mutable {
                              self->complete(std::move(failed));
                          });
    }

    // Of a caller that may be cancelled; a slot must not resume from within, hence the post.
    void withdraw_when_cancelled(const std::shared_ptr<engine>& from) {
        auto slot = boost::asio::get_associated_cancellation_slot(done_);
        if (!slot.is_connected()) return;
        slot.assign([from, self = this->weak_from_this()](boost::asio::cancellation_type) {
            const auto one = self.lock();
            if (!one || !from->withdraw(*one)) return;
            one->answer(
                std::make_exception_ptr(boost::system::system_error{boost::asio::error::operation_aborted}));
        });
    }

private:
    // On the caller's thread.
    void complete(std::exception_ptr failed) {
        if (observer_) observer_->called(name, std::chrono::steady_clock::now() - began_, !failed);
        auto done = std::move(done_);
        boost::asio::get_associated_cancellation_slot(done).clear();
        busy_.reset();
        boost::asio::dispatch(boost::asio::append(std::move(done), std::move(failed), std::move(result_)));
    }

    Work work_;
    completion done_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
    Result result_{};
    store_observer* observer_;
    std::chrono::steady_clock::time_point began_{};
};

// How a call behaves beside what it does.
struct call_options {
    std::string_view name;
    bool reads = false;
    bool adds = false;
    std::size_t tasks = 1;  // about so many are its concern
};

class engine_client {
public:
    engine_client(boost::asio::io_context& on, const store_settings& settings, std::shared_ptr<engine> at);
    ~engine_client() { close(); }
    engine_client(const engine_client&) = delete;
    engine_client& operator=(const engine_client&) = delete;

    void close();
    void listen(store_listener* to) { *caller_.listener = to; }
    const std::string& name() const noexcept { return caller_.name; }
    time_point now() const;
    void committed() { engine_->committed(); }

    // `work` takes the operations and returns something; what it refers to must live until then.
    template <class Work>
    auto ask(call_options how, Work work) -> awaitable<std::invoke_result_t<Work&, operations&>> {
        using result = std::invoke_result_t<Work&, operations&>;
        if (caller_.closed) throw_closed(how.name);
        return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>,
                                           void(std::exception_ptr, result)>(
            [this, how](auto handler, Work one) {
                auto made = std::make_shared<typed_job<result, Work>>(caller_, std::move(one),
                                                                      std::move(handler), observer_);
                made->name = how.name;
                made->reads = how.reads;
                made->adds = how.adds;
                made->tasks = how.tasks;
                if (patience_) made->until = std::chrono::steady_clock::now() + *patience_;
                made->withdraw_when_cancelled(engine_);
                engine_->put(std::move(made));
            },
            boost::asio::use_awaitable, std::move(work));
    }

private:
    [[noreturn]] static void throw_closed(std::string_view call);

    std::shared_ptr<engine> engine_;
    caller caller_;
    std::optional<duration> patience_;
    store_observer* observer_;
};

}  // namespace errand::sqlite
