#include <errand/error.hpp>
#include <errand/outcome.hpp>

#include <catch2/catch_test_macros.hpp>

#include <type_traits>

using namespace std::chrono_literals;

TEST_CASE("each state has a name that is read back") {
    for (int at = 0; at < 9; ++at) {
        const auto each = static_cast<errand::state>(at);
        CHECK(errand::parse_state(errand::to_string(each)) == each);
    }
    CHECK(errand::to_string(errand::state::waiting) == "waiting");
    CHECK(errand::to_string(errand::state::expired) == "expired");
    CHECK(errand::to_string(static_cast<errand::state>(9)) == "unknown");
    CHECK(errand::to_string(static_cast<errand::state>(-1)) == "unknown");
    CHECK(errand::parse_state("Dead") == std::nullopt);
    CHECK(errand::parse_state("") == std::nullopt);
}

TEST_CASE("success, dead, cancelled and expired are ends, nothing else") {
    using enum errand::state;
    for (const errand::state going : {waiting, delayed, ready, working, retry}) CHECK_FALSE(is_end(going));
    for (const errand::state ended : {success, dead, cancelled, expired}) CHECK(is_end(ended));
}

TEST_CASE("a failed task says how it ended, after how many attempts, and why") {
    const errand::task_failed died{errand::state::dead, 4, "no such mailbox"};
    CHECK(died.what() == std::string{"dead after 4 attempts: no such mailbox"});
    CHECK(died.state() == errand::state::dead);
    CHECK(died.attempts() == 4);
    CHECK(errand::task_failed{errand::state::dead, 1, ""}.what() == std::string{"dead after 1 attempt"});
    CHECK(errand::task_failed{errand::state::cancelled, 0, ""}.what() == std::string{"cancelled"});
    const errand::task_failed named{errand::state::dead, 1, "no route", "0198-1", "mail"};
    CHECK(named.what() == std::string{"dead after 1 attempt: no route (mail 0198-1)"});
    CHECK(named.text() == "no route");
}

TEST_CASE("every error is an errand::error, and that a std::runtime_error") {
    STATIC_CHECK(std::is_base_of_v<std::runtime_error, errand::error>);
    const auto derives = []<class... E>() { return (std::is_base_of_v<errand::error, E> && ...); };
    CHECK(
        derives.operator()<errand::usage_error, errand::store_error, errand::bad_data, errand::duplicate_task,
                           errand::dependency_cycle, errand::result_gone, errand::task_failed,
                           errand::timed_out, errand::lease_lost, errand::discard, errand::retry_in>());
}

TEST_CASE("what a handler throws to steer its task carries its delay") {
    CHECK(errand::retry_in{10s, "busy"}.delay() == 10s);
    CHECK(errand::retry_in{10s, "busy"}.what() == std::string{"busy"});
    CHECK(errand::discard{"never"}.what() == std::string{"never"});
    CHECK(errand::snooze{1h}.delay() == 1h);
    STATIC_CHECK_FALSE(std::is_base_of_v<errand::error, errand::snooze>);
    STATIC_CHECK(std::is_base_of_v<std::exception, errand::snooze>);
}
