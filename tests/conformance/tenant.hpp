// What the tests of a namespace's quota share: handlers, and a program that sets the quota and submits.
#pragma once

#include "support/test_app.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace tenant_test {

using errand::quota;
using errand::quota_exceeded;
using errand::rate_limit;
using errand::test::test_app;

struct purchase {
    errand::awaitable<int> perform(int number) { co_return number; }
};
struct letter {
    errand::awaitable<int> perform(std::string text) { co_return static_cast<int>(text.size()); }
};
struct chime {
    explicit chime(errand::test::test_journal& in) : in_{in} {}
    errand::awaitable<void> perform() {
        in_.add("tick");
        co_return;
    }

private:
    errand::test::test_journal& in_;
};
// Fails until the test lets it succeed.
struct stubborn {
    explicit stubborn(errand::test::test_mailer& in) : in_{in} {}
    errand::awaitable<int> perform() {
        if (++in_.sent < 3) throw std::runtime_error{"not yet"};
        co_return in_.sent.load();
    }

private:
    errand::test::test_mailer& in_;
};

}  // namespace tenant_test

ERRAND_HANDLER(tenant_test::purchase)
ERRAND_HANDLER(tenant_test::letter)
ERRAND_HANDLER(tenant_test::chime)
ERRAND_HANDLER(tenant_test::stubborn, .backoff = errand::backoff::uniform(1ms))

namespace tenant_test {

struct tenant : test_app {
    using test_app::test_app;
    errand::quota_info set(quota rules, errand::quota_options how = {}) {
        return run(app.set_quota(std::move(rules), how));
    }
    void submit(int count) {
        for (int n = 0; n < count; ++n) run(app.handler<purchase>().perform_async(n));
    }
    std::vector<errand::handle<int>> submit_together(int count) {
        std::vector<int> numbers;
        for (int n = 0; n < count; ++n) numbers.push_back(n);
        return run(app.handler<purchase>().perform_bulk(numbers));
    }
    bool is_refused() {
        try {
            submit(1);
        } catch (const quota_exceeded&) {
            return true;
        }
        return false;
    }
    std::int64_t queued() { return run(app.current_quota()).queued; }
};

// Time does nothing to it within a test.
inline rate_limit an_hour(int count, int burst = 0) { return {count, 1h, burst}; }

// What `call` is refused with.
template <class Call>
quota_exceeded refusal_of(Call call) {
    try {
        call();
    } catch (const quota_exceeded& e) {
        return e;
    }
    FAIL("nothing was refused");
    throw 0;
}

}  // namespace tenant_test
