#include <errand/error.hpp>

#include "core/gates.hpp"
#include "outbox/entry.hpp"
#include "sql/sql_time.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace errand;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

submission_item full_item() {
    task_body body;
    body.priority = 7;
    body.life = 123456789ULL << 16U;
    body.queue = "mail";
    body.handler = "send";
    body.args = R"(["ä\u0000",{"a":1}])";
    body.biz_id = "order 7";
    body.timeout = 5s;
    body.max_retry = 3;
    body.expires_after = 1h;
    body.retention = 2h;
    body.due_at = time_point{99s};
    body.headers = {{"trace", "x"}};
    body.tags = {"a", "b"};
    body.after = {new_task_id(1), new_task_id(2)};
    body.rule = on_failed::run;
    submission_item item;
    item.id = derive_task_id("send", "order 7");
    item.body = encode(body);
    item.queue = body.queue;
    item.priority = body.priority;
    item.at = body.due_at;
    item.expires_after = body.expires_after;
    item.conflict = on_conflict::adopt;
    item.after = {{body.after[0], true}, {body.after[1], false}};
    item.rule = body.rule;
    return item;
}

// What outbox.take selects of what outbox.row inserts.
std::vector<sql::value> selected(const std::vector<sql::value>& row) {
    return {row[1], row[2], std::int64_t{1500}, row[3], row[4], row[8], row[9], row[10], row[11], row[12]};
}

}  // namespace

TEST_CASE("a row of the outbox gives back the submission, byte for byte") {
    const auto item = full_item();
    std::vector<sql::value> row;
    append_row(row, "shop", {.batch = "batch-1", .place = 4, .item = item});
    REQUIRE(row.size() == outbox_columns);
    CHECK(std::get<std::string>(row[12]) == R"(["ä\u0000",{"a":1}])");
    const auto got = read_row(selected(row));
    CHECK(got.batch == "batch-1");
    CHECK(got.place == 4);
    CHECK(got.age == 1500ms);
    CHECK(got.item.id == item.id);
    CHECK(got.life == incarnation_of(item.body));
    CHECK(got.item.body == item.body);
    CHECK(got.item.queue == item.queue);
    CHECK(got.item.priority == item.priority);
    CHECK(got.item.at == item.at);
    CHECK_FALSE(got.item.delay);
    CHECK(got.item.expires_after == item.expires_after);
    CHECK(got.item.conflict == item.conflict);
    CHECK(got.item.rule == item.rule);
    REQUIRE(got.item.after.size() == 2);
    CHECK(got.item.after[0].id == item.after[0].id);
    CHECK(got.item.after[0].accepted);
    CHECK_FALSE(got.item.after[1].accepted);
}

TEST_CASE("a row of a task with gates has them in its head, and gives them back at the end of the body") {
    auto item = full_item();
    auto body = decode_body(item.body);
    body.gates = gate_of(gate_kind::both, "handler:send", "") + gate_of(gate_kind::both, "crm-api", "");
    item.body = encode(body);
    std::vector<sql::value> row;
    append_row(row, "shop", {.batch = "batch-1", .place = 4, .item = item});
    CHECK(std::get<std::string>(row[12]) == R"(["ä\u0000",{"a":1}])");
    const auto got = read_row(selected(row));
    CHECK(got.item.body == item.body);
    CHECK(got.item.gated);
    CHECK(decode_body(got.item.body) == body);
}

TEST_CASE("a row of the outbox gives back the schedule that is declared, byte for byte") {
    schedule_record declared;
    declared.identity = declared.run.handler = "send";
    declared.key = "daily";
    declared.timing = {.cron = "0 8 * * *", .timezone = "Asia/Shanghai"};
    declared.state = schedule_state::paused;
    declared.declared_at = time_point{99s};
    declared.run.queue = "mail";
    declared.run.args = R"(["ä",{"a":1}])";
    const outbox_entry entry{.batch = "batch-1", .place = 2, .schedule = encode(declared)};
    std::vector<sql::value> row;
    append_row(row, "shop", entry);
    REQUIRE(row.size() == outbox_columns);
    CHECK(std::get<std::string>(row[4]) == to_text(derive_schedule_id("send", "daily")));
    CHECK(std::get<std::string>(row[5]) == "send");
    CHECK(std::get<std::string>(row[6]) == "mail");
    CHECK(std::get<std::string>(row[12]) == declared.run.args);
    const std::vector got{read_row(selected(row))};
    CHECK(got[0].place == 2);
    CHECK(decode_schedule(got[0].schedule) == declared);
    // The store remembers deliveries of tasks alone.
    CHECK(delivered_tasks(got).empty());
    declared.run.gates = gate_of(gate_kind::both, "handler:send", "");
    std::vector<sql::value> gated;
    append_row(gated, "shop", {.batch = "batch-1", .place = 2, .schedule = encode(declared)});
    CHECK(decode_schedule(read_row(selected(gated)).schedule) == declared);
    auto odd = selected(row);
    odd[4] = to_text(derive_schedule_id("send", "weekly"));
    CHECK_THROWS_AS(read_row(odd), bad_data);
}

TEST_CASE("a row of what is encrypted says nothing of it, and gives back what was submitted or declared") {
    const sealed_records by{
        std::make_shared<const sealing>(encryption{.keys = {{"k1", std::string(32, 'x')}}}), "shop"};
    outbox_entry entry{.batch = "batch-1", .place = 4, .item = full_item()};
    std::vector<sql::value> row;
    append_row(row, "shop", sealed_entry(entry, by));
    CHECK(std::get<std::string>(row[12]).starts_with(R"(["errand.sealed.1:k1:)"));
    auto got = read_row(selected(row));
    CHECK(got.item.body != entry.item.body);
    open_entry(got, by);
    CHECK(got.item.body == entry.item.body);

    schedule_record declared;
    declared.identity = declared.run.handler = "send";
    declared.key = "daily";
    declared.run.args = declared.declared_args = R"(["anna@example.org"])";
    entry = {.batch = "batch-1", .place = 5, .schedule = encode(declared)};
    entry.item.id = derive_schedule_id("send", "daily");
    std::vector<sql::value> other;
    append_row(other, "shop", sealed_entry(entry, by));
    CHECK(std::get<std::string>(other[12]).starts_with(R"(["errand.sealed.1:k1:)"));
    const auto& head = std::get<sql::bytes>(other[11]);
    const std::string_view written{reinterpret_cast<const char*>(head.data()), head.size()};
    CHECK(written.find("anna") == written.npos);
    auto read = read_row(selected(other));
    open_entry(read, by);
    CHECK(decode_schedule(read.schedule) == declared);
}

TEST_CASE("a row that this version cannot read is refused by its place") {
    std::vector<sql::value> row;
    append_row(row, "shop", {.batch = "batch-1", .place = 4, .item = full_item()});
    auto newer = selected(row);
    newer[3] = std::int64_t{3};
    CHECK_THROWS_WITH(read_row(newer),
                      ContainsSubstring("batch batch-1, place 4") && ContainsSubstring("format 3"));
    auto odd = selected(row);
    odd[6] = std::string{"swallow"};
    CHECK_THROWS_AS(read_row(odd), bad_data);
    auto torn = selected(row);
    torn[8] = sql::bytes{};
    CHECK_THROWS_AS(read_row(torn), bad_data);
}

TEST_CASE("rows are struck off by batch and place") {
    std::vector<outbox_entry> rows(3);
    const std::int64_t places[] = {0, 3, 0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].batch = i < 2 ? "a" : "b";
        rows[i].place = places[i];
    }
    CHECK(places_of(rows) == R"([["a",0],["a",3],["b",0]])");
    CHECK(places_of({}) == "[]");
}

TEST_CASE("times are read as databases print them") {
    CHECK(sql_time_text(1'763'700'000'123) == "2025-11-21 04:40:00.123");
    CHECK(parse_sql_time("2025-11-21 04:40:00.123") == 1'763'700'000'123);
    CHECK(parse_sql_time("2025-11-21T04:40:00.123456Z") == 1'763'700'000'123);
    CHECK(parse_sql_time("2025-11-21 06:40:00.123+02") == 1'763'700'000'123);
    CHECK(parse_sql_time("2025-11-20 23:10:00.123-05:30") == 1'763'700'000'123);
    CHECK(parse_sql_time("1970-01-02") == 86'400'000);
    CHECK(parse_sql_time("1969-12-31 23:59:59.999") == -1);
    for (const auto* bad :
         {"", "2025", "2025-13-01", "2025-02-30", "2025-01-01 x", "2025-01-01 10:00:00 UTC"})
        CHECK_FALSE(parse_sql_time(bad));
}
