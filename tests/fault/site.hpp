// A plan carried out by processes of their own on a private Redis, with everything that can go wrong, and what the
// ledger says of it in the end.
#pragma once

#include "fault/fleet.hpp"
#include "fault/ledger.hpp"
#include "fault/plan.hpp"
#include "fault/stones.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace fault_test {

struct dangers {
    std::chrono::milliseconds between_kills = burst;  // of a worker, now and then of a submitter
    int redis_restarts = 0;
    bool submitters_only = false;
};

class site {
public:
    // `ordered`: whether the submitters say what depends on what. They begin at once.
    site(plan what, errand::test::redis_server::options redis, bool ordered = true);

    // Kills and restarts until the time is over and all is submitted.
    void burn(std::chrono::seconds length, dangers what, dice& random);
    // The tasks that were refused because they would have closed a cycle.
    std::set<std::string> refused();
    // Submits these again, without what they depended on.
    void submit_freely(const std::set<std::string>& ids);
    // How many of the plan's tasks are in this state.
    std::size_t count(errand::state where);
    // From now on what was broken is whole; revives those tasks, evenly within `length`. From any thread, beside burn().
    // How many were not dead.
    std::size_t mend(std::chrono::seconds length);
    const std::vector<std::vector<planned>>& lists() const noexcept { return plan_; }
    std::string id_of(const std::string& key) { return app_.handler<lays_stone>().ref(key).id(); }
    // Waits for all tasks and judges; those refused need not wait for any other. CHECKs that the store knows no other end.
    judgement audit();
    void print(const std::string& of, const judgement& found) const;

    fleet all;

private:
    using stone_handle = errand::handle<stone>;

    void start_worker(std::size_t place);
    void start_submitter(std::size_t by);
    bool all_submitted();
    void kill_one(bool submitters_only, dice& random);
    std::map<std::string, stone> results(const std::vector<std::string>& ids);
    errand::awaitable<std::map<std::string, stone>> wait_for(std::vector<std::string> ids);
    void tell_of(const std::string& id);

    const plan plan_;
    const bool ordered_;
    const errand::time_point begin_;
    errand::app app_;
    std::vector<errand::test::program*> workers_;
    std::vector<std::unique_ptr<errand::test::program>> submitters_;
    std::set<pid_t> killed_;
    std::size_t submitters_killed_ = 0;
    std::size_t interrupted_ = 0;
    int restarts_ = 0;
};

}  // namespace fault_test
