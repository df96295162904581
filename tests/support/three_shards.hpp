// An app on three shards, and what tests of them submit.
#pragma once

#include <errand/errand.hpp>

#include "store/shards/routes.hpp"
#include "support/await.hpp"
#include "support/redis_fixture.hpp"
#include "support/shards.hpp"
#include "support/test_app.hpp"

#include <algorithm>
#include <atomic>

namespace shards_test {

inline std::atomic<bool> broken{false};

struct step {
    errand::test::test_journal& journal;
    explicit step(errand::test::test_journal& j) : journal{j} {}
    errand::awaitable<std::string> perform(std::string name) {
        if (broken && name.starts_with("fragile")) throw std::runtime_error{"broken"};
        journal.add(name);
        co_return name;
    }
    static std::string biz_id(const std::string& name) { return name; }
};

// Without a biz_id: it comes once.
struct once {
    errand::test::test_journal& journal;
    explicit once(errand::test::test_journal& j) : journal{j} {}
    errand::awaitable<std::string> perform(std::string name) {
        journal.add(name);
        co_return name;
    }
};

struct picky {
    errand::awaitable<void> perform(std::string) { co_return; }
    static std::string biz_id(const std::string& name) { return name; }
};

}  // namespace shards_test

ERRAND_HANDLER(shards_test::step, .max_retry = 0)
ERRAND_HANDLER(shards_test::once, .max_retry = 0)
ERRAND_HANDLER(shards_test::picky, .on_duplicate = errand::reject)

namespace shards_test {

inline constexpr std::size_t shards = 3;
using step_handle = errand::handle<std::string>;

inline errand::config three_shards() {
    auto settings = errand::test::fresh_settings();
    settings.shards = shards;
    return settings;
}

inline errand::task_id id_of(const std::string& text) { return errand::parse_task_id(text).value(); }
inline std::size_t shard_of(const std::string& id) { return errand::shards::shard_of(id_of(id), shards); }

struct bench : errand::test::test_app {
    explicit bench(errand::config with = three_shards()) : test_app{std::move(with)} { broken = false; }

    errand::dependency ref(const std::string& name) { return app.handler<step>().ref(name); }
    // A name whose task this shard keeps.
    std::string on(std::size_t shard, const std::string& stem) {
        for (int i = 0;; ++i) {
            auto name = stem + '.' + std::to_string(i);
            if (errand::shards::shard_of(id_of(ref(name).id()), app.settings().shards) == shard) return name;
        }
    }
    step_handle submit(const std::string& name, errand::options how = {}) {
        return run(app.handler<step>().with(std::move(how)).perform_async(name));
    }
    step_handle submit_after(const std::string& name, const std::vector<std::string>& parents,
                             errand::options how = {}) {
        for (const auto& one : parents) how.after.push_back(ref(one));
        return submit(name, std::move(how));
    }
    void ends_as(const step_handle& h, errand::state wanted) {
        errand::test::eventually([&] { return info(h).state == wanted; });
    }
    std::vector<std::string> lines() {
        std::lock_guard lock{journal.guard};
        return journal.lines;
    }
    // The only place at which it stands; -1 for none, -2 for several.
    std::ptrdiff_t place(const std::string& name) {
        const auto all = lines();
        const auto n = std::ranges::count(all, name);
        return n == 1 ? std::ranges::find(all, name) - all.begin() : (n == 0 ? -1 : -2);
    }
    bool any_news() {
        for (std::size_t at = 0; at < shards; ++at) {
            const auto key = errand::test::shard_key(app.settings(), "outbox", at);
            if (errand::test::shared_redis().command({"ZCOUNT", key, "-inf", "(inf"}) != "0") return true;
        }
        return false;
    }
    std::string key(const std::string& part, const std::string& id) {
        return errand::test::shard_key(app.settings(), part, shard_of(id));
    }
};

// As its submitter would, up to where it dies.
inline errand::submission_item stored(const std::string& name, const errand::task_id& id,
                                      const errand::task_id& parent) {
    errand::task_body body;
    body.queue = "default";
    body.handler = "shards_test::step";
    body.args = "[\"" + name + "\"]";
    body.biz_id = name;
    body.life = 1;
    body.after = {parent};
    errand::submission_item item;
    item.id = id;
    item.after = {{parent, false}};
    item.body = errand::encode(body);
    item.queue = body.queue;
    return item;
}

// As a worker: also what a handler of its program would not do.
struct helper : errand::test::second_store {
    explicit helper(const errand::config& settings) : second_store{settings, "helper"} {}

    // The one task that is ready is dead; nobody has told who depends on it.
    void kill_next() {
        errand::work_call claim;
        claim.claim = {{"default"}, 1, std::chrono::seconds{30}};
        const auto got = errand::test::await(io, of->work(claim));
        const auto& task = got.claimed.at(0);
        errand::task_outcome outcome;
        outcome.ended_as = errand::state::dead;
        outcome.retention = std::chrono::hours{1};
        auto end = errand::test::report_of(task, errand::report::kind::end);
        end.retention = outcome.retention;
        end.record = errand::encode_end(
            outcome,
            errand::time_point{std::chrono::floor<errand::duration>(std::chrono::system_clock::now())},
            task.body);
        errand::work_call finish;
        finish.reports = {std::move(end)};
        finish.closed = {task.claim};
        errand::test::await(io, of->work(finish));
    }
};

}  // namespace shards_test
