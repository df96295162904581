// beanstalkd doing the measures of benchmarks/README.md: beanstalkd MEASURE [name=value ...]
// It has no Redis: each call starts its own beanstalkd, without persistence, and `redis_cpu` is what that one spends.
#include "client.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace beanstalk;

namespace {

constexpr std::int64_t usual_bulk = 1000;
constexpr std::int64_t warm_up = 100;

using settings = std::map<std::string, std::int64_t, std::less<>>;

std::int64_t sum_of_ids(std::int64_t tasks) { return tasks * (tasks + 1) / 2; }

class stopwatch {
public:
    explicit stopwatch(const server& of) : server_{of}, server_cpu_{of.cpu()} {}

    std::string spent(std::int64_t tasks) const {
        const auto seconds = static_cast<double>(now_ns() - from_) / 1e9;
        const auto client = static_cast<double>(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - client_cpu_) / 1e9;
        std::array<char, 200> text;
        std::snprintf(text.data(), text.size(),
                      R"({"tasks": %lld, "seconds": %.6f, "client_cpu": %.6f, "redis_cpu": %.6f})",
                      static_cast<long long>(tasks), seconds, client, server_.cpu() - server_cpu_);
        return text.data();
    }

private:
    const server& server_;
    double server_cpu_;
    std::int64_t client_cpu_ = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    std::int64_t from_ = now_ns();
};

std::string put(std::int64_t id, std::int64_t at_ns = 0) {
    auto body = R"({"id": )" + std::to_string(id) + R"(, "name": "abcdefgh")";
    if (at_ns != 0) body += R"(, "at": )" + std::to_string(at_ns);
    body += '}';
    // Priority, delay, and a lease of 60 seconds.
    return "put 0 0 60 " + std::to_string(body.size()) + "\r\n" + body + "\r\n";
}

void check_inserted(const reply& answer) {
    if (!answer.line.starts_with("INSERTED ")) fail("put: " + answer.line);
}

// Deletes what was reserved and asks for the next in the same packet.
std::string delete_and_reserve(const reply& reserved) {
    const auto from = reserved.line.find(' ');
    return "delete" + reserved.line.substr(from, reserved.line.rfind(' ') - from) + "\r\nreserve\r\n";
}

// What was executed, told by the replies to "reserve" and "delete".
struct tally {
    std::int64_t executed = 0;
    std::int64_t deleted = 0;
    std::int64_t sum = 0;

    void add(connection& from, const reply& answer) {
        if (answer.line.starts_with("RESERVED ")) {
            ++executed;
            sum += number_after(answer.body, R"("id": )");
            from.send(delete_and_reserve(answer));
        } else if (answer.line == "DELETED") {
            ++deleted;
        } else {
            fail("work: " + answer.line);
        }
    }

    void check(std::int64_t tasks, const server& of) const {
        connection to{of.port()};
        to.send("stats\r\n");
        const auto stats = to.wait().body;
        const auto left =
            number_after(stats, "current-jobs-ready: ") + number_after(stats, "current-jobs-reserved: ") +
            number_after(stats, "current-jobs-delayed: ") + number_after(stats, "current-jobs-buried: ");
        if (executed != tasks || deleted != tasks || sum != sum_of_ids(tasks) || left != 0)
            fail(std::to_string(executed) + " of " + std::to_string(tasks) +
                 " tasks were executed, with ids that make " + std::to_string(sum) + ", and " +
                 std::to_string(left) + " left");
    }
};

std::string work_until_done(const server& of, std::int64_t tasks, std::int64_t concurrency) {
    connections workers{of.port(), concurrency};
    tally done;
    const stopwatch watch{of};
    for (auto& worker : workers) worker.send("reserve\r\n");
    workers.serve([&](connection& from, const reply& answer) {
        done.add(from, answer);
        return done.deleted < tasks;
    });
    auto result = watch.spent(tasks);
    done.check(tasks, of);
    return result;
}

// Executing them all is how the submissions are counted.
void check_submitted(const server& of, std::int64_t tasks) { work_until_done(of, tasks, 10); }

void put_in_bulk(connection& to, std::int64_t tasks, std::int64_t at_once = usual_bulk) {
    std::string bytes;
    for (std::int64_t done = 0; done < tasks;) {
        const auto size = std::min(at_once, tasks - done);
        bytes.clear();
        for (std::int64_t at = 1; at <= size; ++at) bytes += put(done + at);
        to.send(bytes);
        for (std::int64_t at = 0; at < size; ++at) check_inserted(to.wait());
        done += size;
    }
}

template <typename Submit>
std::string submit(const settings& with, Submit all) {
    const auto tasks = with.at("tasks");
    const server of;
    connection to{of.port()};
    const stopwatch watch{of};
    all(to, tasks);
    auto result = watch.spent(tasks);
    check_submitted(of, tasks);
    return result;
}

std::string submit_one(const settings& with) {
    return submit(with, [](connection& to, std::int64_t tasks) {
        for (std::int64_t id = 1; id <= tasks; ++id) {
            to.send(put(id));
            check_inserted(to.wait());
        }
    });
}

std::string submit_bulk_1000(const settings& with) {
    return submit(with, [&](connection& to, std::int64_t tasks) { put_in_bulk(to, tasks, with.at("size")); });
}

std::string submit_concurrent_50(const settings& with) {
    const auto tasks = with.at("tasks");
    const server of;
    connections callers{of.port(), 50};
    std::int64_t last = 0;
    std::int64_t inserted = 0;
    const stopwatch watch{of};
    for (auto& caller : callers)
        if (last < tasks) caller.send(put(++last));
    callers.serve([&](connection& caller, const reply& answer) {
        check_inserted(answer);
        if (last < tasks) caller.send(put(++last));
        return ++inserted < tasks;
    });
    auto result = watch.spent(tasks);
    check_submitted(of, tasks);
    return result;
}

std::string drain(const settings& with) {
    const server of;
    connection to{of.port()};
    put_in_bulk(to, with.at("tasks"));
    return work_until_done(of, with.at("tasks"), with.at("concurrency"));
}

// The worker's process: writes the delay of each task to `report`, in the order of execution.
void report_delays(const server& of, std::int64_t tasks, int report) {
    connection from{of.port()};
    std::vector<std::int64_t> delays;
    tally done;
    from.send("reserve\r\n");
    while (done.deleted < tasks) {
        const auto answer = from.wait();
        if (!answer.body.empty()) delays.push_back(now_ns() - number_after(answer.body, R"("at": )"));
        done.add(from, answer);
    }
    done.check(tasks, of);
    const auto size = static_cast<ssize_t>(delays.size() * sizeof delays[0]);
    for (ssize_t written = 0; written < size;) {
        const auto more = write(report, reinterpret_cast<const char*>(delays.data()) + written,
                                static_cast<std::size_t>(size - written));
        require(more > 0, "write");
        written += more;
    }
}

void put_paced(connection& to, std::int64_t tasks, std::int64_t gap_ns) {
    auto next = now_ns();
    for (std::int64_t id = 1; id <= tasks; ++id) {
        next += gap_ns;
        const timespec until{.tv_sec = next / 1'000'000'000, .tv_nsec = next % 1'000'000'000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
        to.send(put(id, now_ns()));
        check_inserted(to.wait());
    }
}

std::string latency(const settings& with) {
    const auto tasks = with.at("tasks");
    const auto rate = with.at("rate");
    const server of;
    connection to{of.port()};
    std::array<int, 2> report;
    require(pipe(report.data()) == 0, "pipe");
    const auto worker = start_child([&] {
        close(report[0]);
        try {
            report_delays(of, warm_up + tasks, report[1]);
            _exit(0);
        } catch (const std::exception& e) {
            std::fprintf(stderr, "beanstalkd: the worker died: %s\n", e.what());
            _exit(1);
        }
    });
    close(report[1]);
    put_paced(to, warm_up + tasks, rate == 0 ? 2'000'000 : 1'000'000'000 / rate);
    std::vector<std::int64_t> delays(static_cast<std::size_t>(warm_up + tasks));
    auto* const into = reinterpret_cast<char*>(delays.data());
    std::size_t size = 0;
    while (size < delays.size() * sizeof delays[0]) {
        const auto more = read(report[0], into + size, delays.size() * sizeof delays[0] - size);
        if (more <= 0) fail("the worker reported too little");
        size += static_cast<std::size_t>(more);
    }
    waitpid(worker, nullptr, 0);
    delays.erase(delays.begin(), delays.begin() + warm_up);
    std::ranges::sort(delays);
    const auto ms = [&](std::size_t per_mille) {
        return static_cast<double>(delays[std::min(delays.size() - 1, delays.size() * per_mille / 1000)]) /
               1e6;
    };
    std::array<char, 100> text;
    std::snprintf(text.data(), text.size(), R"({"tasks": %lld, "p50_ms": %.6f, "p99_ms": %.6f})",
                  static_cast<long long>(tasks), ms(500), ms(990));
    return text.data();
}

settings parse(int count, char** words) {
    settings all{{"tasks", 10'000}, {"concurrency", 10}, {"rate", 0}, {"size", usual_bulk}};
    for (int at = 2; at < count; ++at) {
        const std::string_view word = words[at];
        const auto is = word.find('=');
        const auto found = all.find(word.substr(0, is));
        if (is == word.npos || found == all.end()) fail("'" + std::string{word} + "' is no setting");
        found->second = number_after(word, "=");
    }
    if (all["tasks"] < 1 || all["concurrency"] < 1 || all["rate"] < 0 || all["size"] < 1)
        fail("too few tasks or connections");
    return all;
}

}  // namespace

int main(int count, char** words) try {
    const std::map<std::string_view, std::string (*)(const settings&)> measures{
        {"submit_one", submit_one},
        {"submit_concurrent_50", submit_concurrent_50},
        {"submit_bulk_1000", submit_bulk_1000},
        {"drain", drain},
        {"latency", latency},
    };
    const auto measure = measures.find(count > 1 ? words[1] : "");
    if (measure == measures.end())
        fail(
            "there is no such measure, only submit_one, submit_concurrent_50, submit_bulk_1000, drain, latency");
    std::puts(measure->second(parse(count, words)).c_str());
} catch (const std::exception& e) {
    std::fprintf(stderr, "beanstalkd: %s\n", e.what());
    return 1;
}
