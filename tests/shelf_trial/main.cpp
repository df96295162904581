// scripts/fault --shelf: tasks that wait in a database, under fire. Each that was accepted runs, once and not before its time, and
// what was cancelled there does not.
#include "shelf_trial/yard.hpp"
#include "support/database_server.hpp"
#include "support/redis_server.hpp"
#include "support/self_process.hpp"
#include "trial/wishes.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using namespace shelf_trial;
using namespace std::chrono_literals;
using errand::test::end_self;
using errand::test::start_self;
using steady = std::chrono::steady_clock;

// How long a server that was killed is away: a database for longer than it takes that what was brought from it has run.
constexpr auto outage = 200ms, long_outage = 1700ms;
constexpr int tasks_of_a_clerk = 60;

struct site {
    place in;
    std::unique_ptr<errand::test::database_server> server;  // null: a file
    std::unique_ptr<errand::test::redis_server> redis;
    std::mt19937 chance;
    std::map<std::string, int> faults;
    std::int64_t next = 1;
    std::vector<pid_t> workers;

    pid_t hire() const { return start_self({"worker", in.shelf, in.store, in.journal}); }
    bool one_in(unsigned so_many) { return chance() % so_many == 0; }
    void wait_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds{chance() % 400}); }

    // A clerk works until he is done or killed, and something falls over meanwhile.
    void send_clerk() {
        const auto pid = start_self({"clerk", in.shelf, in.store, in.journal, std::to_string(next),
                                     std::to_string(tasks_of_a_clerk)});
        next += tasks_of_a_clerk;
        wait_a_little();
        if (one_in(3)) {
            ::kill(pid, SIGKILL);
            ++faults["clerk killed"];
        }
        if (one_in(4)) restart(*redis, outage, "store restarted");
        if (server && one_in(3)) restart(*server, one_in(2) ? outage : long_outage, "shelf restarted");
        int status = 0;
        ::waitpid(pid, &status, 0);
        for (auto& worker : workers) {
            if (!one_in(3)) continue;
            wait_a_little();
            end_self(worker, SIGKILL);
            ++faults["worker killed"];
            worker = hire();
        }
    }

    void restart(auto& what, std::chrono::milliseconds away, const char* name) {
        what.kill();
        std::this_thread::sleep_for(away);
        what.restart();
        ++faults[name];
    }
};

// Until nothing is under way any more.
bool settle(errand::app& app) {
    const auto until = steady::now() + 120s;
    while (steady::now() < until) {
        auto open = app.block_on(app.inspect().shelf())->tasks;
        for (const auto& queue : app.block_on(app.inspect().queues())) {
            for (const auto state :
                 {errand::state::ready, errand::state::delayed, errand::state::retry, errand::state::working})
                open += queue.count(state);
        }
        if (open == 0) return true;
        std::this_thread::sleep_for(100ms);
    }
    return false;
}

int judge(site& of, int seconds) {
    errand::app app{settings_of(of.in)};
    const bool settled = settle(app);
    std::set<std::int64_t> accepted, left, cancelled, ran;
    std::map<std::int64_t, int> first_attempts;
    std::int64_t early = 0, after_cancel = 0, lost = 0, twice = 0, shelved = 0;
    std::ifstream lines{of.in.journal};
    char what = 0;
    std::int64_t number = 0, attempt = 0, late = 0;
    while (lines >> what >> number >> attempt >> late) {
        if (what == journal::accepted) accepted.insert(number);
        if (what == journal::to_be_cancelled) left.insert(number);
        if (what == journal::cancelled) cancelled.insert(number);
        if (what == journal::shelved) ++shelved;
        if (what != journal::ran) continue;
        ran.insert(number);
        // A worker that dies takes an attempt along.
        if (attempt == 1) ++first_attempts[number];
        if (late < 0) ++early;
        if (cancelled.contains(number)) ++after_cancel;
    }
    for (const auto one : accepted) lost += ran.contains(one) || left.contains(one) ? 0 : 1;
    for (const auto& [one, times] : first_attempts) twice += times > 1 ? 1 : 0;
    boost::json::object faults, violated;
    for (const auto& [name, count] : of.faults) faults[name] = count;
    for (const auto& [name, count] :
         {std::pair{"lost", lost}, std::pair{"accepted_twice", twice}, std::pair{"early", early},
          std::pair{"ran_though_cancelled", after_cancel}, std::pair{"stuck", std::int64_t{!settled}}}) {
        if (count > 0) violated[name] = count;
    }
    const bool any = !violated.empty();
    const boost::json::object verdict{
        {"seconds", seconds},         {"accepted", accepted.size()},   {"ran", ran.size()},
        {"shelved", shelved},         {"cancelled", cancelled.size()}, {"violated", std::move(violated)},
        {"faults", std::move(faults)}};
    std::cout << boost::json::serialize(verdict) << '\n';
    // All goes well where nothing went to the shelf and nothing failed.
    const bool tried =
        !accepted.empty() && !cancelled.empty() && !ran.empty() && shelved > 0 && !of.faults.empty();
    if (!tried)
        std::cerr << "fault: too little happened to be judged: let it run for longer with --seconds\n";
    return tried && !any ? 0 : 1;
}

int run_trial(const std::string& kind, int seconds, unsigned seed) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("errand-shelf-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    int verdict = 1;
    {
        site here;
        here.chance.seed(seed);
        here.redis = std::make_unique<errand::test::redis_server>(errand::test::redis_server::options{
            .append_only = true});
        here.in = {.shelf = "sqlite://" + (folder / "shelf.db").string() + "?synchronous=normal",
                   .store = here.redis->url(),
                   .journal = (folder / "journal").string()};
        if (kind != "sqlite") {
            here.server = errand::test::make_database_server(kind, {.durable = true});
            here.in.shelf = here.server->url(here.server->make_database());
        }
        here.workers = {here.hire(), here.hire()};
        const auto until = steady::now() + std::chrono::seconds{seconds};
        while (steady::now() < until) here.send_clerk();
        verdict = judge(here, seconds);
        for (const auto worker : here.workers) end_self(worker, SIGTERM);
    }
    std::filesystem::remove_all(folder);
    return verdict;
}

}  // namespace

int main(int count, char** words) try {
    const std::vector<std::string> given(words + 1, words + count);
    if (given.size() == 4 && given[0] == "worker") return run_worker({given[1], given[2], given[3]});
    if (given.size() == 6 && given[0] == "clerk")
        return run_clerk({given[1], given[2], given[3]}, std::stoll(given[4]), std::stoi(given[5]));
    int status = 0;
    const auto what = trial::read_wishes(count, words, status);
    if (!what) return status;
    if (what->shelf.empty()) {
        std::cerr << "fault: --shelf names the database of the shelf: sqlite, postgres or mysql\n";
        return 2;
    }
    return run_trial(what->shelf, what->seconds, what->seed);
} catch (const std::exception& e) {
    std::cerr << "fault: " << e.what() << '\n';
    return 2;
}
