// Schedules at the store's seam: records of which only the front matters, and runs of them.
#pragma once

#include "core/schedule_record.hpp"
#include "support/ward.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace errand::test {

struct schedule_fixture : ward_on<store_fixture> {
    // A schedule by this key, and a run of it.
    static task_id schedule_called(const std::string& key) { return derive_schedule_id("h", key); }
    static task_id run_id(const std::string& key, int tick) {
        return derive_run_id(schedule_called(key), tick);
    }
    static std::string record_with(std::uint64_t stamp, const task_id& last_run = {}) {
        schedule_record record;
        record.stamp = stamp;
        record.last_run = last_run;
        record.identity = "h";
        return encode(record);
    }
    static std::string name_of(const std::string& key) {
        return "h\n" + key + '\n' + std::string{schedule_called(key).view()};
    }

    // From the record with stamp `seen` to one with stamp `next`; 0: there is none.
    static schedule_step step_to(const std::string& key, std::uint64_t seen, std::uint64_t next,
                                 std::optional<time_point> look = {}) {
        schedule_step one{.id = schedule_called(key), .seen = seen};
        one.name = name_of(key);
        if (next != 0) one.record = record_with(next);
        one.look_at = look;
        return one;
    }
    std::vector<step_verdict> make_all(const std::vector<schedule_step>& steps) {
        return await(io, worker->step_schedules(steps));
    }
    step_verdict make(const schedule_step& one) { return make_all({one}).at(0); }
    void declare(const std::string& key, std::optional<time_point> look = {}) {
        REQUIRE(make(step_to(key, 0, 1, look)) == step_verdict::done);
    }

    static submission_item run_of(const std::string& key, int tick, bool tells_end = false,
                                  const std::string& args = "[]") {
        auto item = item_with(run_id(key, tick), args);
        auto body = decode_body(item.body);
        body.origin =
            run_origin{.schedule = schedule_called(key), .key = key, .number = tick, .tells_end = tells_end};
        item.body = encode(body);
        return item;
    }
    // It is to be started within a millisecond.
    static void let_expire(submission_item& item) {
        auto body = decode_body(item.body);
        item.expires_after = body.expires_after = duration{1};
        item.body = encode(body);
    }
    // Makes the run, and leaves the schedule as it is.
    task_id begin(const std::string& key, int tick, bool tells_end = false) {
        auto item = run_of(key, tick, tells_end);
        CHECK(submit(worker, item).verdict == submit_verdict::accepted);
        return item.id;
    }
    void finish_all(bool tells_schedule, duration retention = std::chrono::hours{1}) {
        std::vector<report> reports;
        for (const auto& task : claim(worker, 100).claimed) {
            reports.push_back(success_of(task, retention));
            reports.back().tells_schedule = tells_schedule;
        }
        finish(worker, std::move(reports));
    }

    kept_schedule kept(const std::string& key) {
        const std::vector ids{schedule_called(key)};
        return await(io, worker->find_schedules(ids)).schedules.at(0);
    }
    std::uint64_t stamp_of(const std::string& key) {
        const auto there = kept(key).record;
        return there.empty() ? 0 : decode_schedule(there).stamp;
    }
    schedules_answer due(member& by, std::size_t limit = 100) { return await(io, by->due_schedules(limit)); }
    news_answer news_of(member& by, duration lease = std::chrono::seconds{60}) {
        return await(io, by->take_news(100, lease));
    }
    // Which schedules hear of which runs.
    using told = std::vector<std::pair<task_id, task_id>>;
    told told_of_runs(duration lease = std::chrono::seconds{60}) {
        told all;
        for (const auto& one : news_of(worker, lease).entries) {
            CHECK(one.what == tidings::ran);
            CHECK_FALSE(one.more);
            REQUIRE(one.heirs.size() == 1);
            all.emplace_back(one.about, one.heirs[0]);
        }
        return all;
    }
    static told only(const std::string& key, int tick) { return {{schedule_called(key), run_id(key, tick)}}; }
};

}  // namespace errand::test
