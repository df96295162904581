// How pages look: on a screen and on a phone, by day and by night, to who sees little, with markup in every field.
#include "browser/axe.hpp"
#include "browser/browser.hpp"
#include "browser/scribes.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>

using browser_test::barriers;
using browser_test::browser;
using browser_test::fill;
using browser_test::markup;
using browser_test::no_complaints;
using browser_test::quoted;
using browser_test::scribe;
using browser_test::with;
using service_test::counter;
using service_test::shut;

namespace {

void ask(counter& t, const std::string& what, const std::string& body) {
    auto at = t.connect();
    const auto got = at.ask("POST", "/ui/api/" + what, body, {"Sec-Fetch-Site: same-origin"});
    INFO(got.body);
    REQUIRE(got.status < 300);
}

// A worker at work, a schedule, a run, something done by hand: what makes a page of each table.
void bustle(counter& t) {
    t.run(t.app.handler<scribe>().every(std::chrono::hours{1}, {.key = markup}, markup));
    ask(t, "queue", R"({"action": "pause", "of": "scribes"})");
    ask(t, "run", R"({"action": "revive", "state": "dead", "dry_run": true})");
    ask(t, "run", R"({"action": "check"})");
    shut = true;
    t.run(t.app.set_limit("handler:bulky", errand::limit_rule{.max_running = 0}));
    t.run(t.app.perform("bulky", {markup}, {.biz_id = markup}));
    t.start();
    errand::test::eventually([&] {
        auto at = t.connect();
        const auto limits = at.ask("GET", "/ui/api/view/limits").json();
        return t.tasks_in(errand::state::working) == 1 && !limits.at("waiters").as_array().empty();
    });
}

void drawn(browser& b) {
    b.until("document.querySelector('main h1') && !document.querySelector('[aria-busy]')");
}

void see(browser& b, bool dark, int width) {
    b.prefer_dark(dark);
    b.resize(width, 900);
    CHECK(b.value_of("document.documentElement.scrollWidth").to_number<int>() <= width);
    CHECK(barriers(b) == "");
}

// A picture of each as well, when ERRAND_PICTURES names a folder.
void see_all(browser& b, const std::string& name) {
    for (const bool dark : {false, true}) {
        for (const int width : {1280, 360}) {
            INFO(name << ' ' << width << (dark ? " dark" : " light"));
            see(b, dark, width);
            b.screenshot(name + '-' + std::to_string(width) + (dark ? "-dark" : "-light"));
        }
    }
    // Rows are cards now that it is narrow.
    CHECK(b.holds(
        "[...document.querySelectorAll('main td')].every(one => getComputedStyle(one).display !== 'table-cell')"));
    b.prefer_dark(false);
    b.resize(1280, 900);
}

// What lies over a page: once as narrow and dark, once as wide and light.
void see_twice(browser& b, const std::string& name) {
    INFO(name);
    see(b, true, 360);
    see(b, false, 1280);
}

std::size_t times_in(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
    return times;
}

}  // namespace

TEST_CASE(
    "every page is drawn without a complaint, shows what users wrote as text, fits a phone, and keeps nobody out") {
    counter t;
    const auto ids = fill(t);
    bustle(t);
    auto& b = browser::fresh();
    const std::vector<std::pair<std::string, std::string>> pages{
        {"/", "overview"},
        {"/queues", "queues"},
        {"/queues/scribes", "queue"},
        {"/tasks?state=dead", "tasks"},
        {"/tasks?state=dead&group=error", "failures"},
        {"/workers", "workers"},
        {"/handlers", "handlers"},
        {"/schedules", "schedules"},
        {"/limits", "limits"},
        {"/runs", "runs"},
        {"/health", "health"},
        {"/tenants", "tenants"},
        {"/tasks/" + ids[0], "task-dead"},
        {"/tasks/" + ids[1], "task-success"},
        {"/tasks/" + ids[2], "task-delayed"},
        {"/tasks/" + ids[3], "task-waiting"},
        {"/tasks/" + ids[0] + "/graph", "graph"},
        {"/queues/nowhere", "nowhere"}};
    for (const auto& [path, name] : pages) {
        INFO(path);
        b.open(t.address() + path);
        name == "nowhere" ? b.until_text("Not here") : drawn(b);
        see_all(b, name);
        CHECK(b.value_of("document.querySelectorAll('main img, main script').length") == 0);
        CHECK_FALSE(b.holds("document.title.includes('taken')"));
        no_complaints(b);
    }
    const auto seen_at = [&](const std::string& path) {
        b.open(t.address() + path);
        drawn(b);
        return b.text_of("document.querySelector('main').innerText");
    };
    const auto task = seen_at("/tasks/" + ids[0]);
    INFO(task);
    // biz_id, tag, header, error, log.
    CHECK(times_in(task, markup) >= 5);
    CHECK(times_in(seen_at("/schedules"), markup) >= 1);
    CHECK(times_in(seen_at("/tasks?state=dead&group=error"), markup) >= 1);
    CHECK(times_in(seen_at("/workers"), "parcel") >= 1);
    CHECK(times_in(seen_at("/runs"), "count for revive") >= 1);
    const auto limits = seen_at("/limits");
    CHECK(times_in(limits, "Who waits") == 1);
    CHECK(times_in(limits, markup) >= 1);
}

TEST_CASE(
    "the overview says without a second look whether work gets done, of one answer after all that it is made of") {
    counter t;
    fill(t);
    auto& b = browser::fresh();
    for (const int width : {1280, 360}) {
        INFO(width);
        b.resize(width, 900);
        b.open(t.address() + "/");
        b.until_text("Needs you");
        for (const auto* what : {".verdict h1", ".verdict p", ".needs li"}) {
            INFO(what);
            CHECK(b.holds("document.querySelector(" + quoted(what) +
                          ").getBoundingClientRect().bottom <= innerHeight && scrollY === 0"));
        }
        // No file waits for another one to name it.
        CHECK(b.text_of(R"(performance.getEntriesByType('resource').map(one => one.name)
            .filter(one => new URL(one).pathname.endsWith('.js'))
            .filter(one => ![...document.querySelectorAll('link[rel=modulepreload], script[src]')].some(by => one === (by.href || by.src)))
            .join())") == "");
        CHECK(b.value_of(
                   "performance.getEntriesByType('resource').filter(one => one.name.endsWith('.js')).length")
                  .to_number<int>() > 20);
        // Who is there; the rest comes by its stream.
        CHECK(b.text_of(R"(performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)
            .filter(one => one.startsWith('/ui/api/') && !one.startsWith('/ui/api/live/')).join())") ==
              "/ui/api/session");
        no_complaints(b);
    }
}

TEST_CASE("the login, what asks and what says something keep nobody out") {
    const auto place = errand::test::temporary_folder("browser-tokens");
    const auto file = (place / "tokens").string();
    std::ofstream{file} << errand::web::token_line("ann", {"operate"}, "doer");
    auto how = with();
    how.tokens_file = file;
    {
        counter t{how};
        const auto ids = fill(t);
        auto& b = browser::fresh();
        b.open(t.address() + "/tasks/" + ids[2]);
        b.until("document.querySelector('input[name=token]')");
        b.type("input[name=token]", "wrong");
        b.click("Log in");
        b.until_text("lets nobody in");
        see_twice(b, "login");
        b.complaints();
        b.type("input[name=token]", "doer");
        b.click("Log in");
        b.click("Reschedule …");
        b.until("document.querySelector('dialog[open] input')");
        see_twice(b, "question");
        b.click("Keep as it is");
        b.press("?");
        b.until_text("overview, queues, tasks");
        see_twice(b, "keys");
        b.press("\xEE\x80\x8C");  // Escape
        b.open(t.address() + "/tasks?state=dead");
        b.click("Delete all …");
        b.until("document.querySelector('dialog[open] input[name=typed]')");
        see_twice(b, "delete");
        b.click("Keep as it is");
        t.stop_service();
        b.until("document.querySelector('.banner') && document.querySelector('main.stale')");
        see_twice(b, "away");
        b.complaints();
    }
    std::filesystem::remove_all(place);
}

TEST_CASE("a page draws no more than a browser holds with ease, however much there is") {
    counter t;
    for (int i = 0; i < 120; ++i)
        t.run(t.app.perform("parcel", {i}, {.queue = "queue-" + std::to_string(i)}));
    auto& b = browser::fresh();
    const auto elements = [&] {
        return b.value_of("document.querySelectorAll('*').length").to_number<int>();
    };
    for (const auto* path : {"/", "/tasks?state=ready", "/queues"}) {
        INFO(path);
        b.open(t.address() + path);
        drawn(b);
        CHECK(elements() < 2000);
    }
    const auto rows = [&] {
        return b.value_of("document.querySelectorAll('main tbody tr').length").to_number<int>();
    };
    CHECK(rows() == 50);
    b.click("Show 50 more of 120");
    b.click("Show 20 more of 120");
    CHECK(rows() == 120);
    CHECK_FALSE(b.holds(
        "[...document.querySelectorAll('main button')].some(one => one.textContent.includes('more of'))"));
    no_complaints(b);
}
