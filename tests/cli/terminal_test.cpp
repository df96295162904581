// What only somebody at a terminal meets: the live view, the question, the bar.
#include "cli/office.hpp"
#include "cli/pty.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using cli_test::office;
using errand::state;
using errand::test::cli_terminal;

TEST_CASE("top leaves the terminal as it was, by q and by Ctrl-C", "[cli]") {
    office t;
    t.submit(1);
    const bool quits = GENERATE(true, false);
    // Ctrl-C is heard at once, however long it sleeps.
    cli_terminal live{{"top", "--every", quits ? "100ms" : "1h"}, t.variables()};
    const auto before = live.key_flags();
    live.sees("\x1b[?1049h");
    live.sees("chores");
    CHECK((live.key_flags() & (ICANON | ECHO)) == 0);
    t.submit(2, {.queue = "another"});
    // It looks again by itself, and at any key.
    if (!quits) live.type("r");
    live.sees("another");
    live.type(quits ? "q" : "\x03");
    CHECK(live.wait() == (quits ? 0 : 130));
    CHECK_THAT(live.seen(), EndsWith("\x1b[?1049l"));
    CHECK((live.key_flags() & (ICANON | ECHO)) == (before & (ICANON | ECHO)));
}

TEST_CASE("whoever sits at a terminal is asked before all is changed, and sees a bar", "[cli]") {
    office t;
    t.let_die(3);
    cli_terminal refused{{"revive", "--all"}, t.variables()};
    refused.sees("revive all tasks that are dead (3 tasks at most)? [y/N]");
    refused.type("n\n");
    CHECK(refused.wait() == 1);
    CHECK_THAT(refused.seen(), ContainsSubstring("nothing was done"));
    CHECK(t.count(state::dead) == 3);

    cli_terminal agreed{{"revive", "--all", "--queue", "chores"}, t.variables()};
    agreed.sees("queue \"chores\"");
    agreed.type("y\n");
    CHECK(agreed.wait() == 0);
    CHECK_THAT(agreed.seen(), ContainsSubstring("[####################] 100%  revived 3") &&
                                  EndsWith("revived 3 of 3 tasks that matched\r\n"));
    t.all_are(state::success, 3);
}

TEST_CASE("top does not begin when there is no store", "[cli]") {
    office t;
    cli_terminal live{
        {"top", "--every", "100ms", "--store", "redis+unix:///nowhere", "--store-timeout", "200ms"},
        t.variables()};
    CHECK(live.wait() == 3);
    CHECK_THAT(live.seen(), !ContainsSubstring("\x1b"));
}
