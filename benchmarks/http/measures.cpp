#include "measures.hpp"

#include "dialect.hpp"

#include <algorithm>
#include <fstream>
#include <time.h>

namespace http_load {

namespace {

using bench::arguments;
using bench::reading;
using bench::result;

constexpr std::int64_t second = 1'000'000'000;

struct place {
    service at = service::of_environment();
    std::unique_ptr<dialect> by;

    explicit place(const arguments& with) : by{with.number("lmstfy", 0) == 1 ? lmstfy_of(at) : rest_of(at)} {}
    double cpu() const { return bench::cpu_of_process(at.pid); }
};

void sleep_until(std::int64_t at_ns) {
    const timespec until{.tv_sec = at_ns / second, .tv_nsec = at_ns % second};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

// Time and processors from its making on.
class stopwatch {
public:
    explicit stopwatch(const place& of) : of_{of} {}
    result stop(std::size_t tasks) const {
        const auto now = reading::now();
        const auto cpu = of_.cpu() - cpu_;
        return result{}.set(tasks, from_, now).set("service_cpu", cpu);
    }

private:
    const place& of_;
    double cpu_ = of_.cpu();
    reading from_ = reading::now();
};

// What is told of a process is told within this time.
void need_count(const place& to, const char* state, std::size_t expected) {
    const auto end = bench::now_ns() + 5 * second;
    for (;;) {
        const auto count = count_in(to.at, state);
        if (count == expected) return;
        if (bench::now_ns() > end)
            bench::fail(std::to_string(count) + " tasks are " + state + ", and " + std::to_string(expected) +
                        " should be");
        sleep_until(bench::now_ns() + second / 50);
    }
}

// All of them, over so many connections, each with one request under way.
tally publish_all(const place& to, std::size_t tasks, std::size_t count, std::size_t size) {
    tally published;
    std::size_t next = 1;
    std::size_t under_way = 0;
    connections all{to.by->port(), count};
    const auto send_next = [&](connection& by) {
        if (next > tasks) return;
        const auto now = std::min(size, tasks + 1 - next);
        by.send(to.by->publish(next, now));
        next += now;
        ++under_way;
    };
    for (auto& one : all) send_next(one);
    all.serve([&](connection& by, const answer& got) {
        to.by->read_published(got, published);
        --under_way;
        send_next(by);
        return under_way > 0;
    });
    if (published.count != tasks)
        bench::fail(std::to_string(published.count) + " of " + std::to_string(tasks) +
                    " tasks were published");
    return published;
}

tally fill(const place& to, std::size_t tasks) {
    constexpr std::size_t at_once = 4;
    const auto published = publish_all(to, tasks, at_once, to.by->most_published());
    need_count(to, "ready", tasks);
    return published;
}

}  // namespace

// ---- publishing ----

result publish(const arguments& with) {
    const place to{with};
    const auto tasks = with.number("tasks", 1000);
    const auto count = with.number("connections", 50);
    const auto size = with.number("size", 1);
    // Neither the service's own connections nor its first look at a queue belong to it.
    publish_all(to, count, count, 1);
    const stopwatch watch{to};
    publish_all(to, tasks, count, size);
    auto out = watch.stop(tasks);
    need_count(to, "ready", tasks + count);
    return out;
}

// ---- taking and reporting ----

namespace {

class consumers {
public:
    consumers(const place& of, std::size_t count, std::size_t size, bool fused, const tally& expected)
        : of_{*of.by},
          size_{size},
          fused_{fused},
          expected_{expected},
          all_{of.by->port(), count},
          held_(count) {}

    void run() {
        for (auto& one : all_) take(one);
        all_.serve([this](connection& by, const answer& got) { return read(by, got); });
        if (done_ != expected_) bench::fail("other tasks were done than were published");
    }

private:
    void take(connection& by) { by.send(of_.take(size_, 0)); }

    // Whether something is left.
    bool read(connection& by, const answer& got) {
        auto& held = held_[by.place()];
        if (held.count > 0) {
            if (of_.read_done(got) != held.count) bench::fail("not all reports were accepted");
            done_.add(held);
            held = {};
            if (done_.count == expected_.count) return false;
            if (!fused_) {
                if (taken_ < expected_.count) take(by);
                return true;
            }
        }
        const auto jobs = of_.read_taken(got);
        for (const auto& one : jobs) held.add(one.id);
        taken_ += jobs.size();
        if (!jobs.empty()) {
            by.send(fused_ ? of_.done_and_take(jobs, size_, 0) : of_.done(jobs));
        } else if (taken_ < expected_.count) {
            take(by);
        }
        return true;
    }

    const dialect& of_;
    const std::size_t size_;
    const bool fused_;
    const tally expected_;
    connections all_;
    std::vector<tally> held_;  // by connection: what it works on
    std::size_t taken_ = 0;
    tally done_;
};

}  // namespace

result consume(const arguments& with) {
    const place to{with};
    const auto tasks = with.number("tasks", 1000);
    const auto published = fill(to, tasks);
    consumers all{to, with.number("connections", 50), with.number("size", 1), with.number("fused", 0) == 1,
                  published};
    const stopwatch watch{to};
    all.run();
    auto out = watch.stop(tasks);
    need_count(to, "ready", 0);
    need_count(to, "working", 0);
    return out;
}

// ---- very many who wait ----

namespace {

constexpr std::size_t longest_wait = 60;  // seconds
constexpr std::int64_t between_two = 2'000'000;

double resident_mb(const place& of) {
    std::ifstream file{"/proc/" + of.at.pid + "/status"};
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) * 1024 / 1e6;
    bench::fail("the kernel does not tell the memory of the service");
}

class crowd {
public:
    crowd(const place& of, std::size_t count) : of_{of}, all_{of.by->port()}, held_(count + 1) {
        for (std::size_t at = 0; at < count; ++at) take(all_.add(of.by->port()));
    }

    void until_all_wait() {
        const auto end = bench::now_ns() + 60 * second;
        do {
            if (bench::now_ns() > end) bench::fail("not all consumers came to wait");
            all_.serve_once(20, [this](connection& by, const answer& got) { return read(by, got); });
        } while (!is_full(of_.at));
    }

    // From a publication to the consumer that has it, one by one.
    std::vector<std::int64_t> publish(std::size_t tasks) {
        std::vector<std::int64_t> delays;
        // Not sooner: a connection by which nothing is asked is closed.
        publisher_ = &all_.add(of_.by->port());
        for (std::size_t id = 1; id <= tasks; ++id) {
            for (const auto next = bench::now_ns() + between_two; bench::now_ns() < next;)
                all_.serve_once(1, [this](connection& by, const answer& got) { return read(by, got); });
            delivered_ = answered_ = false;
            const auto sent = bench::now_ns();
            publisher_->send(of_.by->publish(id, 1));
            all_.serve([this](connection& by, const answer& got) {
                read(by, got);
                return !delivered_ || !answered_;
            });
            delays.push_back(delivered_at_ - sent);
        }
        // Those that were delivered last are reported, too.
        while (to_report_ > 0)
            all_.serve([this](connection& by, const answer& got) {
                read(by, got);
                return to_report_ > 0;
            });
        if (taken_ != published_) bench::fail("other tasks were delivered than were published");
        return delays;
    }

private:
    void take(connection& by) { by.send(of_.by->take(1, longest_wait)); }

    bool read(connection& by, const answer& got) {
        if (&by == publisher_) {
            of_.by->read_published(got, published_);
            answered_ = true;
            return true;
        }
        if (held_[by.place()]) {
            if (of_.by->read_done(got) != 1) bench::fail("a report was not accepted");
            held_[by.place()] = false;
            --to_report_;
            take(by);
            return true;
        }
        // The probe has stood in its place, for a moment.
        if (got.status == 429) {
            take(by);
            return true;
        }
        const auto jobs = of_.by->read_taken(got);
        if (jobs.empty()) {
            take(by);
            return true;
        }
        delivered_at_ = bench::now_ns();
        delivered_ = true;
        taken_.add(jobs.front().id);
        held_[by.place()] = true;
        ++to_report_;
        by.send(of_.by->done(jobs));
        return true;
    }

    const place& of_;
    connections all_;
    connection* publisher_ = nullptr;
    std::vector<bool> held_;
    std::size_t to_report_ = 0;
    tally published_;
    tally taken_;
    bool delivered_ = false;
    bool answered_ = false;
    std::int64_t delivered_at_ = 0;
};

}  // namespace

result wait(const arguments& with) {
    const place to{with};
    const auto before = resident_mb(to);
    crowd all{to, with.number("consumers", 10)};
    all.until_all_wait();
    const auto quiet = with.number("seconds", 1);
    const auto cpu = to.cpu();
    sleep_until(bench::now_ns() + static_cast<std::int64_t>(quiet) * second);
    const auto waiting_cpu = to.cpu() - cpu;
    const auto delays = all.publish(with.number("tasks", 10));
    need_count(to, "ready", 0);
    need_count(to, "working", 0);
    return result{}
        .set_latencies(delays)
        .set("rss_before_mb", before)
        .set("rss_mb", resident_mb(to))
        .set("waiting_cpu_percent", 100 * waiting_cpu / static_cast<double>(quiet));
}

// ---- nothing to do ----

result idle(const arguments& with) {
    const place to{with};
    // From the first claim on it does what a worker does besides running tasks.
    connection first{to.by->port()};
    if (!to.by->read_taken(first.ask(to.by->take(1, 0))).empty()) bench::fail("there is something to do");
    sleep_until(bench::now_ns() + second);
    const auto seconds = with.number("seconds", 1);
    const auto cpu = to.cpu();
    sleep_until(bench::now_ns() + static_cast<std::int64_t>(seconds) * second);
    const auto used = to.cpu() - cpu;
    return result{}
        .set("tasks", 0)
        .set("seconds", static_cast<double>(seconds))
        .set("service_cpu", used)
        .set("cpu_percent", 100 * used / static_cast<double>(seconds));
}

}  // namespace http_load
