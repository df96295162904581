#include "queue.hpp"

#include "measure.hpp"
#include "scripts.hpp"

#include <array>
#include <charconv>

namespace benchmark_floor {
namespace {

constexpr std::int64_t lease_ms = 30'000;
// As long as what a real queue keeps beside the arguments: format, flags, time of submission.
constexpr std::string_view header = "HEADER-BYTES";
constexpr std::string_view before_id = R"({"id": )";
constexpr std::string_view after_id = R"(, "name": "abcdefgh"})";

std::string_view digits_of(std::int64_t number, std::array<char, 24>& buffer) {
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

// Begins with a letter, so that Redis cannot keep it as an integer.
void write_id(std::string& to, std::string_view digits) {
    to.assign(id_size, '0');
    to[0] = 't';
    to.replace(id_size - digits.size(), digits.size(), digits);
}

void write_body(std::string& to, std::string_view digits) {
    to.assign(header).append(before_id).append(digits).append(after_id);
}

std::int64_t id_in(std::string_view body) {
    std::int64_t id = 0;
    constexpr auto offset = header.size() + before_id.size();
    if (body.size() <= offset || body.substr(header.size(), before_id.size()) != before_id)
        throw failure{"a claimed task has a body that nobody submitted"};
    std::from_chars(body.data() + offset, body.data() + body.size(), id);
    return id;
}

}  // namespace

queue::queue(connection& on) : redis_{on} {
    if (redis_.call("DBSIZE").number() != 0)
        throw failure{"Redis is not empty: the measure needs one of its own"};
    // One long member keeps a collection out of the compact encoding, in which every access to a nearly empty queue
    // searches all of it.
    const std::string sentinel(65, '-');
    redis_.call("HSET tasks " + sentinel + " " + sentinel);
    redis_.call("ZADD leases +inf " + sentinel);
    submit_sha_ = redis_.load(submit_script);
    turn_sha_ = redis_.load(turn_script);
}

void queue::send_submit(std::int64_t first, std::int64_t count) {
    next_.start("EVALSHA").arg(submit_sha_).arg("2").arg("tasks").arg("ready");
    std::array<char, 24> buffer;
    std::string text;
    for (auto n = first; n < first + count; ++n) {
        const auto digits = digits_of(n, buffer);
        write_id(text, digits);
        next_.arg(text);
        write_body(text, digits);
        next_.arg(text);
    }
    redis_.send(next_);
}

void queue::read_submit(std::int64_t count) {
    if (redis_.receive().number() != count) throw failure{"not every task of a batch was new"};
}

void queue::send_turn(const std::string& held, std::int64_t limit) {
    next_.start("EVALSHA").arg(turn_sha_).arg("4").arg("tasks").arg("ready").arg("leases").arg("history");
    next_.arg(limit).arg(bench::now_ns() / 1'000'000 + lease_ms);
    for (std::size_t at = 0; at < held.size(); at += id_size)
        next_.arg(std::string_view{held}.substr(at, id_size));
    redis_.send(next_);
}

turn queue::read_turn(std::string& held) {
    const auto answer = redis_.receive();
    turn done;
    done.finished = answer[0].number();
    if (done.finished != static_cast<std::int64_t>(held.size() / id_size))
        throw failure{"a batch was finished that was not held any more"};
    held = answer[1].text();
    const auto bodies = answer[2];
    for (std::size_t i = 0; i < bodies.size(); ++i) done.id_sum += id_in(bodies[i].text());
    done.claimed = static_cast<std::int64_t>(bodies.size());
    return done;
}

void queue::check_holds(std::int64_t tasks) {
    const auto stored = redis_.call("HLEN tasks").number() - 1;
    const auto ready = redis_.call("LLEN ready").number();
    const auto leases = redis_.call("ZCARD leases").number() - 1;
    if (stored == tasks && ready == tasks && leases == 0) return;
    throw failure{"the queue holds " + std::to_string(stored) + " tasks, " + std::to_string(ready) +
                  " ready, " + std::to_string(leases) + " batches leased; it should hold " +
                  std::to_string(tasks) + " ready tasks and nothing else"};
}

}  // namespace benchmark_floor
