// A private Redis, an io_context, and short words for what store tests do all the time.
#pragma once

#include "store/redis/redis_store.hpp"
#include "support/await.hpp"
#include "support/redis_server.hpp"

#include <set>
#include <string>
#include <vector>

namespace errand::test {

struct heard : store_listener {
    int wakes = 0;
    int reconnects = 0;
    int news = 0;
    std::vector<task_id> cancelled;
    std::vector<ended_task> ended;

    void woken() override { ++wakes; }
    void news_came() override { ++news; }
    void task_cancelled(const task_id& id) override { cancelled.push_back(id); }
    void task_ended(const ended_task& task) override { ended.push_back(task); }
    void reconnected() override { ++reconnects; }
};

// A store and what it heard. Closed with the object.
struct member {
    std::unique_ptr<store> of;
    std::unique_ptr<heard> ear = std::make_unique<heard>();
    store* operator->() const { return of.get(); }
};

struct redis_fixture {
    redis_fixture() = default;
    explicit redis_fixture(redis_server::options how) : server{std::move(how)} {}
    ~redis_fixture();

    redis_server server;
    boost::asio::io_context io{1};
    std::vector<std::string> troubles;

    store_settings settings(const std::string& name);
    member join(const std::string& name) { return join(settings(name)); }
    member join(store_settings with);

    // Each does one call and waits for it.
    submit_answer submit(member& by, submission_item item);
    std::vector<submit_answer> submit_all(member& by, std::vector<submission_item> items,
                                          submit_mode mode = submit_mode::each);
    work_answer claim(member& by, std::size_t limit, std::vector<std::string> queues = {"default"},
                      duration lease = duration{30'000});
    std::vector<report_verdict> finish(member& by, std::vector<report> reports);
    state state_of(member& by, const task_id& id);
    // The text of a key's field, as redis-cli would show it; keys by their last part.
    std::string redis(std::vector<std::string> words) const { return server.command(words); }
    std::string key(const std::string& part) const { return "errand:{default.0}:" + part; }
    std::string size_of(const std::string& part) const;

    template <class Condition>
    bool until(Condition holds) {
        return run_until(io, holds);
    }
};

submission_item item_of(const std::string& args, const std::string& queue = "default", int priority = 0);
submission_item item_with(const task_id& id, const std::string& args,
                          on_conflict conflict = on_conflict::keep);
report success_of(const claimed_task& task, duration retention = std::chrono::hours{1},
                  duration unique_for = {});
report report_of(const claimed_task& task, report::kind what, duration delay = {}, int attempts = 1);
std::string outcome_of(state ended_as, duration retention = std::chrono::hours{1});
std::string args_of(const claimed_task& task);

}  // namespace errand::test
