// What is done to many tasks from a page: a run of the server, which goes on by itself and ends when somebody says so.
#include "browser/browser.hpp"
#include "browser/scribes.hpp"
#include "service/counter.hpp"

#include <boost/json/value.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

using browser_test::browser;
using browser_test::no_complaints;
using service_test::counter;

TEST_CASE("Stop ends a run over a hundred thousand tasks after a page of them, and every tab sees it") {
    counter t;
    const std::vector<boost::json::value> numbers(100'000, boost::json::value{1});
    const auto later = t.app.handler<service_test::parcel>().with({.delay = std::chrono::hours{1}});
    REQUIRE(t.run(later.perform_bulk(numbers)).size() == numbers.size());
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks?state=delayed&queue=parcels");
    b.click("Cancel all …");
    b.until("document.querySelector('dialog[open] input[name=typed]')");
    // Counted to the end, or as far as one waits for it.
    b.type("dialog input[name=rate]", "2000");
    b.type("dialog input[name=typed]", b.text_of("document.querySelector('dialog[open] label b').innerText"));
    b.click("css=dialog[open] button[type=submit]");
    b.until("location.pathname === '/runs'");
    b.until(
        "[...document.querySelectorAll('main tbody tr')].some(one => /[1-9][0-9,]* done/.test(one.innerText))");
    const auto first = b.tab();
    const auto second = b.new_tab();
    b.to_tab(second);
    b.open(t.address() + "/runs");
    b.click("Stop");
    b.until("document.querySelector('main .state.stopped')");
    b.close_tab();
    b.to_tab(first);
    b.until("document.querySelector('main .state.stopped')");
    const auto left = t.tasks_in(errand::state::delayed);
    const auto done = numbers.size() - left;
    CHECK(left > 0);
    CHECK(done > 0);
    CHECK(t.tasks_in(errand::state::cancelled) == done);
    b.until("document.body.innerText.includes(new Intl.NumberFormat('en').format(" + std::to_string(done) +
            ") + ' done')");
    no_complaints(b);
}

TEST_CASE("all that match get another due time, counted first") {
    counter t;
    for (int i = 0; i < 3; ++i) t.run(t.app.perform("parcel", {i}, {.delay = std::chrono::hours{1}}));
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks?state=delayed&queue=parcels");
    b.click("Reschedule all …");
    b.until("document.querySelector('dialog[open] input[name=minutes]')");
    CHECK(b.text_of("document.querySelector('dialog[open] h2').innerText") == "Reschedule 3 tasks?");
    b.click("css=dialog[open] button[type=submit]");
    b.until("location.pathname === '/runs'");
    b.until_text("3 done");
    CHECK(t.tasks_in(errand::state::ready) == 3);
    no_complaints(b);
}
