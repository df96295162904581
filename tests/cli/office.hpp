// An app with a handler whose tasks fail or stay when told to, and the program `errand` on the same namespace.
#pragma once

#include "cli/run.hpp"
#include "support/test_app.hpp"

#include <atomic>
#include <set>

namespace cli_test {

inline std::atomic<bool> broken{false};
inline std::atomic<bool> blocked{false};

struct chore {
    errand::awaitable<int> perform(int number);
};

}  // namespace cli_test

ERRAND_DECLARE_HANDLER(cli_test::chore, .name = "chore", .queue = "chores", .max_retry = 0)

namespace cli_test {

struct office : errand::test::test_app {
    explicit office(errand::config settings = errand::test::fresh_settings())
        : test_app{std::move(settings)} {
        broken = blocked = false;
    }
    ~office() { broken = blocked = false; }

    errand::handle<int> submit(int number, errand::options extra = {}) {
        return run(app.handler<chore>().with(std::move(extra)).perform_async(number));
    }
    // So many tasks that end dead, in the worker of this app.
    void let_die(int n);
    std::size_t count(errand::state in, const std::string& queue = "chores");
    void all_are(errand::state in, std::size_t n) {
        errand::test::eventually([&] { return count(in) == n; });
    }

    std::map<std::string, std::string> variables() const;
    // Runs `errand` with these words and waits for its end.
    errand::test::cli_result errand(const std::vector<std::string>& words, const std::string& input = {},
                                    std::map<std::string, std::string> more = {}) const;
    // The same with --json; REQUIREs that it ends with 0.
    boost::json::value answer(std::vector<std::string> words) const;
};

// The values of a member of each object in an array, as text.
std::set<std::string> each(const boost::json::value& array, std::string_view member);

}  // namespace cli_test
