#include "store/redis/replies.hpp"

#include <errand/error.hpp>

#include "core/bytes.hpp"
#include "core/gates.hpp"

#include <algorithm>
#include <charconv>

namespace errand::redis {
namespace {

constexpr std::size_t id_size = 16;
constexpr std::size_t stamp_size = 13;
constexpr std::size_t queue_offset = 11;  // of a body, behind its fixed front

std::string queue_of(std::string_view body) {
    if (body.size() < queue_offset) return {};
    byte_reader in{body.substr(queue_offset), "task"};
    return std::string{in.text()};
}

template <class Number>
Number parse(std::string_view digits) {
    Number value{};
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

time_point time_of(std::string_view digits) { return time_point{duration{parse<std::int64_t>(digits)}}; }

// The first of numbers with a blank between them.
std::size_t next_number(std::string_view& list) {
    const auto end = std::min(list.find(' '), list.size());
    const auto number = parse<std::size_t>(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    return number;
}

std::string_view cut(std::string_view& from, std::size_t size) {
    if (size > from.size()) throw store_error{"Redis answered with less than the lengths of its bodies"};
    const auto part = from.substr(0, size);
    from.remove_prefix(size);
    return part;
}

}  // namespace

task_id read_id(std::string_view bytes) {
    if (const auto id = task_id::from_bytes(bytes)) return *id;
    throw store_error{"Redis answered with an id that is not 16 bytes"};
}

reply_head read_head(reply_reader& in) {
    const auto size = in.array();
    reply_head head{.word = in.text()};
    if (size > 1 && head.word != "elsewhere") head.now = time_point{duration{in.number()}};
    return head;
}

std::vector<std::string> read_queues(const reply& from) {
    reply_reader in{from};
    std::vector<std::string> queues;
    const auto size = in.array();
    in.text();
    for (std::size_t i = 1; i < size; ++i) queues.emplace_back(in.text());
    return queues;
}

std::vector<std::size_t> read_positions(reply_reader& in) {
    std::vector<std::size_t> positions(in.array());
    for (auto& position : positions) position = static_cast<std::size_t>(in.number() - 1);
    return positions;
}

std::optional<time_point> read_time(reply_reader& in) {
    const auto digits = in.text();
    if (digits.empty()) return std::nullopt;
    return time_of(digits);
}

claim_number read_claim(reply_reader& in) { return parse<claim_number>(in.text()); }

time_point time_of_claim(claim_number claim) {
    return time_point{duration{static_cast<std::int64_t>(claim / 1000)}};
}

std::vector<claimed_task> read_claimed(reply_reader& in, claim_number claim) {
    const auto ids = in.text();
    auto lengths = in.text();
    auto bodies = in.text();
    std::vector<claimed_task> claimed(ids.size() / id_size);
    for (std::size_t at = 0; at < claimed.size(); ++at) {
        auto& task = claimed[at];
        task.id = read_id(ids.substr(at * id_size, id_size));
        task.claim = claim;
        task.body = cut(bodies, next_number(lengths));
        task.queue = queue_of(task.body);
    }
    if (!lengths.empty() || !bodies.empty()) throw store_error{"Redis answered with more bodies than ids"};
    for (auto left = in.array(); left > 1; left -= 2) {
        const auto at = static_cast<std::size_t>(in.number() - 1);
        const auto notes = in.text();
        if (at < claimed.size()) claimed[at].notes = notes;
    }
    return claimed;
}

std::optional<claimed_task> read_given(std::string_view message) {
    const auto end = message.find(' ');
    if (end == message.npos || message.size() < end + 1 + id_size) return std::nullopt;
    claimed_task task;
    task.claim = parse<claim_number>(message.substr(0, end));
    task.id = read_id(message.substr(end + 1, id_size));
    task.body = message.substr(end + 1 + id_size);
    task.queue = queue_of(task.body);
    return task;
}

incarnation read_life(std::string_view eight_bytes) {
    if (eight_bytes.size() != 8) return 0;
    return byte_reader{eight_bytes, "incarnation"}.fixed(8);
}

std::string life_bytes(incarnation life) {
    std::string bytes;
    if (life != 0) byte_writer{bytes}.fixed(life, 8);
    return bytes;
}

std::vector<task_id> read_ids(std::string_view one_text) {
    std::vector<task_id> ids;
    ids.reserve(one_text.size() / id_size);
    while (!one_text.empty()) ids.push_back(read_id(cut(one_text, id_size)));
    return ids;
}

news read_news(reply_reader& in) {
    const auto member = in.text();
    if (member.size() <= id_size)
        throw store_error{"Redis answered with news that are shorter than 17 bytes"};
    news one{.about = read_id(member.substr(0, id_size)),
             .what = static_cast<tidings>(member[id_size]),
             .token = std::string{in.text()}};
    one.more = in.number() != 0;
    one.heirs = read_ids(in.text());
    return one;
}

submit_verdict verdict_of(std::string_view word) {
    if (word == "cycle") return submit_verdict::cycle;
    if (word == "gone") return submit_verdict::gone;
    if (word == "busy" || word == "tangled") return submit_verdict::busy;
    if (word == "registering") return submit_verdict::registering;
    if (word == "duplicate") return submit_verdict::duplicate;
    if (word == "replaced") return submit_verdict::replaced;
    if (word == "rejected") return submit_verdict::rejected;
    throw store_error{"the submission was answered with the unknown word \"" + std::string{word} + '"'};
}

// As scripts/find.lua tells them.
std::vector<closed_gate> read_closed(reply_reader& in) {
    std::vector<closed_gate> all;
    for (auto left = in.array(); left > 5; left -= 6) {
        closed_gate one;
        one.limit = in.text();
        one.keyed = is_keyed(in.text());
        one.running = in.number();
        one.opens_at = read_time(in);
        if (const auto most = in.text(); !one.opens_at && !most.empty()) one.max_running = parse<int>(most);
        one.shared = !in.text().empty();
        all.push_back(std::move(one));
    }
    return all;
}

found_task read_found(reply_reader& in, const reply_head& head, const task_id& id) {
    found_task task;
    task.id = id;
    task.now = head.now;
    task.body = in.text();
    task.notes = in.text();
    const auto record = in.text();
    task.due_at = read_time(in);
    task.claim = read_claim(in);
    task.worker = in.text();
    task.stages = in.text();
    if (head.word == "ended") {
        auto over = read_record(id, 0, record);
        task.where = decode_outcome(over.outcome).ended_as;
        task.finished_at = over.finished_at;
        task.outcome = std::move(over.outcome);
    } else if (head.word == "working") {
        task.where = state::working;
        task.claimed_at = time_of_claim(task.claim);
    } else if (head.word == "waiting" || head.word == "registering") {
        task.where = state::waiting;
        task.registering = head.word == "registering";
    } else {
        task.where = head.word == "retry"     ? state::retry
                     : head.word == "delayed" ? state::delayed
                                              : state::ready;
    }
    if (!in.done()) {
        task.needs = read_ids(in.text());
        task.needed = static_cast<std::size_t>(in.number());
        task.failed = static_cast<std::size_t>(in.number());
    }
    if (!in.done()) task.closed = read_closed(in);
    return task;
}

ended_task read_record(const task_id& id, incarnation life, std::string_view record) {
    if (record.size() < stamp_size) throw store_error{"the record of an ended task is too short"};
    return {id, life, time_of(record.substr(0, stamp_size)), std::string{record.substr(stamp_size)}};
}

std::vector<ended_task> read_told(std::string_view message) {
    std::vector<ended_task> told;
    for (byte_reader in{message, "message to a watcher"}; !in.at_end();) {
        const auto id = read_id(in.take(id_size));
        const auto life = in.fixed(8);
        const auto record = in.take(in.fixed(4));
        // A long one is announced only: whoever waits asks for it.
        told.push_back(record.empty() ? ended_task{id, life, {}, {}} : read_record(id, life, record));
    }
    return told;
}

}  // namespace errand::redis
