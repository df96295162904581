// Opening, closing, and what all calls have in common.
#include "store/redis/shard_store.hpp"

#include <errand/error.hpp>

#include "store/redis/redis_store.hpp"
#include "store/redis/server_check.hpp"

#include <algorithm>
#include <mutex>
#include <random>
#include <set>

namespace errand::redis {
namespace {

constexpr std::size_t most_known_queues = 4;

std::string random_name() {
    std::random_device source;
    const auto value = std::uint64_t{source()} << 32 | source();
    return std::to_string(value);
}

}  // namespace

shard_store::shard_store(boost::asio::io_context& on, store_settings settings)
    : on_{&on},
      settings_{std::move(settings)},
      address_{parse_address(settings_.url)},
      keys_{settings_.name_space, settings_.shard, spread_over(address_, settings_.shards)},
      caller_{settings_, address_, keys_},
      seen_{settings_.url + ' ' + keys_.tasks()} {
    if (settings_.name.empty()) settings_.name = "client-" + random_name();
    waits_as_ = settings_.name;
    // A process that takes over the name of another must not be taken for it: its lanes are its own.
    lane_stem_ = settings_.name + '/' + random_name() + '/';
    for (std::size_t at = 0; at < work_lanes; ++at)
        work_lanes_[at].name = lane_stem_ + "w" + std::to_string(at);
    recover_lane_.name = lane_stem_ + "r";
    adopt_lane_.name = lane_stem_ + "a";
    yield_lane_.name = lane_stem_ + "y";
}

shard_store::~shard_store() { close(); }

awaitable<void> shard_store::open() {
    if (caller_.closed()) caller_.fail("open", "the store was closed");
    connection_listener& self = *this;
    auto over = std::make_shared<connection>(*on_, address_, keys_.channel(settings_.name),
                                             keys_.channel_of_all(), stamp(), self);
    caller_.use(over);
    over->start();
    try {
        co_await check_server();
        co_await check_stamp();
    } catch (...) {
        // Only this connection: the store may be opened again.
        over->stop();
        throw;
    }
}

void shard_store::close() { caller_.close(); }

// What each connection asks first: behind it there may be another Redis, or another copy of its data, by now.
boost::redis::request shard_store::stamp() const {
    const std::array<std::string_view, 1> only{keys_.control()};
    script_call call{script_name::stamp, only};
    call.arg(store_format);
    call.arg(settings_.shards);
    call.arg(oldest_format);
    boost::redis::request to;
    call.write_to(to, true);
    return to;
}

awaitable<void> shard_store::check_server() {
    auto ask_info = connection::request();
    ask_info.push("INFO");
    reply info;
    try {
        co_await caller_.command("open", ask_info, info);
    } catch (const store_error&) {
        if (!info.first().starts_with("NOPERM")) throw;
        if (settings_.trouble) {
            settings_.trouble(
                "the user of " + address_.shown +
                " may not call INFO: that this Redis is not older than 6.2 and does not evict keys is unchecked");
        }
        co_return;
    }
    if (const auto wrong = check_version(info.first())) caller_.fail("open", *wrong);
    if (const auto wrong = check_kind(info.first(), address_.kind)) caller_.fail("open", *wrong);
    if (const auto wrong = check_eviction(info.first())) caller_.fail("open", *wrong);
    caller_.know_replicas(replicas_of(info.first()));
    warn_once(warn_of_replicas(info.first(), address_.wait, address_.kind));
    if (address_.kind != server_kind::cluster) co_return;
    auto ask_timeout = connection::request();
    ask_timeout.push("CONFIG", "GET", "cluster-node-timeout");
    reply timeout;
    try {
        co_await caller_.command("open", ask_timeout, timeout);
    } catch (const store_error&) {
        // Only for a warning, and not every user may ask.
        if (!timeout.first().starts_with("NOPERM")) throw;
        co_return;
    }
    reply_reader in{timeout};
    if (in.array() != 1) co_return;
    in.text();
    warn_once(warn_of_node_timeout(in.text(), settings_.patience));
}

// A process has many connections to the servers of one URL, and all see the same.
void shard_store::warn_once(const std::optional<std::string>& what) {
    static std::mutex guard;
    static std::set<std::string> said;
    if (!what || !settings_.trouble) return;
    auto line = address_.shown + ": " + *what;
    const std::lock_guard lock{guard};
    if (said.insert(line).second) settings_.trouble(line);
}

awaitable<void> shard_store::check_stamp() {
    script_call call{script_name::open, keys_};
    // One that is lost is made again as it was: older programs may work on it.
    call.own_arg(made_in_.empty() ? std::to_string(store_format) : made_in_);
    call.arg(settings_.shards);
    call.arg(std::string_view{settings_.name});
    reply answer;
    reply_reader in{answer};
    co_await ask(call, answer, in);
    const auto format = in.text();
    if (const auto wrong = redis::check_stamp(format, in.text(), settings_.shards))
        caller_.fail("open", *wrong);
    made_in_ = format;
    settings_seen_ = in.text();
}

awaitable<reply_head> shard_store::ask(script_call& call, reply& answer, reply_reader& in,
                                       caller::when_full full, caller::when_strange strange) {
    for (;;) {
        const auto asked = std::chrono::steady_clock::now();
        co_await caller_.call(call, answer, full, strange);
        in = reply_reader{answer};
        auto head = read_head(in);
        if (head.word == "unmade") {
            co_await check_stamp();
            hear_of_loss();
            continue;
        }
        if (head.word == "late") caller_.fail(call.what().name, "a later call of the same lane was made");
        if (head.word != "elsewhere") {
            // Not every script looks at the clock.
            if (head.now != time_point{}) clock_.hear(head.now, asked, std::chrono::steady_clock::now());
            co_return head;
        }
        for (const auto& queue : read_queues(answer)) {
            call.queue(queue);
            know(queue);
        }
    }
}

time_point shard_store::now() const { return clock_.at(std::chrono::steady_clock::now()); }

void shard_store::know(std::string_view queue) {
    if (std::ranges::find(known_queues_, queue) != known_queues_.end()) return;
    if (known_queues_.size() == most_known_queues) known_queues_.erase(known_queues_.begin());
    known_queues_.emplace_back(queue);
}

void shard_store::name_known(script_call& call) const {
    for (const auto& queue : known_queues_) call.queue(queue);
}

shard_store::lane& shard_store::submit_lane(std::size_t at) {
    while (submit_lanes_.size() <= at)
        submit_lanes_.push_back({.name = lane_stem_ + "s" + std::to_string(submit_lanes_.size())});
    return submit_lanes_[at];
}

void shard_store::begin(script_call& call, lane& of) {
    call.arg(of.name);
    call.arg(++of.number);
}

void shard_store::up() {
    waits_.forget();
    caller_.up();
    forget_registered();  // the data may be gone
    const bool again = std::exchange(was_up_, true);
    if (!again || !listener_) return;
    listener_->reconnected();
    // Messages may have been published while nobody listened.
    if (listener_) listener_->woken();
}

// Idle sets, watches and the posts of resolvers went with it.
void shard_store::hear_of_loss() {
    forget_registered();
    waits_.forget();
    may_be_idle_ = true;
    if (listener_) listener_->reconnected();
    if (listener_) listener_->woken();
}

void shard_store::down(std::string_view cause) { caller_.down(cause); }

// What fails here must not end the hearing of all that comes later.
void shard_store::message(std::string_view payload) {
    try {
        hear(payload);
    } catch (const std::exception& e) {
        if (settings_.trouble)
            settings_.trouble("a message from " + address_.shown + " was not understood: " + e.what());
        // It may have been what takes this worker off an idle set.
        waits_.forget();
        if (listener_) listener_->woken();
    }
}

void shard_store::hear(std::string_view payload) {
    if (!listener_ || payload.empty()) return;
    const auto what = payload.front();
    payload.remove_prefix(1);
    if (what == 'e') {
        for (const auto& over : read_told(payload)) {
            if (listener_) listener_->task_ended(over);
        }
    } else if (what == 'c') {
        if (const auto id = task_id::from_bytes(payload)) listener_->task_cancelled(*id);
    } else if (what == 'g') {
        if (const auto id = task_id::from_bytes(payload)) listener_->may_go_on(*id);
    } else if (what == 't') {
        // One that has lain for longer than its lease is another's. But who was handed it waits in no queue any more: it has
        // to claim to be heard of again.
        auto task = read_given(payload);
        if (task) seen_.saw(task->claim);
        waits_.told(task ? std::string_view{task->queue} : std::string_view{});
        if (task && time_of_claim(task->claim) + given_lease_ > now())
            listener_->task_given(std::move(*task));
        else
            listener_->woken();
    } else if (what == 'a') {
        listener_->stands_aside();
    } else if (what == 'm') {
        // Who made the shard knows.
        if (payload != settings_.name) hear_of_loss();
    } else if (what == 'r') {
        listener_->news_came();
    } else if (what == 's') {
        listener_->schedules_changed();
    } else if (what == 'p') {
        hear_of_settings(payload);
    } else {
        // Programs of before name no queue.
        waits_.told(what == 'w' ? unescaped(payload) : std::string{});
        listener_->woken();
    }
}

}  // namespace errand::redis

namespace errand {

std::unique_ptr<store> make_redis_store(boost::asio::io_context& on, store_settings settings) {
    return std::make_unique<redis::shard_store>(on, std::move(settings));
}

}  // namespace errand
