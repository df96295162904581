#include "store/redis/connection.hpp"

#include "core/random.hpp"
#include "store/redis/connection_config.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_at.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/redis/error.hpp>

#include <algorithm>
#include <utility>

namespace errand::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto token = asio::as_tuple(asio::use_awaitable);

constexpr auto reconnect_interval = usual_reconnect_interval;
// The connection is looked at so often. After so many looks without a byte from the server it is asked for one, and
// after so many without any progress the connection is given up. Looks are counted and not the time: after a process
// stood still nothing has been missed.
constexpr auto usual_look_interval = 2500ms;
// Where another server takes over, a silent one is given up sooner.
constexpr auto short_look_interval = 1s;
// For the answers of a server that is left, which come at once where it lives.
constexpr auto longest_farewell = 3s;
constexpr unsigned looks_until_ping = 2, looks_until_lost = 5, looks_until_made = 8;
// What was sent and acknowledged counts as progress from so many bytes on, and while the line takes longer for what it was
// given than from one look to the next: what a machine takes at once although its Redis hangs is none, however much of it
// there is.
constexpr std::uint64_t worth_counting = 1024, well_filled = 4096;
// The line is not done yet with what it was given at the look before, or its buffer is filled again and again from what it has no
// room for.
bool is_being_sent(const socket_bytes& now, const socket_bytes& before) {
    if (now.out - before.out < worth_counting) return false;
    return now.out < before.out + before.waiting || std::min(now.waiting, before.waiting) >= well_filled;
}

// What the library says of several Sentinels stands in a line each.
std::string in_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c != '\n') {
            line += c;
        } else if (!line.ends_with(';')) {
            line += ';';
        }
    }
    return line;
}

bool says_replica(std::string_view line) {
    static const auto text = make_error_code(boost::redis::error::role_check_failed).message();
    return line.find(text) != line.npos;
}

}  // namespace

connection::connection(asio::io_context& on, const address& to, std::string channel, std::string of_all,
                       const boost::redis::request& check, connection_listener& tell)
    : config_{config_of(to, channel, of_all, check)},
      channel_{std::move(channel)},
      of_all_{std::move(of_all)},
      tell_{&tell},
      connection_{on.get_executor(), tls_of(to, [this] { return config_.addr.host; }),
                  boost::redis::logger{
                      boost::redis::logger::level::err,
                      [this](boost::redis::logger::level, std::string_view line) { heard_log(line); }}},
      ping_{request()},
      change_{on, asio::steady_timer::time_point::max()},
      look_{on},
      pause_{on},
      answered_{on} {
    connection_.set_receive_response(pushes_);
    ping_.push("PING");
    if (to.kind == server_kind::cluster) {
        place_.emplace(to.seeds);
        // Channels are of the slot's name, too.
        scout_ = std::make_shared<slot_scout>(on, to, of_all_,
                                              [this](const endpoint& owner) { hear_scout(owner); });
    }
    if (to.kind != server_kind::sentinels) return;
    masters_.emplace(to.seeds);
    for (const auto& sentinel : to.seeds) {
        sentinels_.push_back(std::make_shared<sentinel_watch>(
            on, to, sentinel,
            [this, which = sentinels_.size()](const named_master& what) { hear_sentinel(which, what); }));
    }
}

boost::redis::request connection::request() {
    boost::redis::request::config how;
    how.cancel_on_connection_lost = true;
    return boost::redis::request{how};
}

void connection::start() {
    for (const auto part : {&connection::run, &connection::receive, &connection::watch}) spawn(part);
    for (const auto& sentinel : sentinels_) sentinel->start();
}

void connection::spawn(awaitable<void> (connection::*part)()) {
    asio::co_spawn(
        connection_.get_executor(),
        [](std::shared_ptr<connection> self, awaitable<void> (connection::*one)()) -> awaitable<void> {
            co_await (self.get()->*one)();
        }(shared_from_this(), part),
        asio::detached);
}

void connection::stop() {
    if (is_stopped()) return;
    tell_ = nullptr;
    up_ = false;
    for (const auto& sentinel : sentinels_) sentinel->stop();
    if (scout_) scout_->stop();
    connection_.cancel();
    look_.cancel();
    answered_.cancel();
    pause_.cancel();
    change_.cancel();
}

void connection::drop(std::string_view cause) {
    if (is_stopped() || dropping_) return;
    if (place_) give_up_place();
    renew(cause, calls_in_flight::lost);
}

void connection::leave(std::string_view cause) {
    if (is_stopped() || dropping_) return;
    if (place_) place_->leave();
    renew(cause, calls_in_flight::answered);
}

void connection::renew(std::string_view cause, calls_in_flight what) {
    dropping_ = true;
    up_ = false;
    ++subscribed_;
    if (what == calls_in_flight::lost || in_flight_ == 0)
        connection_.cancel(boost::redis::operation::run);
    else
        spawn(&connection::let_answer);
    tell_->down(cause);
    changed();
}

// One that hangs after all is not waited for.
awaitable<void> connection::let_answer() {
    const auto of = made_;
    if (in_flight_ > 0) {
        answered_.expires_after(longest_farewell);
        co_await answered_.async_wait(token);
    }
    if (!is_stopped() && of == made_) connection_.cancel(boost::redis::operation::run);
}

void connection::changed() {
    quiet_ = 0;
    change_.cancel();
}

awaitable<void> connection::run() {
    while (!is_stopped()) {
        dropping_ = chosen_ = sent_on_ = false;
        ++made_;
        ++tries_;
        if (place_) config_.addr = {place_->at().host, place_->at().port};
        // Ends only when cancelled, or at once when the configuration is wrong: reconnecting is the library's. On a cluster it ends
        // whenever it is lost or could not be made.
        const auto [ended] = co_await connection_.async_run(config_, token);
        if (is_stopped()) break;
        if (place_) {
            if (!dropping_) choose_place(ended.message());
        } else if (!dropping_) {
            up_ = false;
            tell_->down(ended.message());
            changed();
            break;
        }
        pausing_ = true;
        pause_.expires_after(place_ ? pause_of_tries(tries_, sent_on_, random_unit())
                                    : duration{reconnect_interval});
        co_await pause_.async_wait(token);
        pausing_ = false;
    }
}

// What moves on a socket is asked of the system; where it does not tell, whole messages that come count, which is enough where
// they are fast.
socket_bytes connection::moved() {
    const auto usage = connection_.get_usage();
    socket_bytes all{.in = usage.response_bytes_received + usage.push_bytes_received,
                     .out = usage.bytes_sent};
    if (!config_.unix_socket.empty()) return all;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    auto& socket = connection_.next_layer().lowest_layer();
#pragma GCC diagnostic pop
    if (!socket.is_open()) return all;
    return bytes_of(socket.native_handle()).value_or(all);
}

std::chrono::milliseconds connection::look_interval() const {
    return place_ || masters_ ? short_look_interval : usual_look_interval;
}

awaitable<void> connection::watch() {
    socket_bytes before;
    unsigned unheard = 0;
    for (;;) {
        look_.expires_after(look_interval());
        co_await look_.async_wait(token);
        if (is_stopped()) break;
        const auto now = moved();
        unheard = now.in == before.in ? unheard + 1 : 0;
        quiet_ = unheard > 0 && !is_being_sent(now, before) ? quiet_ + 1 : 0;
        before = now;
        if (quiet_ >= (up_ ? looks_until_lost : looks_until_made)) {
            drop("no answer for " +
                 std::to_string(std::chrono::floor<std::chrono::seconds>(quiet_ * look_interval()).count()) +
                 " s");
        } else if (up_ && unheard >= looks_until_ping && !pinging_) {
            pinging_ = true;
            spawn(&connection::ping);
        }
        if (place_ && is_silent()) look_for_owner();
    }
}

// Any answer will do, a refusal as well.
awaitable<void> connection::ping() {
    co_await connection_.async_exec(ping_, pong_.recorder(), token);
    pong_.clear();
    pinging_ = false;
}

awaitable<void> connection::receive() {
    while (!is_stopped()) {
        const auto [failed] = co_await connection_.async_receive2(token);
        if (is_stopped()) break;
        // A lost connection ends the wait with an error; the next wait is for the next connection's pushes.
        if (!failed) heard_pushes();
    }
}

void connection::come_up() {
    up_ = true;
    tries_ = 0;
    failed_.clear();
    if (scout_) scout_->end();
    tell_->up();
    changed();
    if (place_) spawn(&connection::learn);
}

void connection::hear_push(std::string_view kind, std::string_view channel, std::string_view payload) {
    const bool mine = channel == channel_;
    if (!mine && channel != of_all_) return;
    if (mine && kind == (place_ ? "ssubscribe" : "subscribe")) {
        if (dropping_) return;
        ++subscribed_;
        if (!masters_) {
            come_up();
        } else if (!std::exchange(confirming_, true)) {
            spawn(&connection::confirm);
        }
    } else if (kind == (place_ ? "smessage" : "message")) {
        tell_->message(payload);
    } else if (kind == "sunsubscribe") {
        // The server that had the slot knows who has it.
        follow({});
    }
}

void connection::heard_pushes() {
    if (pushes_.has_value()) {
        const auto& nodes = pushes_.value();
        for (std::size_t at = 0; at + 3 < nodes.size() && tell_; at += 1 + nodes[at].aggregate_size)
            hear_push(nodes[at + 1].value, nodes[at + 2].value, nodes[at + 3].value);
        pushes_.value().clear();
    } else {
        // An error where no answer was due: on a cluster, the slot went while it was subscribed to.
        const auto said = pushes_.error().diagnostic;
        pushes_.emplace();
        if (place_) follow(said);
    }
}

void connection::heard_log(std::string_view line) {
    if (is_stopped() || dropping_) return;
    if (place_) {
        choose_place(line);
        return;
    }
    up_ = false;
    ++subscribed_;
    tell_->down(says_replica(line) ? "the server that a Sentinel names as the master is a replica"
                                   : in_one_line(line));
    changed();
}

awaitable<void> connection::change(time_limit until) {
    if (until) {
        co_await change_.async_wait(asio::cancel_at(*until, token));
    } else {
        co_await change_.async_wait(token);
    }
}

// Over as well where the coroutine ends without an answer: it was cancelled before anything was sent.
class connection::call_in_flight {
public:
    explicit call_in_flight(connection& of) : of_{of} { ++of_.in_flight_; }
    ~call_in_flight() {
        if (--of_.in_flight_ == 0) of_.answered_.cancel();
    }
    call_in_flight(const call_in_flight&) = delete;
    call_in_flight& operator=(const call_in_flight&) = delete;

private:
    connection& of_;
};

awaitable<connection::attempt> connection::exec(const boost::redis::request& request, reply& answer,
                                                time_limit until) {
    answer.clear();
    if (!up_ && !is_stopped()) co_await change(until);
    if (!up_) co_return attempt::not_sent;
    boost::system::error_code failed;
    const call_in_flight counted{*this};
    if (until) {
        const auto [ended, bytes] =
            co_await connection_.async_exec(request, answer.recorder(), asio::cancel_at(*until, token));
        failed = ended;
    } else {
        const auto [ended, bytes] = co_await connection_.async_exec(request, answer.recorder(), token);
        failed = ended;
    }
    co_return failed ? attempt::aborted : attempt::answered;
}

}  // namespace errand::redis
