// A private Redis, or a SQLite file in its folder, with workers in processes of their own, the app of a submitter, and the count at the end.
#pragma once

#include "fault/journal.hpp"
#include "fault/program.hpp"
#include "fault/tasks.hpp"
#include "support/redis_server.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fault_test {

using namespace std::chrono_literals;

// Nothing here takes this long; what does has failed.
inline constexpr std::chrono::seconds patience{60};

// How long tests that take as long as one likes are under fire: ERRAND_FAULT_SECONDS, or 12.
int seconds_of_fire();

void eventually(const std::function<bool()>& condition);

using stay_handle = errand::handle<stay>;
using variables = std::map<std::string, std::string>;

struct fleet {
    // `runs`: the program whose role `work` the workers are.
    explicit fleet(errand::test::redis_server::options how = {}, std::string runs = "courier")
        : server{std::move(how)}, program_name{std::move(runs)} {}

    // The variables go before those that all workers have.
    errand::test::program& start_worker(variables more = {});
    // The same, and waits until it works.
    errand::test::program& worker(variables more = {});
    std::unique_ptr<errand::test::program> submitter(std::size_t orders, const std::string& prefix,
                                                     std::size_t per_second);
    // It stands, and not in the middle of a write: that would keep all others from a SQLite file.
    void freeze(const errand::test::program& one) const;
    std::string output_of_submitter(const std::string& prefix) const;
    // Of the store that the tests run on.
    std::string url() const;
    errand::config settings(std::string store = {}) const;
    std::string file(const std::string& name) const { return (server.folder() / name).string(); }

    // Waits for all results and for what live workers still have to say, counts, and CHECKs that each task
    // has ended once, with the result of one of its attempts, and that no attempt is unaccounted for.
    tally audit(errand::app& app, const std::vector<stay_handle>& handles,
                const std::set<pid_t>& killed = {});
    // The half of it that needs no handles: executions and doubled.
    void count_executions(tally& all, const std::set<pid_t>& killed);
    // Tasks that the store holds as ended.
    std::size_t ended_in_store() const;

    errand::test::redis_server server;
    const std::string program_name;
    journal book{file("journal")};
    std::vector<std::unique_ptr<errand::test::program>> workers;
};

// Submits tasks numbered from `first`, `count` of them, each of this length.
std::vector<stay_handle> submit(errand::app& app, int first, int count, errand::duration length,
                                bool heeds = true);

}  // namespace fault_test
