// A store of the kind that the tests run on, an io_context, and short words for what store tests do all the time.
#pragma once

#include "support/await.hpp"
#include "support/backing.hpp"

#include <set>
#include <string>
#include <vector>

namespace errand::test {

struct heard : store_listener {
    int wakes = 0;
    int reconnects = 0;
    int news = 0;
    int asides = 0;
    int schedules = 0;
    int settings = 0;
    std::vector<task_id> cancelled;
    std::vector<task_id> may_run;
    std::vector<ended_task> ended;
    std::vector<claimed_task> given;

    void woken() override { ++wakes; }
    void task_given(claimed_task task) override { given.push_back(std::move(task)); }
    void news_came() override { ++news; }
    void stands_aside() override { ++asides; }
    void schedules_changed() override { ++schedules; }
    void settings_changed() override { ++settings; }
    void task_cancelled(const task_id& id) override { cancelled.push_back(id); }
    void may_go_on(const task_id& id) override { may_run.push_back(id); }
    void task_ended(const ended_task& task) override { ended.push_back(task); }
    void reconnected() override { ++reconnects; }
};

std::shared_ptr<const sealing> sealing_of_tests(const std::string& keys = keys_of_tests);

// A store and what it heard. Closed with the object.
struct member {
    std::unique_ptr<store> of;
    std::unique_ptr<heard> ear = std::make_unique<heard>();
    store* operator->() const { return of.get(); }
};

struct store_fixture {
    explicit store_fixture(std::unique_ptr<backing> on = make_backing()) : behind{std::move(on)} {}
    ~store_fixture();
    store_fixture(const store_fixture&) = delete;
    store_fixture& operator=(const store_fixture&) = delete;

    std::unique_ptr<backing> behind;
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
    // Each of them under a claim of its own.
    work_answer claim_apart(member& by, std::size_t limit, std::vector<std::string> queues = {"default"},
                            duration lease = std::chrono::hours{1});
    std::vector<report_verdict> finish(member& by, std::vector<report> reports);
    state state_of(member& by, const task_id& id);
    queue_state queue_of(member& by, const std::string& queue = "default");
    // Whether so many things of this kind are kept; true where nobody can look.
    bool keeps(const std::string& part, long count) const;

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
