// What piles up when those die who would take it away: lists of every length of retention, lanes, names of workers and
// resolvers that waited, watches, edges, tallies; and what outlives its task: traces of those that were deleted young, gates of a
// rate with a key each, places where passes over ended tasks were to go on. It is made by the thousand; then, while tasks run and
// an hour and a quarter of the store's time pass, a janitor has to sweep it without any script that holds up the others. One line
// of JSON; the exit code is 1 when something is left or took too long. scripts/fault --long tells of the options.
#include "app/open_store.hpp"
#include "core/gates.hpp"
#include "core/limit_rules.hpp"
#include "core/record.hpp"
#include "store/redis/script_set.hpp"
#include "support/redis_server.hpp"
#include "trial/clock_file.hpp"
#include "trial/processor_time.hpp"
#include "trial/wishes.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace {

using namespace errand;
using namespace std::chrono_literals;

constexpr std::int64_t minute_ms = 60'000;
// The trace of a task stays for an hour from its submission, the longest of all.
constexpr int minutes = 75;
// Of a script that holds up others.
constexpr double most_ms = 5;
// Of an empty store.
constexpr double memory_grown = 1.05;

// So many traces there are at most (lib_untold.lua).
constexpr std::int64_t most_traces = 100'000;

// How long results are kept is rounded up: a queue has some hundred lists of them, and counters, and no more.
//
// All of them by names of the dead, from ARGV[1] to ARGV[2]; ARGV[3]: now (ms). Passes over ended tasks (trim_oldest.lua) are each
// of another queue, one of the four ends in turn.
constexpr std::string_view make_piles = R"(
local p = 'errand:{default.0}:'
local function id(i, what) return string.sub(redis.sha1hex(what .. i), 1, 16) end
local old = string.format('%013d', ARGV[3] - 3600000)
for i = ARGV[1], ARGV[2] do
  redis.call('HSET', p .. 'lanes', 'dead:' .. i, string.format('%015d', 1) .. old .. 'x')
  redis.call('HSET', p .. 'arrived', id(i, 'a') .. '12345678', 1000)
  redis.call('SADD', p .. 'idle:default', 'dead:' .. i .. '\n30000')
  redis.call('ZADD', p .. 'outbox', '+inf', 'Rdead:' .. i)
  redis.call('HSET', p .. 'watched', id(i, 'w'), 'dead:' .. i .. '\n', id(i, 'm'), '>\n')
  redis.call('ZADD', p .. 'links', 0, 'n' .. id(i, 'c') .. id(i, 'p'), 0, 'c' .. id(i, 'p') .. id(i, 'c'),
    0, 's' .. id(i, 's') .. id(i, 'c'))
  redis.call('ZADD', p .. 'workers', ARGV[3] - 1000, 'dead:' .. i)
  redis.call('HSET', p .. 'cards', 'dead:' .. i, '{}')
  if i % 200 == 0 then
    redis.call('HSET', p .. 'counts', 's:default:' .. 1000000000 + i, 3, '-:default:' .. 1000000000 + i, 3)
  end
  if i % 10 == 0 then redis.call('HSET', p .. 'tallies', 'd' .. i % 19000, '{}') end
  local last = string.format('%.0f', i % 4 * 2 ^ 46 + ARGV[3])
  redis.call('HSET', p .. 'control', 'passed:' .. string.sub('sdcx', i % 4 + 1, i % 4 + 1) .. ':dead-' .. i,
    ARGV[3] .. ' ' .. last .. ' ' .. id(i, 'l'))
end
return 'ok')";

struct verdict {
    std::map<std::string, std::vector<double>> took;  // ms, by script
    std::map<std::string, long> most, left;           // sizes: the largest seen, and in the end
    long memory_empty = 0, memory_full = 0, memory_after = 0;
    long passes = 0;
};

class yard {
public:
    yard()
        : file_{(std::filesystem::temp_directory_path() / ("errand-piles-" + std::to_string(::getpid())))
                    .string()},
          clock_{file_},
          server_{options_of(clock_)},
          pid_{static_cast<pid_t>(told("server", "process_id:"))},
          janitor_{joined("janitor")},
          client_{joined("client")} {
        const std::vector<named_limit> limits{
            {.name = limit_of_handler("test"),
             .rule = {.max_running = 1, .rate = rate_limit{.count = 1, .per = 10min, .burst = 1}}}};
        wait_for(client_->declare_limits(limits));
    }
    ~yard() {
        janitor_->close();
        client_->close();
        io_.run_for(2s);
        std::filesystem::remove(file_);
    }
    yard(const yard&) = delete;
    yard& operator=(const yard&) = delete;

    void pile_up(std::int64_t things) {
        constexpr std::int64_t at_once = 500;
        for (std::int64_t from = 1; from <= things; from += at_once) {
            const auto to = std::min(things, from + at_once - 1);
            const auto said = server_.command({"EVAL", std::string{make_piles}, "0", std::to_string(from),
                                               std::to_string(to), std::to_string(now_ms())});
            if (said != "ok") throw std::runtime_error{"no piles: " + said};
            run_tasks(to - from + 1, from);
        }
    }

    // A minute of the store's time after the other, with some tasks in each.
    void live_on(verdict& into) {
        server_.command({"CONFIG", "SET", "slowlog-max-len", "100000"});
        constexpr std::size_t at_once = 100;  // as a worker's janitor
        // Shorter ones are not noted (us): a note of each command in a script would take longer than many of these.
        server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "200"});
        for (int minute = 0; minute < minutes; ++minute) {
            for (const auto& [name, size] : sizes()) into.most[name] = std::max(into.most[name], size);
            run_tasks(3, 1, &into);
            ++into.passes;
            while (timed(&into, janitor_->clean(at_once)) + timed(&into, janitor_->trim(1'000'000, at_once)) >
                   0) {
            }
            timed(&into, janitor_->beat("{}", 60s, {}));
            clock_.set(shift_ += minute_ms);
        }
        server_.command({"CONFIG", "SET", "slowlog-log-slower-than", "-1"});
        server_.command({"SLOWLOG", "RESET"});
    }

    std::map<std::string, long> sizes() const {
        std::map<std::string, long> all;
        const auto count = [&](const char* name, std::vector<std::string> words) {
            words.at(1) = "errand:{default.0}:" + words.at(1);
            all[name] = std::stol(server_.command(words));
        };
        count("tasks", {"HLEN", "tasks"});
        count("lanes", {"HLEN", "lanes"});
        count("arrived", {"HLEN", "arrived"});
        count("idle", {"SCARD", "idle:default"});
        count("outbox", {"ZCARD", "outbox"});
        count("watched", {"HLEN", "watched"});
        count("links", {"ZCARD", "links"});
        count("workers", {"ZCARD", "workers"});
        count("cards", {"HLEN", "cards"});
        count("counts", {"HLEN", "counts"});
        count("tallies", {"HLEN", "tallies"});
        count("histories", {"SCARD", "histories"});
        count("buried", {"ZCARD", "buried"});
        count("gates", {"HLEN", "gates"});
        count("slots", {"HLEN", "slots"});
        count("groups", {"HLEN", "groups"});
        count("held", {"ZCARD", "held"});
        count("few", {"SCARD", "few"});
        count("control", {"HLEN", "control"});
        return all;
    }

    // The least of a few looks: tables shrink by and by.
    long memory() const {
        long least = 0;
        for (int look = 0; look < 20; ++look) {
            const auto used = told("memory", "used_memory:");
            least = least == 0 ? used : std::min(least, used);
            std::this_thread::sleep_for(100ms);
        }
        return least;
    }

private:
    long told(const std::string& section, const std::string& name) const {
        const auto info = server_.command({"INFO", section});
        return std::stol(info.substr(info.find(name) + name.size()));
    }

    static test::redis_server::options options_of(const trial::clock_file& clock) {
        test::redis_server::options how;
        for (const auto& [name, value] : clock.variables()) how.environment.push_back(name + '=' + value);
        return how;
    }

    std::unique_ptr<store> joined(const std::string& name) {
        store_settings with;
        with.url = server_.url();
        with.name = name;
        with.trouble = [](std::string_view text) {
            std::fprintf(stderr, "piles: %.*s\n", static_cast<int>(text.size()), text.data());
        };
        auto made = open_store(io_, std::move(with));
        made->listen(&ear_);
        wait_for(made->open());
        return made;
    }

    template <class T>
    T wait_for(awaitable<T> what) {
        std::exception_ptr thrown;
        [[maybe_unused]] std::optional<std::conditional_t<std::is_void_v<T>, bool, T>> got;
        bool done = false;
        if constexpr (std::is_void_v<T>) {
            boost::asio::co_spawn(io_, std::move(what),
                                  [&](std::exception_ptr e) { done = true, thrown = e; });
        } else {
            boost::asio::co_spawn(io_, std::move(what), [&](std::exception_ptr e, T value) {
                done = true, thrown = e;
                got.emplace(std::move(value));
            });
        }
        if (io_.stopped()) io_.restart();
        while (!done) io_.run_one();
        if (thrown) std::rethrow_exception(thrown);
        if constexpr (!std::is_void_v<T>) return std::move(*got);
    }

    // What the scripts of this call took. Redis measures by the clock on the wall, and the machine may have let it wait meanwhile:
    // the script itself has taken no more than the server has had of a processor.
    template <class T>
    T timed(verdict* into, awaitable<T> what) {
        if (!into) return wait_for(std::move(what));
        server_.command({"SLOWLOG", "RESET"});
        const auto before = trial::processor_ms(pid_);
        if constexpr (std::is_void_v<T>) {
            wait_for(std::move(what));
            read_times(*into, trial::processor_ms(pid_) - before);
        } else {
            auto got = wait_for(std::move(what));
            read_times(*into, trial::processor_ms(pid_) - before);
            return got;
        }
    }

    std::int64_t now_ms() const {
        return std::chrono::floor<duration>(std::chrono::system_clock::now()).time_since_epoch().count() +
               shift_;
    }

    // Each of another length, half an hour at most.
    static duration retention_of(std::int64_t number) { return duration{1000 + number * 17 % 1'799'000}; }

    // One of the piles passes gates of its own, and its submitter does not know how long it will be kept: so it leaves a trace.
    std::string new_body(bool piled, std::int64_t number) {
        task_body body;
        body.queue = "default";
        body.handler = "test";
        body.args = "[]";
        body.life = static_cast<incarnation>(now_ms()) << 16U | (++bodies_ & 0xFFFFU);
        if (piled)
            body.gates = gate_of(gate_kind::both, limit_of_handler("test"), std::to_string(bodies_));
        else
            body.retention = retention_of(number);
        return encode(body);
    }

    // Those of the piles are not timed.
    void run_tasks(std::int64_t count, std::int64_t from, verdict* into = nullptr) {
        std::vector<submission_item> items;
        for (std::int64_t i = 0; i < count; ++i) {
            submission_item item;
            item.id = new_task_id(now_ms());
            item.body = new_body(!into, from + i);
            item.queue = "default";
            item.gated = !gates_of(item.body).empty();
            items.push_back(std::move(item));
        }
        timed(into, client_->submit(0, items, submit_mode::each));
        work_call call;
        call.claim = {.queues = {"default"}, .limit = items.size(), .lease = 30s};
        const auto got = timed(into, client_->work(call));
        if (got.claimed.size() != items.size())
            throw std::runtime_error{"only " + std::to_string(got.claimed.size()) + " of " +
                                     std::to_string(items.size()) + " tasks were claimed"};
        work_call over;
        for (const auto& task : got.claimed) {
            report one;
            one.id = task.id;
            one.claim = task.claim;
            one.what = report::kind::end;
            one.queue = task.queue;
            one.gated = !gates_of(task.body).empty();
            const auto number = from + static_cast<std::int64_t>(over.reports.size());
            one.retention = decode_body(task.body).retention.value_or(retention_of(number));
            task_outcome outcome;
            outcome.retention = one.retention;
            outcome.result = "1";
            one.record = encode_end(outcome, got.now, task.body);
            over.reports.push_back(std::move(one));
        }
        over.closed = {got.claimed.front().claim};
        timed(into, client_->work(over));
    }

    void read_times(verdict& into, double most) const {
        std::map<std::string, std::string> names;
        for (const auto& one : redis::all_scripts()) names[one.sha] = one.name;
        std::istringstream lines{server_.command({"SLOWLOG", "GET", "-1"})};
        std::string before, line, sha;
        while (std::getline(lines, line)) {
            if (line == "EVALSHA" && std::getline(lines, sha) && names.contains(sha))
                into.took[names[sha]].push_back(std::min(most, std::stod(before) / 1000));
            before = line;
        }
    }

    std::string file_;
    trial::clock_file clock_;
    test::redis_server server_;
    const pid_t pid_;
    boost::asio::io_context io_{1};
    store_listener ear_;
    std::int64_t shift_ = 0;
    std::uint64_t bodies_ = 0;
    std::unique_ptr<store> janitor_, client_;
};

}  // namespace

int main(int count, char** words) try {
    int status = 0;
    const auto what = trial::read_wishes(count, words, status);
    if (!what) return status;
    if (!what->piles)
        throw std::invalid_argument{
            "--long alone is tried by this program: scripts/fault knows which tries what"};
    const auto things = what->things;
    const bool untimed = what->untimed;

    yard at;
    verdict warm, found;
    // What is made once, such as the scripts themselves, is part of an empty store.
    at.pile_up(100);
    at.live_on(warm);
    found.memory_empty = at.memory();
    at.pile_up(things);
    found.memory_full = at.memory();
    at.live_on(found);
    found.memory_after = at.memory();
    found.left = at.sizes();

    bool good = true;
    boost::json::object told{{"things", things}, {"passes", found.passes}}, slow, most_seen, left;
    for (const auto& [name, times] : found.took) {
        const auto most = std::ranges::max(times);
        slow[name] = most;
        if (untimed || most <= most_ms) continue;
        good = false;
        std::fprintf(stderr, "piles: a script took %.1f ms: %s\n", most, name.c_str());
    }
    // What never piled up was not swept either.
    for (const auto* name : {"buried", "gates", "control"}) {
        if (2 * found.most[name] >= std::min(things, most_traces)) continue;
        good = false;
        std::fprintf(stderr, "piles: never more than %ld were in %s\n", found.most[name], name);
    }
    for (const auto& [name, size] : found.most) most_seen[name] = size;
    for (const auto& [name, size] : found.left) {
        left[name] = size;
        // Sentinels, and what belongs to the two that live.
        if (size <= (name == "tallies" ? 70 : name == "tasks" ? 110 : 30)) continue;
        good = false;
        std::fprintf(stderr, "piles: %ld are left in %s\n", size, name.c_str());
    }
    const auto most = static_cast<double>(found.memory_empty) * memory_grown;
    if (!untimed && static_cast<double>(found.memory_after) > most) {
        good = false;
        std::fprintf(stderr, "piles: %ld bytes are left of %ld\n", found.memory_after, found.memory_empty);
    }
    told["script_ms"] = std::move(slow);
    told["most"] = std::move(most_seen);
    told["left"] = std::move(left);
    told["memory_empty"] = found.memory_empty;
    told["memory_full"] = found.memory_full;
    told["memory_after"] = found.memory_after;
    std::printf("%s\n", boost::json::serialize(told).c_str());
    return good ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "fault: %s\n", e.what());
    return 2;
}
