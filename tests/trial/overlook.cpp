// The console before a store with much in it: how soon each page has its first data, for how long that holds up the store's other
// callers, and what an open page costs it, and a hundred. One line of JSON; the exit code is 1 when a page is late, a command of the
// store takes too long, or an open page is dear. scripts/fault --console tells of the options.
#include <errand/app.hpp>
#include <errand/service.hpp>

#include "store/redis/script_set.hpp"
#include "trial/abundance.hpp"
#include "trial/processor_time.hpp"
#include "trial/words.hpp"

#include <boost/asio/buffers_iterator.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
namespace asio = boost::asio;
namespace json = boost::json;

constexpr double most_until_data = 300;  // ms
constexpr double most_of_command = 5;    // ms
constexpr double most_of_core = 0.01;    // of one open overview
constexpr double most_of_many = 2;       // of a hundred, in open overviews
constexpr int many = 100;
constexpr int asked = 3;

// Words of a slow log that begin an entry, rather than stand in one; this program's own are none of them.
const std::set<std::string, std::less<>> commands_told{"EVAL",  "EVALSHA", "HGET",  "HGETALL",
                                                       "HMGET", "HSCAN",   "ZRANGE"};

struct wishes {
    trial::amounts of{};
    int seconds = 90;  // looks at large stores are up to 30 apart
    bool untimed = false;
};

// The service on the abundance, in this process.
class serving {
public:
    explicit serving(const std::string& store) : app_{settings_of(store)} {
        errand::service_options how;
        how.listen = {"127.0.0.1:0"};
        how.access_log = errand::access_log::off;
        std::promise<std::string> listening;
        how.on_listening = [&](const std::vector<std::string>& all) { listening.set_value(all.front()); };
        service_ = std::make_unique<errand::service>(app_, how);
        thread_ = std::thread{[this] { app_.block_on(service_->run()); }};
        const auto address = listening.get_future().get();
        port_ = address.substr(address.rfind(':') + 1);
    }
    ~serving() {
        service_->stop();
        thread_.join();
    }
    serving(const serving&) = delete;
    serving& operator=(const serving&) = delete;

    const std::string& port() const noexcept { return port_; }

private:
    static errand::config settings_of(const std::string& store) {
        errand::config settings;
        settings.store = store;
        settings.log_level = "warn";
        return settings;
    }

    errand::app app_;
    std::unique_ptr<errand::service> service_;
    std::thread thread_;
    std::string port_;
};

// A request that goes on as long as this object lives.
class line {
public:
    line(asio::io_context& io, const std::string& port, const std::string& path) : socket_{io} {
        asio::ip::tcp::resolver resolver{io};
        asio::connect(socket_, resolver.resolve("127.0.0.1", port));
        asio::write(socket_, asio::buffer("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port +
                                          "\r\nConnection: close\r\n\r\n"));
    }
    // The answer, with its headers.
    std::string all() {
        boost::system::error_code ended;
        asio::read(socket_, read_, ended);
        return text();
    }
    std::string until(const std::string& words) {
        asio::read_until(socket_, read_, words);
        return text();
    }

private:
    std::string text() const {
        const auto data = read_.data();
        return {asio::buffers_begin(data), asio::buffers_end(data)};
    }

    asio::ip::tcp::socket socket_;
    asio::streambuf read_;
};

struct longest {
    double ms = 0;
    std::string what{};
};

struct page_cost {
    double ms = 0;
    longest command{};
};

// What so many open overviews cost the store, as parts of a core.
double watched_by(const serving& by, pid_t store, int pages, int seconds) {
    asio::io_context io;
    std::vector<std::unique_ptr<line>> open;
    for (int i = 0; i < pages; ++i) {
        for (const auto* view : {"overview", "days"}) {
            open.push_back(std::make_unique<line>(io, by.port(), std::string{"/ui/api/live/"} + view));
            open.back()->until("data: {");
        }
    }
    const auto before = trial::processor_ms(store);
    std::this_thread::sleep_for(std::chrono::seconds{seconds});
    return (trial::processor_ms(store) - before) / (seconds * 1e3);
}

class overseer {
public:
    explicit overseer(const trial::abundance& of)
        : of_{of}, pid_{of.server_pid()}, scripts_{names_of_scripts()} {
        of_.server().command({"CONFIG", "SET", "slowlog-max-len", "10000"});
    }

    // Asked of a service that has seen nothing yet. The quickest of some: others are at work on this machine, too. For the same reason
    // an answer has taken no longer than the service and the store have had of a processor.
    page_cost ask(const std::string& path) {
        page_cost best{.ms = 1e9};
        std::optional<took_by_command> each;
        for (int times = 0; times < asked; ++times) {
            const serving by{of_.server().url()};
            answered(by, "/healthz");
            of_.server().command({"CONFIG", "SET", "slowlog-log-slower-than", "500"});
            of_.server().command({"SLOWLOG", "RESET"});
            const auto before = trial::processor_ms(pid_) + trial::processor_ms(::getpid());
            const auto began = clock_type::now();
            answered(by, path);
            const std::chrono::duration<double, std::milli> took = clock_type::now() - began;
            const auto work = trial::processor_ms(pid_) + trial::processor_ms(::getpid()) - before;
            best.ms = std::min({best.ms, took.count(), work});
            each = shorter_of(each, took_lately());
        }
        for (const auto& [command, one] : *each) {
            if (one.ms > best.command.ms) best.command = one;
        }
        return best;
    }

    // What a page answers that is asked for by way of others.
    json::object document(const std::string& path) {
        const serving by{of_.server().url()};
        const auto got = answered(by, path);
        return json::parse(got.substr(got.find("\r\n\r\n") + 4)).as_object();
    }

private:
    using took_by_command = std::map<std::string, longest>;

    static std::map<std::string, std::string> names_of_scripts() {
        std::map<std::string, std::string> names;
        for (const auto& one : errand::redis::all_scripts()) names[one.sha] = one.name;
        return names;
    }

    std::string answered(const serving& by, const std::string& path) {
        auto got = line{io_, by.port(), path}.all();
        if (!got.starts_with("HTTP/1.1 200")) throw std::runtime_error{path + ": " + got.substr(0, 500)};
        return got;
    }

    // Redis measures by the clock on the wall, and the machine may let it wait meanwhile: the same command with the same words has
    // taken no longer than it once did.
    static took_by_command shorter_of(const std::optional<took_by_command>& some, took_by_command others) {
        if (!some) return others;
        took_by_command both;
        for (auto& [words, one] : others) {
            const auto before = some->find(words);
            if (before == some->end()) continue;
            one.ms = std::min(one.ms, before->second.ms);
            both.emplace(words, one);
        }
        return both;
    }

    // Of those that took over half a millisecond.
    took_by_command took_lately() const {
        std::vector<std::string> lines;
        std::istringstream told{of_.server().command({"SLOWLOG", "GET", "-1"})};
        for (std::string text; std::getline(told, text);) lines.push_back(text);
        took_by_command found;
        for (std::size_t at = 1; at < lines.size(); ++at) {
            const bool behind_number =
                !lines[at - 1].empty() && lines[at - 1].find_first_not_of("0123456789") == std::string::npos;
            if (!commands_told.contains(lines[at]) || !behind_number) continue;
            longest one{.ms = std::stod(lines[at - 1]) / 1000, .what = lines[at]};
            if (at + 1 < lines.size() && scripts_.contains(lines[at + 1]))
                one.what = scripts_.at(lines[at + 1]);
            std::string words;
            // Behind its words stands who sent it: the path of a socket.
            for (auto word = at; word < lines.size() && !lines[word].starts_with('/'); ++word)
                words += lines[word] + '\n';
            const auto [known, fresh] = found.emplace(words, one);
            if (!fresh) known->second.ms = std::min(known->second.ms, one.ms);
        }
        return found;
    }

    const trial::abundance& of_;
    const pid_t pid_;
    const std::map<std::string, std::string> scripts_;
    asio::io_context io_;
};

std::vector<std::pair<std::string, std::string>> pages_of(const trial::abundance& store, overseer& by) {
    const std::string tasks = "/ui/api/tasks?state=";
    const auto first_in = [&](const std::string& state) {
        const auto page = by.document(tasks + state + "&limit=1");
        return std::string{page.at("tasks").at(0).at("id").as_string()};
    };
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto* view : {"overview", "queues", "workers", "handlers", "days", "schedules", "limits",
                             "runs", "health", "tenants"})
        all.emplace_back(view, std::string{"/ui/api/view/"} + view);
    all.emplace_back("queue", "/ui/api/view/queue?of=" + store.queue(1));
    all.emplace_back("task", "/ui/api/view/task?of=" + store.dead_task());
    for (const auto* state : {"ready", "working"})
        all.emplace_back(std::string{"task "} + state, "/ui/api/view/task?of=" + first_in(state));
    all.emplace_back("graph", "/ui/api/view/graph?of=" + store.dead_task());
    for (const std::string state :
         {"waiting", "delayed", "ready", "working", "retry", "success", "dead", "cancelled", "expired"})
        all.emplace_back("tasks " + state, tasks + state);
    const auto page = by.document(tasks + "success");
    all.emplace_back("tasks success, on",
                     tasks + "success&after=" + std::string{page.at("next").as_string()});
    all.emplace_back("tasks of a queue", tasks + "success&queue=" + store.queue(2));
    // Others of its tasks are far away: it is told how far the search is.
    all.emplace_back("tasks of a handler", tasks + "ready&handler=" + store.handler(3));
    all.emplace_back("failures", "/ui/api/failures?state=dead");
    return all;
}

std::optional<wishes> read_wishes(int count, char** words, int& status) {
    wishes what;
    CLI::App app{"The console before a store with much in it: scripts/fault --help tells more"};
    bool console = false;
    app.add_flag("--console", console, "the console before a store with much in it");
    app.add_option("--tasks", what.of.tasks)->check(CLI::Range(100, 100'000'000));
    app.add_option("--queues", what.of.queues)->check(CLI::Range(1, 100'000));
    app.add_option("--workers", what.of.workers)->check(CLI::Range(1, 10'000));
    app.add_option("--days", what.of.days, "that are over")->check(CLI::Range(0, 400));
    app.add_option("--seconds", what.seconds, "for which open pages are watched")->check(CLI::Range(1, 600));
    app.add_flag("--untimed", what.untimed, "nothing is judged by how long it takes");
    if (!trial::read_words(app, count, words, status)) return std::nullopt;
    return what;
}

}  // namespace

int main(int count, char** words) try {
    int status = 0;
    const auto what = read_wishes(count, words, status);
    if (!what) return status;
    const trial::abundance store{what->of};
    overseer sees{store};

    bool good = true;
    const auto judge = [&](bool holds, const std::string& words_of_it) {
        if (holds || what->untimed) return;
        good = false;
        std::fprintf(stderr, "console: %s\n", words_of_it.c_str());
    };
    json::object until_data, commands;
    for (const auto& [name, path] : pages_of(store, sees)) {
        const auto cost = sees.ask(path);
        until_data[name] = cost.ms;
        commands[name] = json::object{{"ms", cost.command.ms}, {"what", cost.command.what}};
        judge(cost.ms < most_until_data,
              name + " has its first data after " + std::to_string(cost.ms) + " ms");
        judge(cost.command.ms < most_of_command, name + " holds up the store: " + cost.command.what +
                                                     " takes " + std::to_string(cost.command.ms) + " ms");
    }
    // Of a service that nobody has asked anything: from the first page on it counts what happens by minute, which is part of the cost.
    const serving by{store.server().url()};
    const auto watched = [&](int pages) { return watched_by(by, store.server_pid(), pages, what->seconds); };
    const auto idle = watched(0);
    const auto one = std::max(watched(1) - idle, 0.0);
    const auto hundred = std::max(watched(many) - idle, 0.0);
    judge(one < most_of_core,
          "an open overview takes " + std::to_string(one * 100) + " % of a core of the store");
    judge(hundred < std::max(one, most_of_core / 10) * most_of_many,
          "a hundred open overviews take " + std::to_string(hundred * 100) + " % of a core of the store");
    const json::object told{{"tasks", what->of.tasks},
                            {"queues", what->of.queues},
                            {"workers", what->of.workers},
                            {"days", what->of.days},
                            {"memory", store.told("memory", "used_memory:")},
                            {"until_data_ms", std::move(until_data)},
                            {"longest_command", std::move(commands)},
                            {"idle_core", idle},
                            {"one_page_core", one},
                            {"hundred_pages_core", hundred}};
    std::printf("%s\n", json::serialize(told).c_str());
    return good ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "fault: %s\n", e.what());
    return 2;
}
