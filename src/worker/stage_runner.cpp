#include "worker/stage_runner.hpp"

#include <errand/error.hpp>

#include "core/attempt_rules.hpp"
#include "core/stage_rules.hpp"
#include "runtime/ambient.hpp"
#include "runtime/app_core.hpp"
#include "runtime/at_most.hpp"
#include "runtime/manual_time.hpp"
#include "runtime/on_loop.hpp"
#include "runtime/operation_aborted.hpp"
#include "worker/active_task.hpp"
#include "worker/announce.hpp"
#include "worker/attempt_stages.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace errand {

namespace asio = boost::asio;

stage_runner::stage_runner(active_task& task, loop& home, std::string name, stage_options how,
                           const detail::stage_body& body)
    : task_{task}, home_{home}, name_{std::move(name)}, how_{std::move(how)}, body_{body} {}

awaitable<std::string> stage_runner::run() {
    check_stage(name_, how_);
    const auto executor = co_await asio::this_coro::executor;
    const ambient* around = ambient_of(executor);
    if (!around || around->task != &task_) around = &task_.around;
    if (around->transaction) refuse_under_transaction(name_);
    const auto outer = around->stage;
    auto stored = co_await on_loop(home_, [&](loop&) { return task_.stages().call(name_, outer.get()); });
    if (stored) co_return std::move(*stored);

    for (int retries = 0;; ++retries) {
        auto inside = std::make_shared<ambient>(*around);
        inside->stage = std::make_shared<stage_run>(task_.task.id, task_.body.life, name_, outer,
                                                    task_.shared_from_this());
        const auto as = inside->stage;
        std::unique_ptr<open_span> seen;
        if (const auto& to = around->app->tracer; to && around->trace && around->trace->sampled) {
            seen =
                std::make_unique<open_span>(to, around->trace.get(), span_kind::internal, "stage " + name_);
            seen->say("errand.stage", name_);
            seen->say("messaging.message.id", task_.id());
            inside->trace = seen->context();
        }
        auto end = co_await try_once(with_ambient(executor, std::move(inside)));
        if (seen && end.failure) seen->say("error.type", describe(end.failure).type);
        if (seen) seen->end(end.failure ? text_in_span(*around->app, end.failure) : std::string{});
        if (!end.failure) {
            // Also when the attempt was told to stop meanwhile: the next one need not do it again.
            const bool throws = co_await asio::this_coro::throw_if_cancelled();
            co_await asio::this_coro::throw_if_cancelled(false);
            co_await keep(end);
            co_await asio::this_coro::throw_if_cancelled(throws);
            if (end.failure) std::rethrow_exception(end.failure);
            co_return std::move(end.text);
        }
        const auto state = co_await asio::this_coro::cancellation_state;
        const bool cancelled = state.cancelled() != asio::cancellation_type::none;
        if (!goes_on(end, retries, cancelled)) std::rethrow_exception(end.failure);
        co_await on_loop(home_, [&](loop&) -> awaitable<void> { return forget(*as); });
        co_await wait(end, retries);
    }
}

// On the stage's own executor. Throws nothing, so that the time of its end is known.
awaitable<void> stage_runner::work(try_end& end) {
    try {
        end.text = co_await body_(end.returned);
    } catch (...) {
        end.failure = std::current_exception();
    }
    end.to = steady::now();
}

awaitable<stage_runner::try_end> stage_runner::try_once(asio::any_io_executor inside) {
    try_end end;
    end.from = steady::now();
    if (how_.timeout > duration{0}) {
        co_await at_most(inside, work(end), how_.timeout, &end.moved_past);
    } else {
        co_await asio::co_spawn(inside, work(end), asio::use_awaitable);
    }
    co_return end;
}

awaitable<void> stage_runner::forget(const stage_run& of) {
    task_.stages().forget(of.called);
    co_return;
}

awaitable<void> stage_runner::keep(try_end& end) {
    try {
        co_await on_loop(home_, [&](loop& home) { return keep_on(home, end); });
    } catch (...) {
        end.failure = std::current_exception();
    }
}

awaitable<void> stage_runner::keep_on(loop& home, const try_end& end) {
    const auto ago = std::chrono::round<duration>(steady::now() - end.from);
    stage_record done{.name = name_,
                      .attempt = task_.number,
                      .started_at = home.tasks().now() - ago,
                      .length = std::chrono::round<duration>(end.to - end.from),
                      .result = end.text};
    co_await task_.stages().keep(std::move(done));
}

bool stage_runner::goes_on(try_end& end, int retries, bool cancelled) const {
    if (cancelled || task_.cancelled() || !may_try_again(end.failure)) return false;
    // What ends otherwise than by its result once its time was over was ended by the timeout.
    const bool late = end.moved_past || end.to - end.from >= how_.timeout;
    if (how_.timeout > duration{0} && !end.returned && late) {
        end.failure = std::make_exception_ptr(timed_out{stage_in_words(name_) + " timed out after " +
                                                        in_words(how_.timeout)});
    }
    return !end.returned && retries < how_.max_retry;
}

awaitable<void> stage_runner::wait(const try_end& end, int retries) {
    const auto delay = delay_before_retry(how_.backoff, retries, end.failure);
    const auto why = describe(end.failure);
    const auto line = stage_in_words(name_) + " failed, retry " + std::to_string(retries + 1) + " of " +
                      std::to_string(how_.max_retry) + " in " + in_words(delay) + ": ";
    task_.warn(line + text_in_log(home_.app(), end.failure), line + why.type + ": " + why.message);
    asio::steady_timer timer{co_await asio::this_coro::executor, delay};
    const manual_wait moved{delay, [&timer] { timer.cancel(); }};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) std::rethrow_exception(operation_aborted());
}

}  // namespace errand
