// scripts/fault --outbox: orders and receipts under fire. Every committed order has exactly one receipt in the end, no
// order that was rolled back has one.
#include "outbox_trial/shop.hpp"
#include "support/database_server.hpp"
#include "support/redis_server.hpp"
#include "support/self_process.hpp"
#include "trial/wishes.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

using namespace outbox_trial;
using namespace std::chrono_literals;
using errand::test::end_self;
using errand::test::start_self;
using steady = std::chrono::steady_clock;

// How long a server that was killed is away: long enough for a delivery to be refused meanwhile.
constexpr auto outage = 200ms;

constexpr auto name_space = "trial";
// Tasks are kept in the shop's own file, and committed with its orders.
constexpr std::string_view inside = "sqlite-inside";
constexpr std::array steps{"before commit", "committed", "delivered", "struck", ""};

struct site {
    std::string database, store;
    std::unique_ptr<errand::test::database_server> server;  // null: a file
    std::unique_ptr<errand::test::redis_server> redis;      // null: tasks are kept in the database
    std::filesystem::path rolled_back;                      // see shop_plan
    std::mt19937 chance;
    std::map<std::string, int> faults;
    std::int64_t next = 1;
    pid_t worker = -1;

    void hire() { worker = start_self({"worker", database, store, name_space}); }

    // A shop works until it is done or dies at its step.
    void open_shop() {
        const std::string step = steps.at(chance() % steps.size());
        constexpr int orders = 60;
        const auto pid =
            start_self({"shop", database, store, name_space, std::to_string(next), std::to_string(orders),
                        step, std::to_string(1 + chance() % 12), rolled_back.string()});
        next += orders;
        if (redis && chance() % 5 == 0) restart_store();
        if (server && chance() % 5 == 0) restart_database();
        int status = 0;
        ::waitpid(pid, &status, 0);
        if (WIFSIGNALED(status)) ++faults["shop killed: " + step];
        if (chance() % 4 == 0) {
            end_self(worker, SIGKILL);
            ++faults["worker killed"];
            hire();
        }
    }

    void restart_database() {
        server->kill();
        std::this_thread::sleep_for(outage);
        server->restart();
        ++faults["database restarted"];
    }

    void restart_store() {
        redis->kill();
        std::this_thread::sleep_for(outage);
        redis->restart();
        ++faults["store restarted"];
    }
};

std::int64_t number(errand::app& app, errand::database& db, const std::string& sql) {
    return app.block_on(db.query<std::int64_t>(sql)).at(0);
}

struct calm {
    bool settled = false;
    // Times that the worker, which had room, left something ready for longer than its lease and 6 s.
    int late_starts = 0;
};

// Until nothing is under way any more. The worker is alone and nothing strikes it: what it does not hear of stays.
calm settle(errand::app& app, errand::database& db) {
    calm found;
    const auto starts_within = app.settings().lease + 6s;
    const auto until = steady::now() + 120s;
    auto last_look = steady::now();
    steady::duration left_alone{};
    while (steady::now() < until) {
        std::size_t open = 0, ready = 0, working = 0;
        for (const auto& queue : app.block_on(app.inspect().queues())) {
            for (const auto state : {errand::state::ready, errand::state::delayed, errand::state::retry,
                                     errand::state::working, errand::state::waiting})
                open += queue.count(state);
            ready += queue.count(errand::state::ready);
            working += queue.count(errand::state::working);
        }
        found.settled = open == 0 && number(app, db, "SELECT count(*) FROM errand_outbox") == 0;
        if (found.settled) break;
        // Where the machine stood still nobody could have begun anything.
        left_alone +=
            std::min<steady::duration>(steady::now() - std::exchange(last_look, steady::now()), 500ms);
        if (ready == 0 || working > 0) left_alone = {};
        if (left_alone > starts_within) {
            ++found.late_starts;
            left_alone = {};
        }
        std::this_thread::sleep_for(100ms);
    }
    return found;
}

// How many accepted receipts contradict the orders: none, too many, or of an order that is not there.
std::int64_t wrong_tasks(errand::app& app, errand::database& db, std::int64_t& receipts, std::int64_t& dead) {
    std::map<std::int64_t, int> accepted;
    for (const auto state : {errand::state::success, errand::state::dead}) {
        std::string after;
        do {
            auto page = app.block_on(app.inspect().list({.state = state}, after, 1000));
            for (const auto& task : page.tasks) {
                ++accepted[task.args.at(0).to_number<std::int64_t>()];
                ++receipts;
                if (state == errand::state::dead) ++dead;
            }
            after = page.next;
        } while (!after.empty());
    }
    std::int64_t wrong = 0;
    for (const auto id : app.block_on(db.query<std::int64_t>("SELECT id FROM orders"))) {
        const auto at = accepted.find(id);
        if (at == accepted.end() || at->second != 1 || is_rolled_back(id)) ++wrong;
        if (at != accepted.end()) accepted.erase(at);
    }
    return wrong + static_cast<std::int64_t>(accepted.size());
}

int judge(site& of, int seconds) {
    errand::app app{settings_of(of.store, name_space)};
    const auto db = open(app, of.database);
    const auto rest = settle(app, *db);
    std::int64_t receipts = 0, dead = 0;
    auto wrong = wrong_tasks(app, *db, receipts, dead);
    // Their own writes, guarded by once().
    wrong +=
        number(app, *db,
               "SELECT count(*) FROM (SELECT o.id FROM orders o LEFT JOIN receipts r ON r.order_id = o.id "
               "GROUP BY o.id HAVING count(r.order_id) <> 1) x");
    wrong += number(app, *db, "SELECT count(*) FROM receipts WHERE order_id NOT IN (SELECT id FROM orders)");
    const auto committed = number(app, *db, "SELECT count(*) FROM orders");
    const auto rolled_back = static_cast<std::int64_t>(std::filesystem::file_size(of.rolled_back));
    // What is left are those whose process died on the way, or whose database or store was away.
    const auto cut_off = of.next - 1 - committed - rolled_back;
    boost::json::object faults;
    for (const auto& [name, count] : of.faults) faults[name] = count;
    const boost::json::object verdict{{"seconds", seconds},
                                      {"committed", committed},
                                      {"rolled_back", rolled_back},
                                      {"cut_off", cut_off},
                                      {"receipts", receipts},
                                      {"dead", dead},
                                      {"wrong", wrong},
                                      {"settled", rest.settled},
                                      {"late_starts", rest.late_starts},
                                      {"faults", std::move(faults)}};
    std::cout << boost::json::serialize(verdict) << '\n';
    return wrong == 0 && rest.settled && rest.late_starts == 0 && committed > 0 ? 0 : 1;
}

// A database of that kind, which survives a power failure.
void furnish(site& of, const std::string& kind, const std::filesystem::path& folder) {
    of.rolled_back = folder / "rolled_back";
    std::ofstream{of.rolled_back};
    if (kind == "sqlite" || kind == inside)
        of.database = "sqlite://" + (folder / "shop.db").string() + "?synchronous=normal";
    if (kind == inside) {
        of.store = of.database;
        return;
    }
    of.redis = std::make_unique<errand::test::redis_server>(errand::test::redis_server::options{.append_only =
                                                                                                    true});
    of.store = of.redis->url();
    if (kind == "sqlite") return;
    of.server = errand::test::make_database_server(kind, {.durable = true});
    of.database = of.server->url(of.server->make_database());
}

int run_trial(const std::string& kind, int seconds, unsigned seed) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("errand-outbox-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    int verdict = 1;
    {
        site here;
        here.chance.seed(seed);
        furnish(here, kind, folder);
        {
            errand::app app{settings_of(here.store, name_space)};
            const auto db = open(app, here.database);
            app.block_on(make_tables(*db));
        }
        here.hire();
        const auto until = steady::now() + std::chrono::seconds{seconds};
        while (steady::now() < until) here.open_shop();
        verdict = judge(here, seconds);
        end_self(here.worker, SIGTERM);
    }
    std::filesystem::remove_all(folder);
    return verdict;
}

}  // namespace

int main(int count, char** words) try {
    const std::vector<std::string> given(words + 1, words + count);
    if (given.size() == 4 && given[0] == "worker") return run_worker(given[1], given[2], given[3]);
    if (given.size() == 9 && given[0] == "shop") {
        return run_shop({given[1], given[2], given[3], std::stoll(given[4]), std::stoi(given[5]), given[6],
                         std::stoi(given[7]), given[8]});
    }
    int status = 0;
    const auto what = trial::read_wishes(count, words, status);
    if (!what) return status;
    if (what->outbox.empty()) {
        std::cerr
            << "fault: --outbox names the database of the shop: sqlite, sqlite-inside, postgres or mysql\n";
        return 2;
    }
    return run_trial(what->outbox, what->seconds, what->seed);
} catch (const std::exception& e) {
    std::cerr << "fault: " << e.what() << '\n';
    return 2;
}
