// Digests every file below a directory, on any number of workers: what comes out is what `sha256sum` says.
#include "submit.hpp"
#include "work.hpp"

#include <charconv>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* usage = R"(usage:
  digest work [--ledger FILE] [--slow MS]
      a worker until SIGTERM; each start of a task adds a line to the ledger, each file takes at least so long
  digest submit DIR --output FILE [--after-walk COMMAND]
      has the files below DIR digested and writes a file for `sha256sum -c`; the command runs between the walk
      and the submission
ERRAND_STORE names the store: sqlite:///path/tasks.db, redis://host:port, redis+unix:///path
)";

struct bad_usage : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Takes `--name value` out of the arguments.
std::string take(std::vector<std::string>& arguments, const std::string& name) {
    for (auto at = arguments.begin(); at != arguments.end(); ++at) {
        if (*at != name) continue;
        if (at + 1 == arguments.end()) throw bad_usage{name + " needs a value"};
        std::string value = *(at + 1);
        arguments.erase(at, at + 2);
        return value;
    }
    return {};
}

std::chrono::milliseconds milliseconds(const std::string& text) {
    int count = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool whole = failure == std::errc{} && end == text.data() + text.size() && count >= 0;
    if (!text.empty() && !whole) throw bad_usage{"--slow needs a number of milliseconds, not " + text};
    return std::chrono::milliseconds{count};
}

int run(std::vector<std::string> arguments) {
    if (arguments.empty()) throw bad_usage{"work or submit?"};
    const std::string role = arguments.front();
    arguments.erase(arguments.begin());
    if (role == "work") {
        work_options how;
        how.ledger = take(arguments, "--ledger");
        how.slow = milliseconds(take(arguments, "--slow"));
        if (!arguments.empty()) throw bad_usage{"work does not know " + arguments.front()};
        return work(how);
    }
    if (role != "submit") throw bad_usage{"no such role: " + role};
    submit_options what;
    what.output = take(arguments, "--output");
    what.after_walk = take(arguments, "--after-walk");
    if (arguments.size() != 1) throw bad_usage{"submit needs one directory"};
    if (what.output.empty()) throw bad_usage{"submit needs --output"};
    what.directory = arguments.front();
    return submit(what);
}

}  // namespace

int main(int count, char** arguments) try {
    return run({arguments + 1, arguments + count});
} catch (const bad_usage& e) {
    std::fprintf(stderr, "digest: %s\n%s", e.what(), usage);
    return 2;
} catch (const std::exception& e) {
    std::fprintf(stderr, "digest: %s\n", e.what());
    return 1;
}
