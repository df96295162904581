#include "store/redis/caller.hpp"

#include <errand/error.hpp>

#include "store/redis/server_check.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace errand::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// How long Redis waits for its replicas before it says how many have confirmed: far less than a connection may be silent.
constexpr duration replicas_limit = 1s;

constexpr std::size_t large_call = 64 * 1024;

constexpr duration short_pause = 50ms;
// Before a server that may not change anything is asked for again on a new connection.
constexpr duration refused_pause = 250ms;

// The setup's own refusals arrive as text of the log, not as a reply.
constexpr std::string_view setup_failure = "Setup request execution failed: ";

}  // namespace

struct caller::progress {
    std::string_view operation;
    std::optional<clock::time_point> deadline;
    when_full full = when_full::wait;
    when_strange strange = when_strange::wait;
    bool maybe = false;      // it may have been executed
    bool once = false;       // then it is not repeated
    bool with_text = false;  // Redis does not hold the script
    int replicas = 0;        // to confirm it
    bool hopes = false;      // in a moment they do, or it counts without
    bool answered = false;
    duration pause{};
    std::string cause;
};

caller::progress caller::begin(std::string_view operation) const {
    progress at;
    at.operation = operation;
    if (settings_->patience) at.deadline = clock::now() + *settings_->patience;
    return at;
}

void caller::close() {
    closed_ = true;
    observe_away(false);
    if (over_) over_->stop();
}

void caller::observe_away(bool away) {
    if (!settings_->observer || std::exchange(away_, away) == away) return;
    if (away) {
        settings_->observer->away();
    } else {
        settings_->observer->back(connections_ > 1 && !closed_);
    }
}

void caller::down(std::string_view cause) {
    if (!closed_) observe_away(true);
    if (cause.starts_with(setup_failure)) cause.remove_prefix(setup_failure.size());
    const bool was_wrong = !wrong_stamp_.empty();
    wrong_stamp_ = refused_stamp(cause, settings_->shards).value_or("");
    const bool news = !wrong_stamp_.empty() && !was_wrong;
    cause_ = wrong_stamp_.empty() ? cause : wrong_stamp_;
    if (told_ && !news) return;
    told_ = true;
    if (settings_->trouble) {
        settings_->trouble((connections_ > 0 ? "lost the connection to " : "cannot reach ") + to_->shown +
                           ": " + cause_ + "; trying again");
    }
}

void caller::up() {
    ++connections_;
    observe_away(false);
    cause_.clear();
    wrong_stamp_.clear();
    // A server that refuses what it is asked for is told of once, however often it is connected to.
    if (refused_) return;
    if (told_ && settings_->trouble) settings_->trouble("connected to " + to_->shown + " again");
    told_ = false;
}

void caller::note_answer() {
    refused_ = false;
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
    if (!cause_.empty()) at.cause = cause_;
    if (at.cause.empty()) at.cause = "no answer in time";
    // Whoever waits for ever waits for the right store to come back.
    const bool waits = !at.deadline && at.strange == when_strange::wait;
    if (!wrong_stamp_.empty() && (!waits || connections_ == 0)) fail(at.operation, wrong_stamp_);
    // A server that refuses the very first setup for what it was asked will refuse it again.
    if (connections_ == 0 && !cause_.empty()) {
        const auto said = judge(cause_);
        const bool no_hello = cause_.find("unknown command") != cause_.npos;
        if (no_hello) {
            fail(at.operation,
                 std::string{"this server is older than Redis "} +
                     (in_cluster() ? "7.0, which errand needs of a cluster" : "6.2, which errand needs") +
                     " (" + cause_ + ")");
        }
        if ((said.what == remedy::follow && !in_cluster()) ||
            (said.what == remedy::give_up && !said.sentence.starts_with("Redis answered")))
            fail(at.operation, said.sentence);
    }
}

void caller::judge_refusal(progress& at, std::string_view error) {
    const auto said = judge(error);
    if (said.what == remedy::load_script && !at.with_text) {
        at.with_text = true;
        return;
    }
    at.cause = said.sentence;
    if (said.what == remedy::follow && in_cluster()) {
        at.cause = "the shard is on its way to another server of the cluster (" + std::string{error} + ")";
        over_->follow(error);
        return;
    }
    const bool final = said.what == remedy::give_up || said.what == remedy::follow ||
                       (said.what == remedy::free_memory && at.full == when_full::fail);
    if (final) give_up(at);
    at.pause = short_pause;
    if (said.what != remedy::reconnect) return;
    // It was demoted, perhaps: a new connection may reach its successor.
    refused_ = true;
    at.pause = refused_pause;
    over_->leave(at.cause);
}

// A repeat changes nothing more and waits for what was changed.
void caller::judge_confirmed(progress& at, std::int64_t replicas) {
    // One that died is not waited for at each call.
    if (at.hopes && replicas < at.replicas) hopeless_until_ = clock::now() + std::chrono::minutes{1};
    at.answered = at.hopes || replicas >= at.replicas;
    if (at.answered) return;
    at.maybe = true;
    at.pause = short_pause;
    at.cause = std::to_string(replicas) + " of the " + std::to_string(at.replicas) +
               " replicas that the store's URL asks for (wait) have confirmed the change";
}

awaitable<void> caller::attempt_once(progress& at, const boost::redis::request& request, reply& answer) {
    at.pause = {};
    if (closed_) fail(at.operation, "the store was closed");
    if (at.strange == when_strange::fail && !wrong_stamp_.empty()) fail(at.operation, wrong_stamp_);
    const auto over = over_;
    const auto outcome = co_await over->exec(request, answer, at.deadline);
    if (outcome != connection::attempt::answered) {
        if (closed_) fail(at.operation, "the store was closed");
        at.maybe = at.maybe || outcome == connection::attempt::aborted;
        judge_abort(at);
        if (at.once && at.maybe) give_up(at);
        if (over->is_up() || over->is_stopped()) at.pause = short_pause;
    } else if (answer.is_error()) {
        judge_refusal(at, answer.first());
    } else {
        if (refused_) note_answer();
        auto replicas = at.replicas > 0 ? answer.take_last() : 0;
        if (at.replicas > 0) {
            // What was to be written for it: without that they may have confirmed nothing.
            if (answer.last_is_error()) replicas = 0;
            answer.take_last();
        }
        judge_confirmed(at, replicas);
        if (at.answered) co_return;
    }
    if (at.deadline && clock::now() >= *at.deadline) give_up(at);
    if (at.pause > duration{}) co_await pause(at.pause);
}

awaitable<void> caller::pause(duration length) const {
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::use_awaitable);
}

// WAIT is for what this connection wrote last, and a repeat or an answer that rests on another's change writes nothing: something is
// written, behind all that was done so far. That is a message that nobody hears, and on a cluster, whose messages replicas do not
// get, a field that nobody reads: by a script, which a full store does not refuse.
void caller::write_confirmed(boost::redis::request& to, int replicas) const {
    if (in_cluster())
        to.push("EVAL", "#!lua flags=allow-oom\nreturn redis.call('HSET', KEYS[1], 'confirm', 1)", 1,
                confirm_);
    else
        to.push("PUBLISH", confirm_, "");
    to.push("WAIT", replicas, replicas_limit.count());
}

awaitable<void> caller::call(const script_call& script, reply& answer, when_full full, when_strange strange) {
    observed_call seen{settings_->observer, script.what().name};
    auto at = begin(script.what().name);
    at.full = full;
    at.strange = strange;
    at.once = script.what().counts_each;
    if (!script.what().only_reads && !at.once) {
        at.hopes = to_->wait == 0 && settings_->waits_for_replica && replicas_ > 0 &&
                   clock::now() >= hopeless_until_;
        at.replicas = at.hopes ? 1 : to_->wait;
    }
    auto request = connection::request();
    bool large = false;
    const auto write = [&] {
        script.write_to(request, at.with_text);
        large = request.payload().size() > large_call;
        if (at.replicas == 0) return;
        write_confirmed(request, at.replicas);
    };
    write();
    // Refused for want of the script, a large call would have been sent for nothing.
    at.with_text = large && !large_made_.contains(&script.what());
    if (at.with_text) write();
    while (!at.answered) {
        const bool with_text = at.with_text;
        co_await attempt_once(at, request, answer);
        if (at.with_text != with_text) write();
    }
    if (large) large_made_.insert(&script.what());
    seen.answered();
}

awaitable<void> caller::command(std::string_view operation, const boost::redis::request& request,
                                reply& answer) {
    auto at = begin(operation);
    while (!at.answered) co_await attempt_once(at, request, answer);
}

}  // namespace errand::redis
