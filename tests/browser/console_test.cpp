// The console as a person has it before him: in a real browser, by clicking and typing.
#include "browser/browser.hpp"
#include "browser/scribes.hpp"
#include "service/counter.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

using browser_test::browser;
using browser_test::fill;
using browser_test::no_complaints;
using browser_test::quoted;
using browser_test::with;
using service_test::counter;
using service_test::shut;

TEST_CASE("an address shows the same to whom it is sent, Back goes back, and all is under its prefix") {
    for (const auto* prefix : {"", "/a/b"}) {
        counter t{with({.prefix = prefix})};
        const auto ids = fill(t);
        const auto home = t.address() + prefix;
        auto& b = browser::fresh();
        b.open(home + "/");
        b.until_text("Needs you");
        b.click("Tasks");
        b.until("location.pathname === " + quoted(std::string{prefix} + "/tasks"));
        b.click("css=.states a[href*=dead]");
        b.until("document.querySelectorAll('table.tasks tbody tr').length === 2");
        CHECK(b.text_of("location.href") == home + "/tasks?state=dead");
        b.click("css=table.tasks tbody tr:last-child a.open");
        b.until_text("Failed attempts");
        const auto here = b.text_of("location.href");
        const auto title = b.text_of(
            "document.querySelector('h1').innerText + document.querySelector('dl.facts').innerText");
        b.back();
        b.until("document.querySelectorAll('table.tasks tbody tr').length === 2");
        b.back();
        b.back();
        b.until_text("Needs you");
        CHECK(b.text_of("location.href") == home + "/");
        b.open(here);
        b.until_text("Failed attempts");
        // The times say how long ago.
        const auto first_line = [](const std::string& text) { return text.substr(0, text.find('(')); };
        CHECK(first_line(b.text_of(
                  "document.querySelector('h1').innerText + document.querySelector('dl.facts').innerText")) ==
              first_line(title));
        no_complaints(b);
    }
}

TEST_CASE("a queue is paused, a task cancelled and another revived by clicking") {
    counter t;
    const auto ids = fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/queues/scribes");
    b.click("Pause");
    b.click("Resume");
    b.until_text("goes on");
    b.click("Pause");
    b.until_text("nothing new starts");
    errand::test::eventually([&] {
        const auto queues = t.run(t.app.inspect().queues());
        return std::ranges::any_of(queues,
                                   [](const auto& one) { return one.name == "scribes" && one.paused; });
    });
    b.open(t.address() + "/tasks/" + ids[2]);
    b.click("Cancel");
    b.until("document.querySelector('dialog[open]')");
    b.click("Keep as it is");
    CHECK(t.task(ids[2]).state == errand::state::delayed);
    b.click("Cancel");
    b.click("css=dialog[open] button[type=submit]");
    b.until("document.querySelector('.head .state.cancelled')");
    CHECK(t.task(ids[2]).state == errand::state::cancelled);
    b.open(t.address() + "/tasks/" + ids[0]);
    b.click("Revive");
    b.until("document.querySelector('.head .state.ready')");
    b.until_text("its queue scribes is paused");
    CHECK(t.task(ids[0]).state == errand::state::ready);
    no_complaints(b);
}

TEST_CASE("a task's page leads to its trace and to its log lines, and health says how the service is set") {
    counter t{with({.trace_url = "https://traces.test/{trace_id}", .log_url = "https://logs.test/?q={id}"})};
    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const auto task = t.run(
        t.app.perform("parcel", {1}, {.headers = {{"traceparent", "00-" + trace + "-00f067aa0ba902b7-01"}}}));
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks/" + task.id());
    b.until_text("Log lines");
    const auto link = [&](const std::string& words) {
        return b.text_of("[...document.querySelectorAll('main a')].find(one => one.textContent === " +
                         quoted(words) + ").href");
    };
    CHECK(link("Trace") == "https://traces.test/" + trace);
    CHECK(link("Log lines") == "https://logs.test/?q=" + task.id());
    b.open(t.address() + "/health");
    b.until_text("How this service is set");
    b.until_text("traces at traces.test, log lines at logs.test");
    no_complaints(b);
}

TEST_CASE("of each handler half, 95 and 99 of 100 waits, runs and whole lives are shown") {
    counter t;
    fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/handlers");
    b.until("[...document.querySelectorAll('main tbody tr')].some(one => one.dataset.key === 'scribe')");
    const auto times = [&](const std::string& column) {
        return b
            .value_of("document.querySelector('tr[data-key=scribe] td[data-title^=\"" + column +
                      " 50\"]').querySelectorAll('.percentiles span').length")
            .to_number<int>();
    };
    for (const auto* column : {"wait", "run", "total"}) {
        INFO(column);
        CHECK(times(column) == 3);
    }
    b.click("css=tr[data-key=scribe] td[data-title=dead] a");
    b.until("location.search === '?state=dead&handler=scribe&group=error'");
    b.until("document.querySelectorAll('main tbody tr').length === 1");
    no_complaints(b);
}

TEST_CASE(
    "all failures of a cause are revived: counted first, asked for, done by the server, seen in every tab") {
    counter t;
    fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks?state=dead&group=error");
    b.until("document.querySelectorAll('main tbody tr').length === 1");
    b.click("Revive …");
    b.until("document.querySelector('dialog[open] h2')");
    CHECK(b.text_of("document.querySelector('dialog[open] h2').innerText") == "Revive 2 tasks?");
    CHECK(t.tasks_in(errand::state::dead, "scribes") == 2);
    b.click("css=dialog[open] button[type=submit]");
    b.until("location.pathname === '/runs'");
    b.until_text("2 done");
    CHECK(t.tasks_in(errand::state::dead, "scribes") == 0);
    const auto first = b.tab();
    const auto second = b.new_tab();
    b.to_tab(second);
    b.open(t.address() + "/runs");
    b.until_text("2 done");
    b.close_tab();
    b.to_tab(first);
    no_complaints(b);
}

TEST_CASE("before many are deleted their number is typed, and Stop leaves the rest") {
    counter t;
    for (int i = 0; i < 120; ++i) t.run(t.app.perform("parcel", {i}, {.delay = std::chrono::hours{1}}));
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks?state=delayed&queue=parcels");
    b.click("Delete all …");
    b.until("document.querySelector('dialog[open] input[name=typed]')");
    b.type("dialog input[name=rate]", "1");
    b.type("dialog input[name=typed]", "12");
    b.click("css=dialog[open] button[type=submit]");
    CHECK(b.holds("document.querySelector('dialog[open] input[name=typed]')"));
    CHECK(t.tasks_in(errand::state::delayed) == 120);
    b.type("dialog input[name=typed]", "120");
    b.click("css=dialog[open] button[type=submit]");
    b.until("location.pathname === '/runs'");
    errand::test::eventually([&] { return t.tasks_in(errand::state::delayed) < 120; });
    b.click("Stop");
    b.until("document.querySelector('main .state.stopped')");
    const auto left = t.tasks_in(errand::state::delayed);
    CHECK(left > 0);
    b.until_text(std::to_string(120 - left) + " done");
    no_complaints(b);
}

TEST_CASE("who may only look logs in, sees no buttons, and is refused what he asks for by hand") {
    const auto place = errand::test::temporary_folder("browser-tokens");
    const auto file = (place / "tokens").string();
    std::ofstream{file} << errand::web::token_line("ann", {"view"}, "looker")
                        << errand::web::token_line("bob", {"operate"}, "doer");
    auto how = with();
    how.tokens_file = file;
    {
        counter t{how};
        const auto ids = fill(t);
        auto& b = browser::fresh();
        b.open(t.address() + "/tasks/" + ids[0]);
        b.until("document.querySelector('input[name=token]')");
        b.type("input[name=token]", "wrong");
        b.click("Log in");
        b.until_text("lets nobody in");
        b.complaints();
        b.type("input[name=token]", "looker");
        b.click("Log in");
        b.until_text("Failed attempts");
        CHECK(b.text_of("location.pathname") == "/tasks/" + ids[0]);
        CHECK(b.text_of("document.cookie").empty());
        const std::string buttons =
            "[...document.querySelectorAll('main button')].map(one => one.textContent.trim()).filter(one => one !== 'Copy' && one !== 'Filter').join()";
        for (const auto* page : {"/", "/queues", "/queues/scribes", "/tasks?state=dead",
                                 "/tasks?state=dead&group=error", "/handlers", "/health"}) {
            INFO(page);
            b.open(t.address() + page);
            b.until("document.querySelector('main h1') && !document.querySelector('[aria-busy]')");
            CHECK(b.text_of(buttons).empty());
        }
        no_complaints(b);
        b.open(t.address() + "/tasks/" + ids[0]);
        b.until_text("Failed attempts");
        CHECK(b.text_of(buttons).empty());
        b.value_of(
            "window.got = 0, fetch('/ui/api/act', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({action: "
            "'revive', ids: [" +
            quoted(ids[0]) + "]})}).then(one => { window.got = one.status; }), 1");
        b.until("window.got");
        CHECK(b.value_of("window.got") == 403);
        CHECK(t.task(ids[0]).state == errand::state::dead);
        b.click("Log out");
        b.until("document.querySelector('input[name=token]')");
        b.type("input[name=token]", "doer");
        b.click("Log in");
        b.click("Revive");
        b.until("document.querySelector('.head .state.ready')");
        b.complaints();
    }
    std::filesystem::remove_all(place);
}

TEST_CASE("a task that ends shows without a reload, and a hidden tab listens to nothing") {
    counter t;
    shut = true;
    t.start();
    const auto task = t.run(t.app.perform("parcel", {1}));
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks/" + task.id());
    b.until("document.querySelector('.head .state.working')");
    b.value_of("window.same = true");
    shut = false;
    b.until("document.querySelector('.head .state.success')");
    CHECK(b.holds("window.same"));
    auto at = t.connect();
    const auto watchers = [&] {
        return at.ask("GET", "/ui/api/view/health").json().at("watchers").to_number<int>();
    };
    errand::test::eventually([&] { return watchers() == 1; });
    const auto first = b.tab();
    const auto second = b.new_tab();
    b.to_tab(second);
    errand::test::eventually([&] { return watchers() == 0; });
    // Of eight the one that is seen.
    std::vector<std::string> tabs{first, second};
    while (tabs.size() < 8) {
        b.open(t.address() + "/queues");
        b.until_text("parcels");
        tabs.push_back(b.new_tab());
        b.to_tab(tabs.back());
    }
    b.open(t.address() + "/queues");
    errand::test::eventually([&] { return watchers() == 1; });
    for (; tabs.size() > 1; tabs.pop_back()) {
        b.to_tab(tabs.back());
        b.close_tab();
    }
    b.to_tab(first);
    errand::test::eventually([&] { return watchers() == 1; });
    no_complaints(b);
}

TEST_CASE("a server that is gone is said so, and what is seen is from before until it is there again") {
    const auto port = errand::test::free_port();
    auto how = with();
    how.listen = {"127.0.0.1:" + std::to_string(port)};
    counter t{how};
    t.run(t.app.perform("parcel", {1}));
    auto& b = browser::fresh();
    b.open(t.address() + "/queues");
    b.until_text("parcels");
    no_complaints(b);
    t.stop_service();
    b.until("document.querySelector('.banner') && document.querySelector('main.stale')");
    CHECK(b.holds("document.body.innerText.includes('parcels')"));
    b.screenshot("away-1280-light");
    counter again{how, t.app.settings()};
    again.run(again.app.perform("parcel", {2}));
    b.until("!document.querySelector('.banner') && !document.querySelector('main.stale')");
    b.until(
        "[...document.querySelectorAll('main tbody td[data-title=ready]')].some(one => one.innerText === '2')");
}

TEST_CASE("numbers that a browser cannot hold are shown and changed to the last digit") {
    counter t;
    const auto task =
        t.run(t.app.perform("parcel", {std::int64_t{9007199254740993}}, {.delay = std::chrono::hours{1}}));
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks/" + task.id());
    b.until_text("9007199254740993");
    b.click("Change …");
    b.until("document.querySelector('dialog[open] textarea')");
    CHECK(b.text_of("document.querySelector('dialog textarea').value") == "[9007199254740993]");
    b.type("dialog textarea", "[9007199254740995]");
    b.click("css=dialog[open] button[type=submit]");
    b.until_text("9007199254740995");
    CHECK(t.task(task.id()).args == boost::json::array{std::int64_t{9007199254740995}});
    no_complaints(b);
}

// Where a browser keeps its clipboard from pages: plain HTTP by another name than localhost.
TEST_CASE("what is copied is exact, also over plain HTTP, and what is long is folded") {
    auto how = with();
    how.hosts = {"console.test"};
    counter t{how};
    const auto number =
        t.run(t.app.perform("parcel", {std::int64_t{9007199254740993}}, {.delay = std::chrono::hours{1}}));
    const auto large =
        t.run(t.app.perform("parcel", {std::string(1'000'000, 'x')}, {.delay = std::chrono::hours{1}}));
    const auto home = "http://console.test" + t.address().substr(t.address().rfind(':'));
    auto& b = browser::fresh();
    b.open(home + "/tasks/" + number.id());
    b.until_text("9007199254740993");
    CHECK_FALSE(b.holds("isSecureContext"));
    b.click("css=.exact button");
    b.until_text("copied");
    b.type("#search", "\xEE\x80\x89v");  // Control and V
    b.until("document.getElementById('search').value === '[9007199254740993]'");
    b.open(home + "/tasks/" + large.id());
    b.until("document.querySelector('.exact pre')");
    const auto shown = [&] {
        return b.value_of("document.querySelector('.exact pre').textContent.length").to_number<int>();
    };
    CHECK(shown() < 5000);
    b.click("Show all 1,000,004 characters");
    b.until("document.querySelector('.exact pre').textContent.length === 1000004");
    b.click("Show less");
    b.until("document.querySelector('.exact pre').textContent.length < 5000");
    // Of a header that is for TLS alone the browser says so here.
    for (const auto& one : b.complaints()) CHECK(one.find("Cross-Origin-Opener-Policy") != one.npos);
}

TEST_CASE("all is reached by keys alone, and a dialog gives the focus back") {
    counter t;
    const auto ids = fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/");
    b.until_text("Needs you");
    b.press("gt");
    b.until("location.pathname === '/tasks'");
    b.press("gq");
    b.until("location.pathname === '/queues' && document.querySelector('main tbody tr')");
    b.press("j");
    b.until("document.activeElement.textContent === 'parcels'");
    b.press("j\xEE\x80\x87");  // Enter
    b.until("location.pathname === '/queues/scribes'");
    b.press("/");
    b.until("document.activeElement.id === 'search'");
    b.press("state:dead\xEE\x80\x87");
    b.until(
        "location.search === '?state=dead' && document.querySelectorAll('table.tasks tbody tr').length === 2");
    b.value_of("document.activeElement.blur()");
    b.press("jx");
    b.until("document.querySelectorAll('tr.chosen').length === 1");
    b.open(t.address() + "/tasks/" + ids[2]);
    b.until("[...document.querySelectorAll('main button')].some(one => one.textContent === 'Delete')");
    b.value_of(
        "[...document.querySelectorAll('main button')].find(one => one.textContent === 'Delete').focus()");
    b.press("\xEE\x80\x87");
    b.until(
        "document.querySelector('dialog[open]') && document.querySelector('dialog').contains(document.activeElement)");
    b.press("\xEE\x80\x8C");  // Escape
    b.until("!document.querySelector('dialog[open]') && document.activeElement.textContent === 'Delete'");
    b.press("?");
    b.until_text("overview, queues, tasks");
    CHECK(t.task(ids[2]).state == errand::state::delayed);
    no_complaints(b);
}
