// The pictures of docs/cli.md and README, of a shop in which something has gone wrong.
#include "cli/office.hpp"
#include "cli/picture.hpp"
#include "cli/pty.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cli_test::office;
using errand::state;
using errand::test::cli_terminal;
using errand::test::keep_picture;
using errand::test::lines_on_screen;
using errand::test::picture_of;

namespace {

using lines = std::vector<std::string>;

errand::config of_a_shop() {
    auto settings = errand::test::fresh_settings();
    settings.queues = {{"mail", 3}, {"orders", 2}, {"reports", 1}};
    settings.concurrency = 4;
    return settings;
}

// One letter that cannot be delivered, orders of which as many run as there are slots, and reports for later.
void open_shop(office& t) {
    cli_test::broken = true;
    t.submit(17, {.biz_id = "order-17", .queue = "mail"});
    t.start();
    errand::test::eventually([&] { return t.count(state::dead, "mail") == 1; });
    cli_test::broken = false;
    for (int order = 1; order <= 12; ++order) t.submit(order, {.queue = "mail"});
    errand::test::eventually([&] { return t.count(state::success, "mail") == 12; });
    cli_test::blocked = true;
    for (int order = 18; order <= 24; ++order) t.submit(order, {.queue = "orders"});
    for (int report = 1; report <= 3; ++report) t.submit(report, {.queue = "reports", .delay = 1h});
    errand::test::eventually([&] { return t.count(state::working, "orders") == 4; });
}

bool any_has(const lines& all, const std::string& part) {
    return std::ranges::any_of(all, [&](const std::string& one) { return one.find(part) != one.npos; });
}

void take(const std::string& name, const std::string& command, const std::string& sent) {
    const auto shown = lines_on_screen(sent);
    REQUIRE(shown.size() > 2);
    keep_picture(name, picture_of(command, shown));
}

std::string seen_of(const office& t, std::vector<std::string> words) {
    cli_terminal at{
        std::move(words), t.variables(), {.ws_row = 30, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0}};
    CHECK(at.wait() == 0);
    return at.seen();
}

}  // namespace

TEST_CASE("pictures of the command line are of what it wrote to a terminal", "[cli]") {
    office t{of_a_shop()};
    open_shop(t);

    const auto queues = seen_of(t, {"queues"});
    CHECK(any_has(lines_on_screen(queues), "orders"));
    take("cli-queues", "errand queues", queues);

    const auto show = seen_of(t, {"show", "order-17"});
    CHECK(any_has(lines_on_screen(show), "no route to host 17"));
    take("cli-show", "errand show order-17", show);

    cli_terminal live{{"top", "--every", "1h"},
                      t.variables(),
                      {.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0}};
    live.sees("\x1b[J");
    CHECK(any_has(lines_on_screen(live.seen()), "reports"));
    take("cli-top", "errand top", live.seen());
    live.type("q");
    CHECK(live.wait() == 0);
    cli_test::blocked = false;
}

TEST_CASE("what a terminal is sent becomes what stands on it", "[cli]") {
    CHECK(lines_on_screen("one\r\ntwo\r\n") == lines{"one", "two"});
    CHECK(lines_on_screen("no\r\n\x1b[?1049h\x1b[?25l\x1b[Hlonger line\x1b[K\r\nold\x1b[K\x1b[J"
                          "\x1b[Hshort\x1b[K\r\nnew\x1b[K\x1b[J") == lines{"short", "new"});
    CHECK(lines_on_screen("\x1b[Ha\x1b[K\r\nb\x1b[K\x1b[J\x1b[Hc\x1b[K\x1b[J") == lines{"c"});
    CHECK(lines_on_screen("12345\rab") == lines{"ab345"});
    CHECK(lines_on_screen("\r\n\r\nlow\r\n\r\n") == lines{"", "", "low"});
}

TEST_CASE("a picture has the command, the lines as text, and their columns", "[cli]") {
    const auto svg = picture_of("errand list <dead>", {"a & b", "", "…"});
    CHECK_THAT(svg, ContainsSubstring(">$ errand list &lt;dead&gt;</text>") &&
                        ContainsSubstring(">a &amp; b</text>") &&
                        ContainsSubstring("textLength=\"8\">…</text>"));
    CHECK(std::ranges::count(svg, '\n') == 9);
}
