// The records of a store, sealed and opened.
#include <errand/error.hpp>

#include "core/bundles.hpp"
#include "core/gates.hpp"
#include "core/schedule_record.hpp"
#include "core/sealed_records.hpp"
#include "core/stage_record.hpp"
#include "runtime/stored_info.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace std::chrono_literals;

namespace {

const task_id id_of_this = derive_task_id("h", "mine");
const task_id id_of_other = derive_task_id("h", "yours");
const std::string secret_text = "anna@example.org";

std::shared_ptr<const sealing> sealing_of(std::vector<encryption_key> keys) {
    return std::make_shared<const sealing>(encryption{.keys = std::move(keys)});
}

sealed_records records_sealed_by(const std::string& key = "k1") {
    return {sealing_of({{key, std::string(32, key.back())}}), "shop"};
}

bool shows_secret(std::string_view bytes) { return bytes.find(secret_text) != bytes.npos; }

task_body body_with_secret() {
    task_body body;
    body.priority = 3;
    body.life = 0x1122334455667788;
    body.queue = "mail";
    body.handler = "send";
    body.args = "[\"" + secret_text + "\"]";
    return body;
}

task_body body_with_all() {
    auto body = body_with_secret();
    body.biz_id = "order 7";
    body.timeout = 90s;
    body.max_retry = 3;
    body.expires_after = 24h;
    body.policy_expires = true;
    body.retention = 0ms;
    body.policy_retains = true;
    body.due_at = time_point{1'763'000'000'123ms};
    body.headers = {{"trace", "abc"}, {"user", ""}};
    body.tags = {"a", "b"};
    return body;
}

task_body body_after_others() {
    auto body = body_with_all();
    body.after = {id_of_other, id_of_this};
    body.takes_result = true;
    return body;
}

task_body body_of_run() {
    auto body = body_with_all();
    body.origin = run_origin{
        .schedule = derive_schedule_id("send", "nightly"), .key = "nightly", .number = 4, .tells_end = true};
    return body;
}

task_body with_limits(task_body body) {
    body.gates = gate_of(gate_kind::running, "crm-api", "") + gate_of(gate_kind::running, "crm-api", "x");
    return body;
}

task_notes notes_with_secret() {
    task_notes notes;
    notes.attempts = 2;
    notes.progress = 0.5;
    notes.progress_text = "half of " + secret_text;
    notes.errors = {
        {1, time_point{7ms}, "std::runtime_error", "no route to " + secret_text, time_point{6ms}, "w:1"},
        {2, time_point{8ms}, "std::runtime_error", "", {}, {}}};
    notes.log = {"one", "wrote to " + secret_text};
    notes.flow.emplace();
    notes.flow->stage = "paid";
    notes.flow->content = "{\"to\":\"" + secret_text + "\"}";
    flow_run made;
    made.claim = 7;
    made.error = "lost " + secret_text;
    notes.flow->runs.push_back(made);
    return notes;
}

}  // namespace

TEST_CASE("where a body has its arguments is found in bodies of every kind") {
    const auto body =
        GENERATE(body_with_secret(), body_with_all(), body_after_others(), body_of_run(),
                 with_limits(body_with_all()), with_limits(body_after_others()), with_limits(body_of_run()));
    const auto encoded = encode(body);
    const auto in = errand::args_of(encoded);
    CHECK(in.handler == body.handler);
    CHECK(in.args == body.args);
    CHECK(in.schedule.has_value() == body.origin.has_value());
    if (body.origin) CHECK(in.schedule == body.origin->schedule);
    auto other = body;
    other.args = "[1]";
    CHECK(with_args(encoded, in, "[1]") == encode(other));
    // Cut off anywhere it is read as the whole record is.
    const auto read = [](auto&& how) -> std::optional<std::string> {
        try {
            return std::string{how()};
        } catch (const bad_data&) {
            return std::nullopt;
        }
    };
    for (std::size_t size = 0; size < encoded.size(); ++size) {
        const auto cut = std::string_view{encoded}.substr(0, size);
        CHECK(read([&] { return errand::args_of(cut).args; }) == read([&] { return decode_body(cut).args; }));
    }
}

TEST_CASE("a body's arguments are sealed, and all else of it is as it was") {
    const auto r = records_sealed_by();
    const auto body = GENERATE(body_with_secret(), body_with_all(), body_after_others(), body_of_run(),
                               with_limits(body_with_all()), with_limits(body_of_run()));
    const auto encoded = encode(body);
    const auto sealed = r.seal_body(id_of_this, encoded);
    CHECK(shows_secret(encoded));
    CHECK_FALSE(shows_secret(sealed));
    CHECK(key_of_body(sealed) == "k1");
    CHECK(key_of_body(encoded).empty());
    // Scripts read these.
    CHECK(incarnation_of(sealed) == body.life);
    CHECK(priority_of(sealed) == body.priority);
    CHECK(gates_of(sealed) == body.gates);
    CHECK(schedule_of(sealed) == schedule_of(encoded));
    CHECK(tells_end(sealed) == tells_end(encoded));
    auto seen = decode_body(sealed);
    CHECK(seen.args != body.args);
    seen.args = body.args;
    CHECK(seen == body);
    CHECK(r.open_body(id_of_this, sealed) == encoded);
    CHECK(r.open_body(id_of_this, encoded) == encoded);
}

TEST_CASE("arguments do not open with another task or handler, and those of a run with its schedule") {
    const auto r = records_sealed_by();
    const auto sealed = r.seal_body(id_of_this, encode(body_with_all()));
    CHECK(r.open_body(id_of_other, sealed) == sealed);
    auto renamed = decode_body(sealed);
    renamed.handler = "pay";
    CHECK(r.open_body(id_of_this, encode(renamed)) == encode(renamed));

    // Whoever fires a schedule copies what stands there, whether he can read it or not.
    const auto body = body_of_run();
    const auto& schedule = body.origin->schedule;
    schedule_record record;
    record.identity = "send";
    record.key = "nightly";
    record.timing.interval = 1h;
    record.run = body_with_secret();
    record.declared_args = record.run.args;
    const auto kept = r.seal_schedule(schedule, encode(record));
    CHECK_FALSE(shows_secret(kept));
    CHECK(decode_schedule(r.open_schedule(schedule, kept)) == record);
    auto fired = body;
    fired.args = decode_schedule(kept).run.args;
    CHECK(decode_body(r.open_body(id_of_this, encode(fired))).args == record.run.args);
    CHECK(r.open_schedule(derive_schedule_id("send", "other"), kept) == kept);
    // In the first of several shards it is the same one.
    CHECK(decode_schedule(r.open_schedule(in_first_shard(schedule), kept)) == record);
    // What a run has set may be another.
    record.run.args = "[\"" + secret_text + "\",2]";
    CHECK(decode_schedule(r.open_schedule(schedule, r.seal_schedule(schedule, encode(record)))) == record);
}

TEST_CASE("a change that leaves the arguments leaves them as they are sealed, unless there is a newer key") {
    const auto r = records_sealed_by();
    const auto before = encode(body_with_all());
    const auto sealed = r.seal_body(id_of_this, before);
    auto other = body_with_all();
    other.priority = 9;
    const auto moved = r.seal_change(id_of_this, encode(other), before, sealed);
    CHECK(errand::args_of(moved).args == errand::args_of(sealed).args);
    CHECK(priority_of(moved) == 9);
    CHECK(r.open_body(id_of_this, moved) == encode(other));

    const sealed_records newer{sealing_of({{"k2", std::string(32, '2')}, {"k1", std::string(32, '1')}}),
                               "shop"};
    const auto anew = newer.seal_change(id_of_this, encode(other), before, sealed);
    CHECK(key_of_body(anew) == "k2");
    CHECK(newer.open_body(id_of_this, anew) == encode(other));

    other.args = "[\"" + secret_text + "\",2]";
    const auto changed = r.seal_change(id_of_this, encode(other), before, sealed);
    CHECK_FALSE(shows_secret(changed));
    CHECK(r.open_body(id_of_this, changed) == encode(other));
    // Of a task that was submitted before there were keys.
    CHECK_FALSE(shows_secret(r.seal_change(id_of_this, before, before, before)));
}

TEST_CASE("a group's argument is errand's own and stays") {
    auto body = body_with_secret();
    body.handler = std::string{group_handler};
    body.args = "[1]";
    CHECK(records_sealed_by().seal_body(id_of_this, encode(body)) == encode(body));
}

TEST_CASE("texts of notes are sealed together, and numbers and names are as they were") {
    const auto r = records_sealed_by();
    const auto notes = notes_with_secret();
    const auto encoded = encode(notes);
    const auto sealed = r.seal_notes(id_of_this, encoded);
    CHECK(shows_secret(encoded));
    CHECK_FALSE(shows_secret(sealed));
    CHECK(sealed.find("one") == sealed.npos);
    const auto seen = decode_notes(sealed);
    CHECK(seen.attempts == 2);
    CHECK(seen.progress == 0.5);
    CHECK(seen.errors.size() == 2);
    CHECK(seen.errors[0].type == "std::runtime_error");
    CHECK(seen.errors[0].worker == "w:1");
    CHECK(seen.log.size() == 2);
    CHECK(seen.flow->stage == "paid");
    CHECK(r.open_notes(id_of_this, sealed) == encoded);
    CHECK(r.open_notes(id_of_this, encoded) == encoded);
    CHECK(r.open_notes(id_of_other, sealed) != encoded);
    CHECK(r.seal_notes(id_of_this, "").empty());
    task_notes three;
    three.attempts = 3;
    const auto blank = encode(three);
    CHECK(r.seal_notes(id_of_this, blank) == blank);
}

TEST_CASE("who has no key adds to notes, and what was sealed before is there for who has it") {
    const auto r = records_sealed_by();
    const auto other = records_sealed_by("k2");
    auto notes =
        decode_notes(other.open_notes(id_of_this, r.seal_notes(id_of_this, encode(notes_with_secret()))));
    CHECK_FALSE(notes.sealed.empty());
    notes.errors.erase(notes.errors.begin() + 1);
    notes.errors.push_back({3, time_point{9ms}, "std::runtime_error", "again " + secret_text, {}, {}});
    const auto both = other.seal_notes(id_of_this, encode(notes));
    CHECK_FALSE(shows_secret(both));
    auto shown = decode_notes(other.open_notes(id_of_this, both));
    CHECK(shown.errors.back().message == "again " + secret_text);
    name_what_is_sealed(shown);
    CHECK(shown.errors.front().message == "(encrypted)");
    CHECK(shown.progress_text == "(encrypted)");
    CHECK(shown.log == std::vector<std::string>{"(encrypted)", "(encrypted)"});

    const auto first = decode_notes(r.open_notes(id_of_this, both));
    CHECK(first.errors.front().message == "no route to " + secret_text);
    CHECK(first.log == notes_with_secret().log);
    CHECK(read_sealed(first.errors.back().message)->key == "k2");
    const sealed_records all{sealing_of({{"k3", std::string(32, '3')},
                                         {"k1", std::string(32, '1')},
                                         {"k2", std::string(32, '2')}}),
                             "shop"};
    const auto whole = decode_notes(all.open_notes(id_of_this, both));
    CHECK(whole.sealed.empty());
    CHECK(whole.errors.front().message == "no route to " + secret_text);
    CHECK(whole.errors.back().message == "again " + secret_text);
}

TEST_CASE("an end is sealed with its result, its notes and its body") {
    const auto r = records_sealed_by();
    task_outcome outcome;
    outcome.retention = 1h;
    outcome.attempts = 1;
    outcome.worker = "w:1";
    outcome.result = "{\"to\":\"" + secret_text + "\"}";
    outcome.notes = notes_with_secret();
    const auto body = body_of_run();
    // It is of the schedule, and opens where that is known.
    outcome.notes->wish.args = "[\"" + secret_text + "\"]";
    const auto encoded = encode_end(outcome, time_point{1'763'000'000'000ms}, encode(body));
    const auto sealed = r.seal_end(id_of_this, encoded);
    CHECK_FALSE(shows_secret(sealed));
    const auto parts = split_end(sealed);
    CHECK(parts.finished_at == time_point{1'763'000'000'000ms});
    CHECK(r.open_body(id_of_this, parts.body) == encode(body));
    CHECK(r.open_outcome(id_of_this, parts.outcome, parts.body) == encode(outcome));
    CHECK(decode_outcome(parts.outcome).worker == "w:1");
    const auto elsewhere = decode_outcome(r.open_outcome(id_of_other, parts.outcome, parts.body));
    CHECK(read_sealed(elsewhere.result));

    task_outcome group;
    group.result = std::string{group_result_mark};
    CHECK(r.seal_outcome(id_of_this, encode(group), {}) == encode(group));
    task_outcome nothing;
    CHECK(decode_outcome(r.seal_outcome(id_of_this, encode(nothing), {})).result.empty());
}

TEST_CASE("results of stages are sealed, each by its name") {
    const auto r = records_sealed_by();
    const stage_record first{"charge", 1, time_point{5ms}, 6ms, "\"" + secret_text + "\""};
    const stage_record second{"mail", 2, time_point{7ms}, 8ms, ""};
    const auto sealed = r.seal_stage(id_of_this, encode(first));
    CHECK_FALSE(shows_secret(sealed));
    const std::string life(8, '\7');
    const auto kept = life + sealed + r.seal_stage(id_of_this, encode(second));
    CHECK(r.open_stages(id_of_this, kept) == life + encode(first) + encode(second));
    CHECK(r.open_stages(id_of_other, kept) == kept);
    CHECK(r.open_stages(id_of_this, "").empty());
    // In the place of another stage.
    auto moved = decode_stages(life + sealed, 0x0707070707070707).at(0);
    moved.name = "refund";
    CHECK(r.open_stages(id_of_this, life + encode(moved)) == life + encode(moved));
}

TEST_CASE("a carrier's body is sealed where an item brings it") {
    const auto r = records_sealed_by();
    joining one;
    one.key = std::string(16, 'k');
    one.carrier = id_of_other;
    one.max_size = 10;
    one.carrier_body = encode(body_with_secret());
    const auto sealed = r.seal_joining(encode(one));
    CHECK_FALSE(shows_secret(sealed));
    const auto back = decode_joining(sealed);
    CHECK(back.key == one.key);
    CHECK(r.open_body(id_of_other, back.carrier_body) == one.carrier_body);
}

TEST_CASE("bytes that are no record stay as they are") {
    const auto r = records_sealed_by();
    for (const std::string bytes : {"\1", "hello", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
        CHECK(r.seal_body(id_of_this, bytes) == bytes);
        CHECK(r.open_body(id_of_this, bytes) == bytes);
        CHECK(r.open_notes(id_of_this, bytes) == bytes);
        CHECK(r.open_outcome(id_of_this, bytes, {}) == bytes);
        CHECK(r.open_stages(id_of_this, bytes) == bytes);
        CHECK(r.open_schedule(id_of_this, bytes) == bytes);
    }
}

TEST_CASE("a task whose key is not here waits, and one that was changed is of no use to anybody") {
    const auto keys = sealing_of({{"k1", std::string(32, '1')}});
    const auto r = records_sealed_by();
    const auto body = decode_body(r.seal_body(id_of_this, encode(body_with_secret())));
    CHECK(why_locked(nullptr, body, {}) ==
          "args: encrypted with the key k1, which this program does not have");
    CHECK_FALSE(why_locked(nullptr, body_with_secret(), {}));
    CHECK_THROWS_AS(why_locked(keys.get(), body, {}), bad_data);
    // What a flow has come to takes the place of its argument.
    const auto notes = decode_notes(r.seal_notes(id_of_this, encode(notes_with_secret())));
    CHECK(why_locked(nullptr, body_with_secret(), notes));
    CHECK_FALSE(why_locked(nullptr, body, notes_with_secret()));
}

TEST_CASE("of a flow it is its content that can be read or not") {
    const auto notes = decode_notes(records_sealed_by().seal_notes(id_of_this, encode(notes_with_secret())));
    const auto hidden = info_of(id_of_this, body_with_secret(), notes);
    CHECK(hidden.unreadable);
    CHECK(hidden.encrypted_with == "k1");
    CHECK(hidden.errors.at(0).message == "(encrypted)");
    const auto body = decode_body(records_sealed_by().seal_body(id_of_this, encode(body_with_secret())));
    CHECK(info_of(id_of_this, body, {}).unreadable);
    const auto readable = info_of(id_of_this, body, notes_with_secret());
    CHECK_FALSE(readable.unreadable);
    CHECK(readable.args.at(0).at("to") == boost::json::value(secret_text));
}
