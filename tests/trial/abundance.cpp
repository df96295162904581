#include "trial/abundance.hpp"

#include "app/open_store.hpp"
#include "core/attempt_figures.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <span>
#include <stdexcept>
#include <utility>

namespace trial {

using namespace errand;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t handlers = 300;
constexpr std::size_t at_once = 500;
constexpr std::int64_t queues_of_a_worker = 20;
constexpr std::size_t tasks_in_hand = 10;
constexpr auto kept_for = std::chrono::hours{24 * 180};
constexpr auto alive_for = std::chrono::hours{24};
constexpr auto leased_for = std::chrono::hours{24};

// Days that are over, and minutes, each with all counters: ARGV[1] of these, ARGV[2] of those.
constexpr std::string_view make_days = R"(
local p = 'errand:{default.0}:'
local flat, totals = redis.call('HGETALL', p .. 'counts'), {}
for i = 1, #flat, 2 do
  if not string.find(flat[i], '^[q~]') then totals[flat[i]] = flat[i + 1] end
end
local text, now = cjson.encode(totals), redis.call('TIME')[1]
local day, minute = math.floor(now / 86400), math.floor(now / 60)
for i = 1, ARGV[1] do redis.call('HSET', p .. 'tallies', 'd' .. day - i, text) end
for i = 0, ARGV[2] - 1 do
  redis.call('HSET', p .. 'tallies', 'm' .. (minute - i) % 60, string.format('%.0f', minute - i) .. ' ' .. text)
end
return #text)";

std::int64_t now_ms() {
    return std::chrono::floor<duration>(std::chrono::system_clock::now()).time_since_epoch().count();
}

std::string card_of(const std::vector<std::string>& queues, const std::vector<std::string>& of_handlers) {
    const auto listed = [](const std::vector<std::string>& all) {
        std::string text;
        for (const auto& one : all) text += (text.empty() ? "[\"" : "\", \"") + one;
        return text + "\"]";
    };
    return R"({"host": "machine", "pid": 4711, "version": "0.9.0", "queues": )" + listed(queues) +
           R"(, "handlers": )" + listed(of_handlers) + R"(, "started": )" + std::to_string(now_ms()) +
           R"(, "concurrency": 16, "stopping": 0, "blocking": []})";
}

}  // namespace

// Of the tasks of a queue: six of ten have succeeded, some are dead, are tried again or wait for their time, the rest for a worker.
struct abundance::share {
    explicit share(std::int64_t count)
        : success{count * 60 / 100},
          dead{std::max<std::int64_t>(count * 2 / 100, 1)},
          retry{count / 100},
          delayed{count * 12 / 100},
          ready{std::max<std::int64_t>(count - success - dead - retry - delayed, 1)} {}

    std::int64_t success, dead, retry, delayed, ready;
};

abundance::abundance(const amounts& of) : of_{of}, client_{joined("filler")} {
    for (std::int64_t queue = 0; queue < of.queues; ++queue) {
        fill_queue(queue, of.tasks / of.queues);
        if (queue % 500 == 499)
            std::fprintf(stderr, "console: %lld of %lld queues\n", static_cast<long long>(queue + 1),
                         static_cast<long long>(of.queues));
    }
    for (std::int64_t worker = 0; worker < of.workers; ++worker) add_worker(worker);
    add_figures();
    add_days();
}

abundance::~abundance() {
    client_->close();
    io_.run_for(2s);
}

std::unique_ptr<store> abundance::joined(const std::string& name) {
    store_settings with;
    with.url = server_.url();
    with.name = name;
    with.trouble = [](std::string_view text) {
        std::fprintf(stderr, "console: %.*s\n", static_cast<int>(text.size()), text.data());
    };
    auto made = open_store(io_, std::move(with));
    made->listen(&ear_);
    wait_for(made->open());
    return made;
}

template <class T>
T abundance::wait_for(awaitable<T> what) {
    auto got = boost::asio::co_spawn(io_, std::move(what), boost::asio::use_future);
    if (io_.stopped()) io_.restart();
    while (got.wait_for(0s) != std::future_status::ready) io_.run_one();
    return got.get();
}

pid_t abundance::server_pid() const { return static_cast<pid_t>(told("server", "process_id:")); }

long abundance::told(const std::string& section, const std::string& name) const {
    const auto info = server_.command({"INFO", section});
    return std::stol(info.substr(info.find(name) + name.size()));
}

std::string abundance::queue(std::int64_t number) const {
    return "queue-" + std::to_string(number % of_.queues);
}

std::string abundance::handler(std::int64_t number) const {
    return "handler-" + std::to_string(number % handlers);
}

std::vector<submission_item> abundance::items(std::int64_t of_queue, std::int64_t count, bool delayed) const {
    std::vector<submission_item> all;
    for (std::int64_t i = 0; i < count; ++i) {
        submission_item one;
        one.id = new_task_id(now_ms());
        one.queue = queue(of_queue);
        task_body body;
        body.queue = one.queue;
        body.handler = handler(of_queue);
        body.args = R"([4711, "somebody@example.com"])";
        body.life = static_cast<incarnation>(now_ms()) << 16U | static_cast<incarnation>(i & 0xFFFF);
        if (delayed) one.delay = std::chrono::hours{1 + i % 700};
        one.body = encode(body);
        all.push_back(std::move(one));
    }
    return all;
}

std::vector<claimed_task> abundance::claim(store& by, const std::vector<std::string>& queues,
                                           std::size_t count, duration lease) {
    work_call call;
    call.claim = {.queues = queues, .limit = count, .lease = lease};
    auto got = wait_for(by.work(call));
    return std::move(got.claimed);
}

report abundance::end_of(const claimed_task& task, const share& of) {
    const auto number = ended_++ % (of.success + of.dead + of.retry);
    const time_point now{duration{now_ms()}};
    report one;
    one.id = task.id;
    one.claim = task.claim;
    one.queue = task.queue;
    task_notes notes;
    notes.attempts = 1;
    notes.errors = {{.attempt = 1,
                     .at = now,
                     .type = "std::runtime_error",
                     .message = "no route to 10.0.0." + std::to_string(number % 255) + " (kind " +
                                static_cast<char>('a' + ended_ % 20) + ')'}};
    if (number < of.retry) {
        one.what = report::kind::retry;
        one.delay = std::chrono::hours{1 + number % 700};
        one.record = encode(notes);
        return one;
    }
    task_outcome outcome;
    outcome.retention = one.retention = kept_for;
    outcome.attempts = 1;
    outcome.worker = "machine:4711:00000000";
    if (number < of.retry + of.dead) {
        outcome.ended_as = one.ended_as = state::dead;
        outcome.notes = notes;
        dead_task_ = to_text(task.id);
    } else {
        outcome.result = "42";
    }
    one.record = encode_end(outcome, now, task.body);
    return one;
}

void abundance::end_tasks(std::int64_t queue_number, const share& of) {
    for (auto left = of.success + of.dead + of.retry; left > 0;) {
        const auto some = std::min(left, static_cast<std::int64_t>(at_once));
        wait_for(client_->submit(0, items(queue_number, some), submit_mode::each));
        const auto got = claim(*client_, {queue(queue_number)}, static_cast<std::size_t>(some), 1min);
        if (got.empty()) throw std::runtime_error{"nothing of what was submitted is claimed"};
        work_call over;
        for (const auto& task : got) over.reports.push_back(end_of(task, of));
        over.closed = {got.front().claim};
        wait_for(client_->work(over));
        left -= static_cast<std::int64_t>(got.size());
    }
}

void abundance::fill_queue(std::int64_t queue_number, std::int64_t count) {
    const share of{count};
    end_tasks(queue_number, of);
    const auto submit = [&](std::int64_t all, bool delayed) {
        for (auto left = all; left > 0; left -= static_cast<std::int64_t>(at_once)) {
            const auto some = std::min(left, static_cast<std::int64_t>(at_once));
            wait_for(client_->submit(0, items(queue_number, some, delayed), submit_mode::each));
        }
    };
    submit(of.delayed, true);
    submit(of.ready, false);
}

// It stays where it is: its lease and its sign of life last.
void abundance::add_worker(std::int64_t number) {
    const auto name = "machine-" + std::to_string(number) + ":4711:0000abcd";
    std::vector<std::string> queues, names;
    for (std::int64_t i = 0; i < std::min(queues_of_a_worker, of_.queues); ++i) {
        queues.push_back(queue(number * of_.queues / of_.workers + i));
        names.push_back(handler(number * of_.queues / of_.workers + i));
    }
    auto& worker = workers_.emplace_back(joined(name + ":1"));
    wait_for(worker->beat(card_of(queues, names), alive_for, queues));
    claim(*worker, queues, tasks_in_hand, leased_for);
    worker->close();
}

void abundance::add_figures() {
    figures_by_handler all;
    for (std::int64_t number = 0; number < handlers; ++number) {
        auto& one = all[handler(number)];
        one.runs = 1000;
        one.failures = number;
        for (int i = 0; i < 1000; ++i) {
            one.run.add(std::chrono::microseconds{100 + i * i});
            one.wait.add(std::chrono::microseconds{i * 50});
            one.total.add(std::chrono::microseconds{i * i * 2});
        }
    }
    const auto counts = counts_of(all);
    for (std::size_t from = 0; from < counts.size(); from += at_once)
        wait_for(client_->add_figures(std::span{counts}.subspan(from,
                                                                std::min(at_once, counts.size() - from))));
}

void abundance::add_days() {
    const auto said = server_.command({"EVAL", std::string{make_days}, "0", std::to_string(of_.days), "60"});
    if (said.starts_with('-')) throw std::runtime_error{"no days: " + said};
}

}  // namespace trial
