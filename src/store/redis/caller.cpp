#include "store/redis/caller.hpp"

#include <errand/error.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// How long one attempt waits for its answer before it is repeated.
constexpr duration attempt_limit = 3s;

// How long Redis waits for its replicas before it says how many have confirmed: less than the above.
constexpr duration replicas_limit = 1s;

// The setup's own refusals arrive as text of the log, not as a reply.
constexpr std::string_view setup_failure = "Setup request execution failed: ";

}  // namespace

struct caller::progress {
    std::string_view operation;
    std::optional<clock::time_point> deadline;
    when_full full = when_full::wait;
    unsigned connections = 0;
    bool was_up = false;     // when the attempt began
    bool maybe = false;      // it may have been executed
    bool with_text = false;  // Redis does not hold the script
    int replicas = 0;        // to confirm it
    bool answered = false;
    bool pause = false;
    std::string cause;
};

caller::progress caller::begin(std::string_view operation) const {
    progress at;
    at.operation = operation;
    at.connections = connections_;
    if (settings_->patience) at.deadline = clock::now() + *settings_->patience;
    return at;
}

void caller::close() {
    closed_ = true;
    if (over_) over_->stop();
}

void caller::down(std::string_view cause) {
    setup_failed_ = cause.starts_with(setup_failure);
    if (setup_failed_) cause.remove_prefix(setup_failure.size());
    cause_ = cause;
    if (told_) return;
    told_ = true;
    if (settings_->trouble) {
        settings_->trouble((connections_ > 0 ? "lost the connection to " : "cannot reach ") + to_->shown +
                           ": " + cause_ + "; trying again");
    }
}

void caller::up() {
    ++connections_;
    cause_.clear();
    setup_failed_ = false;
    if (told_ && settings_->trouble) settings_->trouble("connected to " + to_->shown + " again");
    told_ = false;
}

void caller::fail(std::string_view operation, std::string_view cause) const {
    throw store_error{std::string{operation} + " on " + to_->shown + ": " + std::string{cause}};
}

void caller::give_up(const progress& at) const {
    const auto cause = at.cause.empty() ? "no answer" : at.cause;
    fail(at.operation, cause + (at.maybe ? "; it may have been done" : "; it was not done"));
}

void caller::judge_abort(progress& at) const {
    // Without a connection since the attempt began nothing was sent. A setup that fails takes along what waited
    // behind it, sent or not.
    at.maybe = at.maybe || at.was_up || connections_ != at.connections || setup_failed_;
    if (!cause_.empty()) at.cause = cause_;
    if (at.cause.empty()) at.cause = "no answer in time";
    // A server that refuses the very first setup for what it was asked will refuse it again.
    if (connections_ == 0 && !cause_.empty()) {
        const auto said = judge(cause_);
        const bool no_hello = cause_.find("unknown command") != cause_.npos;
        if (no_hello)
            fail(at.operation, "this server is older than Redis 6.2, which errand needs (" + cause_ + ")");
        if (said.what == remedy::give_up && !said.sentence.starts_with("Redis answered"))
            fail(at.operation, said.sentence);
    }
}

void caller::judge_refusal(progress& at, std::string_view error) const {
    const auto said = judge(error);
    if (said.what == remedy::load_script && !at.with_text) {
        at.with_text = true;
        return;
    }
    at.cause = said.sentence;
    const bool final =
        said.what == remedy::give_up || (said.what == remedy::free_memory && at.full == when_full::fail);
    if (final) give_up(at);
    at.pause = true;
}

// A repeat changes nothing more and waits for what was changed: WAIT is for all that the primary has done so far.
void caller::judge_confirmed(progress& at, std::int64_t replicas) const {
    at.answered = replicas >= at.replicas;
    if (at.answered) return;
    at.maybe = at.pause = true;
    at.cause = std::to_string(replicas) + " of the " + std::to_string(at.replicas) +
               " replicas that the store's URL asks for (wait) have confirmed the change";
}

awaitable<void> caller::attempt_once(progress& at, const boost::redis::request& what, reply& answer) {
    auto limit = attempt_limit;
    if (at.deadline) {
        const auto left = std::chrono::ceil<duration>(*at.deadline - clock::now());
        limit = std::clamp(left, duration{1}, attempt_limit);
    }
    at.pause = false;
    if (closed_) fail(at.operation, "the store was closed");
    at.was_up = over_->is_up();
    const auto outcome = co_await over_->exec(what, answer, limit);
    if (outcome == connection::attempt::aborted) {
        if (closed_) fail(at.operation, "the store was closed");
        judge_abort(at);
        at.pause = !over_->is_up();
    } else if (answer.is_error()) {
        judge_refusal(at, answer.first());
    } else {
        judge_confirmed(at, at.replicas > 0 ? answer.take_last() : 0);
        if (at.answered) co_return;
    }
    if (at.deadline && clock::now() >= *at.deadline) give_up(at);
    if (at.pause) co_await pause();
}

awaitable<void> caller::pause() const {
    asio::steady_timer timer{co_await asio::this_coro::executor, 50ms};
    co_await timer.async_wait(asio::use_awaitable);
}

awaitable<void> caller::call(const script_call& what, reply& answer, when_full full) {
    auto at = begin(what.what().name);
    at.full = full;
    if (!what.what().only_reads) at.replicas = to_->wait;
    boost::redis::request request;
    for (bool written = false; !at.answered;) {
        const bool with_text = at.with_text;
        if (!written) {
            what.write_to(request, with_text);
            if (at.replicas > 0) request.push("WAIT", at.replicas, replicas_limit.count());
        }
        co_await attempt_once(at, request, answer);
        written = with_text == at.with_text;
    }
}

awaitable<void> caller::command(std::string_view operation, const boost::redis::request& what,
                                reply& answer) {
    auto at = begin(operation);
    while (!at.answered) co_await attempt_once(at, what, answer);
}

}  // namespace errand::redis
