#include <errand/error.hpp>

#include "core/gates.hpp"
#include "core/hex.hpp"
#include "core/record.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace errand;

namespace {

task_body gated_body(std::string gates) {
    task_body body;
    body.priority = 9;
    body.life = 77;
    body.queue = "mail";
    body.handler = "send";
    body.args = R"(["x"])";
    body.gates = std::move(gates);
    return body;
}

}  // namespace

TEST_CASE("a gate is its kind, its limit and its key, each where scripts look for it") {
    const auto gate = gate_of(gate_kind::running, "handler:send", "tenant 7");
    REQUIRE(gate.size() == gate_width);
    CHECK(gate[0] == 'm');
    CHECK(gate.substr(1, 8) == limit_number("handler:send"));
    CHECK(gate.substr(9) != std::string(8, '\0'));
    CHECK(gate != gate_of(gate_kind::running, "handler:send", "tenant 8"));
    CHECK(gate_of(gate_kind::starts, "crm-api", "").substr(9) == std::string(8, '\0'));
    // The first 8 bytes of SHA-256: of "abc" as FIPS 180-4 has it.
    CHECK(to_hex(limit_number("abc")) == "ba7816bf8f01cfea");
}

TEST_CASE("gates stand at the end of a body, which comes back as it was") {
    const auto one = gate_of(gate_kind::both, "handler:send", "");
    const auto two = one + gate_of(gate_kind::both, "crm-api", "");
    for (const auto& gates : {one, two}) {
        const auto body = gated_body(gates);
        const auto bytes = encode(body);
        CHECK(static_cast<std::size_t>(bytes.back()) == gates.size() / gate_width);
        CHECK(static_cast<unsigned char>(bytes[task_body::priority_offset]) == (9 | task_body::gated_bit));
        CHECK(priority_of(bytes) == 9);
        CHECK(gates_of(bytes) == gates);
        CHECK(decode_body(bytes) == body);
        CHECK(incarnation_of(bytes) == 77);
    }
}

TEST_CASE("a body without gates is what it always was") {
    const auto bytes = encode(gated_body(""));
    CHECK(bytes.ends_with(R"(["x"])"));
    CHECK(gates_of(bytes).empty());
    CHECK(priority_of(bytes) == 9);
    CHECK(decode_body(bytes).gates.empty());
}

TEST_CASE("a schedule's run tells its schedule before its gates") {
    auto body = gated_body(gate_of(gate_kind::both, "handler:send", ""));
    for (const bool tells : {false, true}) {
        body.origin = run_origin{.schedule = derive_task_id("s", "1"), .key = "k", .tells_end = tells};
        const auto bytes = encode(body);
        CHECK(schedule_of(bytes) == body.origin->schedule);
        CHECK(tells_end(bytes) == tells);
        CHECK(decode_body(bytes) == body);
    }
}

TEST_CASE("what a run asks of its schedule has the gates of its arguments") {
    task_notes notes;
    notes.wish.args = "[1]";
    notes.wish.gates = gate_of(gate_kind::running, "handler:send", "anna");
    CHECK(decode_notes(encode(notes)).wish == notes.wish);
}

TEST_CASE("a body whose gates are cut off is bad data") {
    const auto bytes = encode(gated_body(gate_of(gate_kind::both, "handler:send", "")));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto part = bytes.substr(0, size);
        CHECK_NOTHROW(gates_of(part));
        CHECK_NOTHROW(schedule_of(part));
        CHECK_NOTHROW(tells_end(part));
    }
    CHECK_THROWS_AS(decode_body(bytes.substr(0, 24)), bad_data);
}

TEST_CASE("a group is told by queue and gates, as scripts of Redis compute it") {
    const auto gates = gate_of(gate_kind::both, "handler:send", "");
    CHECK(group_of("mail", gates).size() == 16);
    CHECK(group_of("mail", gates) != group_of("post", gates));
    // SHA-1 of "abc\n", as any tool has it.
    CHECK(group_of("abc", "") == "03cfd743661f0797");
}
