// Where the trial takes place: a private store, workers and producers in processes of their own, and the journal that all
// write.
#pragma once

#include <errand/app.hpp>

#include "fault/journal.hpp"
#include "fault/program.hpp"
#include "trial/chronicle.hpp"
#include "trial/clock_file.hpp"
#include "trial/ground.hpp"
#include "trial/lot.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace trial {

using dice = std::minstd_rand;
using clock = std::chrono::steady_clock;
using errand::test::program;
using errand::test::tcp_gate;

int between(int from, int to, dice& random);
std::int64_t ms_now();

struct terms {
    bool embedded = false;  // on a SQLite file
    bool mounted = true;    // which lies on a small file system of its own, if this user may mount one
    bool lone = false;      // one worker and one producer, no connection is cut, and nothing helps at the end
    bool replicated = false;    // with a replica, to fail over to
    bool confirmed = true;      // a change counts when the replica has it
    bool every_second = false;  // what was written in the last second is lost with Redis
    std::size_t shards = 1;     // each on a server of its own
    // Servers that choose by themselves who leads: the shards are spread over a cluster, or one is where a Sentinel says.
    enum class guard : std::uint8_t { none, cluster, sentinel } guarded = guard::none;
    std::chrono::milliseconds longest_outage{10'000};  // of one of several servers
    bool lots = true;                                  // workers die at a step drawn for them
    bool schedules = true;                             // producers declare some
    bool limits = true;                                // and submit tasks under them
    std::size_t workers = 4, producers = 3;
    std::size_t older = 1;              // of the workers: of a program that lacks a handler
    int per_second = 150;               // submissions of each producer
    std::chrono::seconds patience{90};  // what takes longer at the end will not happen
    std::string hand = "hand";          // the program of workers and producers
};

inline constexpr std::chrono::milliseconds lease{1000};

struct worker {
    way to;
    std::optional<clock_file> clock{};
    std::unique_ptr<program> one{};
    step lot = step::none;
    bool frozen = false;
    bool leaving = false;  // was told to stop
    bool older = false;    // of a program that lacks a handler
    std::int64_t clock_shift = 0;
};

struct producer_seat {
    way to;
    std::optional<clock_file> clock{};
    std::unique_ptr<program> one{};
    int generation = 0;
};

class site {
public:
    site(terms what, unsigned seed);

    void start();
    // Starts again what has died, does what is due, carries out the lots that need the trial's hand.
    void tend();
    // Ends the load, mends all that is broken, and waits until nothing is left to be done, or patience is over.
    void finish();

    void later(std::chrono::milliseconds delay, std::function<void()> what);
    void count(const std::string& fault) { ++faults[fault]; }
    // The store is not to be reckoned with for so long.
    void storm(std::chrono::milliseconds length);
    // One of its shards was not to be reckoned with, and will not be for a moment.
    void miss(std::size_t shard, std::int64_t from);
    // Tends for so long, or until what happens is over.
    void go_on_for(std::chrono::milliseconds length);
    void calm_down();
    bool is_calm() const;
    // Nothing is left to be done.
    bool is_idle() { return unfinished() == 0; }

    void start_worker(worker& at, bool with_lot = true);
    // Whether workers die by their lots: all are killed, and begin anew so.
    void draw_lots(bool wanted);
    void kill_worker(worker& at);
    // It stands still for so long; counted as this when it goes on.
    void freeze_worker(worker& at, std::chrono::milliseconds length, const char* name);
    void dismiss_worker(worker& at);
    void start_producer(std::size_t at);
    worker* any_worker(dice& random);
    void shift_store_clock(std::int64_t ms);
    std::string file(const std::string& name) const { return (ground_->folder() / name).string(); }
    fault_test::journal& book() { return *book_; }
    // What the trial itself has submitted.
    void note_accepted(const std::string& id) const;
    ground& store() { return *ground_; }
    // Looks at the store, past the gates. Valid until look_anew().
    errand::app& app();
    void look_anew() { app_.reset(); }
    // Copies journal and logs to where they outlive the trial; where that is.
    std::string keep() const;

    const terms how;
    dice random;
    std::vector<std::unique_ptr<worker>> workers;
    std::vector<std::unique_ptr<producer_seat>> producers;
    std::map<std::string, int> faults;
    chronicle happened;
    std::vector<std::string> complaints;  // what no fault explains
    std::size_t left_over = 0;            // tasks that had not ended when patience was over

private:
    // What it adds to the environment of a process that goes by a clock so far off from the machine's.
    void give_clock(std::optional<clock_file>& to, std::int64_t off,
                    std::map<std::string, std::string>& variables);
    void tend_worker(worker& at);
    void carry_out_held();
    void kill_reported(worker& at, const std::string& task);
    std::size_t unfinished();

    const std::unique_ptr<ground> ground_;
    const std::shared_ptr<std::atomic<std::int64_t>> store_shift_ =
        std::make_shared<std::atomic<std::int64_t>>(0);
    std::unique_ptr<fault_test::journal> book_;
    std::unique_ptr<errand::app> app_;
    bool lots_ = true;        // as far as it has some
    std::size_t clocks_ = 0;  // of workers
    std::size_t seen_ = 0;    // entries of the journal
    std::vector<std::pair<clock::time_point, std::function<void()>>> due_;
};

}  // namespace trial
