// No reply that carries tasks grows past what a connection can take, whatever was noted of them.
#include "support/redis_fixture.hpp"
#include "support/schedule_fixture.hpp"

#include <algorithm>
#include <map>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t count = 250, noted = 40'000;
// Half a MB, and one task.
constexpr std::size_t most = 600'000;

std::size_t bytes_of(const std::vector<claimed_task>& tasks) {
    std::size_t bytes = 0;
    for (const auto& one : tasks) bytes += one.body.size() + one.notes.size();
    return bytes;
}

struct replies : redis_fixture {
    member worker = join("w");
    std::map<task_id, int> seen;

    void submit_many() {
        std::vector<submission_item> items;
        for (std::size_t i = 0; i < count; ++i) items.push_back(item_of(std::to_string(i)));
        submit_all(worker, std::move(items));
    }
    // Looks at one reply, and that its notes are those of its tasks.
    void look_at(const std::vector<claimed_task>& tasks) {
        CHECK(bytes_of(tasks) <= most);
        for (const auto& one : tasks) {
            ++seen[one.id];
            REQUIRE(one.notes.size() == noted + 16);
            CHECK(one.notes.ends_with(one.id.view()));
        }
    }
    std::string notes_of(const task_id& id) { return std::string(noted, 'n') + std::string{id.view()}; }
    long script_calls() {
        const auto all = redis({"INFO", "commandstats"});
        const std::string field = "cmdstat_evalsha:calls=";
        const auto at = all.find(field);
        return at == all.npos ? 0 : std::stol(all.substr(at + field.size()));
    }
    void expire(const claimed_task& of) { redis({"ZADD", key("leases"), "1", redis::claim_text(of.claim)}); }
};

}  // namespace

TEST_CASE("a claim carries no more notes than a reply takes, and the next ones the rest") {
    replies here;
    here.submit_many();
    auto first = here.claim(here.worker, count).claimed;
    REQUIRE(first.size() == count);
    std::vector<report> failed;
    for (const auto& one : first) {
        failed.push_back(report_of(one, report::kind::retry));
        failed.back().record = here.notes_of(one.id);
    }
    here.finish(here.worker, failed);
    CHECK(await(here.io,
                here.worker->promote(std::vector<std::string>{"default"}, 1000, outcome_of(state::expired)))
              .promoted == count);
    // One whose body is gone: the notes stay with theirs.
    here.redis({"HDEL", here.key("tasks"), std::string{first[1].id.view()}});
    for (int rounds = 0; rounds < 60 && here.seen.size() < count - 1; ++rounds)
        here.look_at(here.claim(here.worker, count).claimed);
    CHECK(here.seen.size() == count - 1);
    for (const auto& [id, times] : here.seen) CHECK(times == 1);
}

TEST_CASE(
    "a claim whose tasks do not fit into one reply is taken over in parts, each of which ends its right") {
    replies here;
    auto rescuer = here.join("rescuer");
    here.submit_many();
    const auto lost = here.claim(here.worker, count).claimed;
    REQUIRE(lost.size() == count);
    for (const auto& one : lost) await(here.io, here.worker->note(one.id, one.claim, here.notes_of(one.id)));
    here.expire(lost.front());

    const auto part = await(here.io, rescuer->recover(100, 30s));
    here.look_at(part.tasks);
    REQUIRE(part.next_end);
    CHECK(*part.next_end <= part.now);
    // What was taken over is another's; what was not is still whose it was, without a lease.
    work_call late;
    late.reports = {success_of(lost.front()), success_of(lost.back())};
    CHECK(await(here.io, here.worker->work(late)).verdicts ==
          std::vector{report_verdict::lease_lost, report_verdict::accepted});
    extend_call more;
    more.claims = {lost.front().claim};
    more.lease = 30s;
    CHECK(await(here.io, here.worker->extend(more)).lost_claims.size() == 1);

    for (int rounds = 0; rounds < 60 && here.seen.size() < count - 1; ++rounds)
        here.look_at(await(here.io, rescuer->recover(100, 30s)).tasks);
    CHECK(here.seen.size() == count - 1);
    for (const auto& [id, times] : here.seen) CHECK(times == 1);
    CHECK(await(here.io, rescuer->recover(100, 30s)).tasks.empty());
    CHECK(here.finish(here.worker, {success_of(lost.at(count - 2))}) ==
          std::vector{report_verdict::lease_lost});
}

TEST_CASE("a page of running tasks carries no more than a reply takes, and is whole all the same") {
    replies here;
    std::vector<submission_item> items;
    for (int i = 0; i < 100; ++i) {
        auto item = item_of("large " + std::to_string(i));
        auto body = decode_body(item.body);
        body.args = "[\"" + std::string(100'000, 'x') + "\"]";
        item.body = encode(body);
        items.push_back(std::move(item));
    }
    here.submit_all(here.worker, std::move(items));
    std::map<task_id, claim_number> claims;
    for (int rounds = 0; rounds < 60 && claims.size() < 100; ++rounds) {
        for (const auto& one : here.claim(here.worker, 100).claimed) claims[one.id] = one.claim;
    }
    REQUIRE(claims.size() == 100);
    // As where somebody has set it lower than it is by default: a reply beyond it closes the connection.
    const auto limit = here.redis({"CONFIG", "GET", "client-output-buffer-limit"});
    here.redis({"CONFIG", "SET", "client-output-buffer-limit", "normal 2mb 0 0 pubsub 2mb 0 0"});
    std::map<task_id, claim_number> listed;
    list_call call;
    call.of = {"", "working"};
    call.where = state::working;
    call.limit = 1000;
    for (bool more = true; more;) {
        const auto page = await(here.io, here.worker->list(call));
        for (const auto& one : page.items) {
            listed[one.task.id] = one.task.claim;
            CHECK(one.task.body.size() > 100'000);
            CHECK(one.task.worker == "w");
        }
        more = page.more;
        call.after = page.last;
    }
    here.redis({"CONFIG", "SET", "client-output-buffer-limit", limit.substr(limit.find('\n') + 1)});
    CHECK(listed == claims);
}

TEST_CASE("no reply and no request carries more schedules than it takes, and none is left out") {
    replies here;
    const auto step_to = [](int i, std::uint64_t stamp, std::optional<time_point> look) {
        const auto key = std::to_string(i);
        schedule_record record;
        record.stamp = stamp;
        record.identity = "h";
        record.key = key;
        record.run.args = "[\"" + std::string(100'000, 'x') + "\"]";
        schedule_step one{.id = derive_schedule_id("h", key), .seen = stamp - 1};
        one.record = encode(record);
        one.name = schedule_fixture::name_of(key);
        one.look_at = look;
        return one;
    };
    constexpr int schedules = 40;
    std::vector<schedule_step> steps;
    std::vector<task_id> ids;
    for (int i = 0; i < schedules; ++i) {
        steps.push_back(step_to(i, 1, time_point{duration{1 + i}}));
        ids.push_back(steps.back().id);
    }
    const auto most_of_schedules = most + steps[0].record.size();
    const auto limit = here.redis({"CONFIG", "GET", "client-output-buffer-limit"});
    here.redis({"CONFIG", "SET", "client-output-buffer-limit", "normal 2mb 0 0 pubsub 2mb 0 0"});
    const auto calls = here.script_calls();
    CHECK(await(here.io, here.worker->step_schedules(steps)) == std::vector(schedules, step_verdict::done));
    // Four MB at least, in half a MB each.
    CHECK(here.script_calls() - calls >= 7);
    CHECK(await(here.io, here.worker->find_schedules(ids)).schedules.size() == ids.size());

    std::vector<std::string> names;
    for (bool more = true; more;) {
        const auto page = await(here.io, here.worker->list_schedules(names.empty() ? "" : names.back(), 100));
        REQUIRE(page.schedules.size() <= most_of_schedules / steps[0].record.size());
        REQUIRE_FALSE(page.names.empty());
        names.insert(names.end(), page.names.begin(), page.names.end());
        more = page.more;
    }
    CHECK(std::ranges::is_sorted(names));
    CHECK(names.size() == ids.size());

    int fired = 0;
    for (;;) {
        const auto due = await(here.io, here.worker->due_schedules(100)).schedules;
        if (due.empty()) break;
        REQUIRE(due.size() <= most_of_schedules / steps[0].record.size());
        std::vector<schedule_step> next;
        for (std::size_t n = 0; n < due.size(); ++n, ++fired) {
            CHECK(due[n].id == ids.at(static_cast<std::size_t>(fired)));
            next.push_back(step_to(fired, 2, {}));
        }
        await(here.io, here.worker->step_schedules(next));
    }
    here.redis({"CONFIG", "SET", "client-output-buffer-limit", limit.substr(limit.find('\n') + 1)});
    CHECK(fired == schedules);
}
