// What a page makes of the frames of its stream, given by the test in the service's place.
#include "browser/browser.hpp"
#include "browser/scribes.hpp"

#include <catch2/catch_test_macros.hpp>

using browser_test::browser;
using browser_test::fill;
using browser_test::no_complaints;
using service_test::counter;

namespace {

// From the next page on streams of this view are `window.stream`, and what it shows now is `window.frame`.
void take_stream(browser& b, const std::string& view) {
    b.value_of("window.frame = null, fetch('/ui/api/view/" + view +
               "').then(one => one.json()).then(one => { window.frame = one; }), 1");
    b.until("window.frame");
    b.value_of(R"(window.EventSource = class {
      constructor(address) { if (address.includes('/live/)" +
               view.substr(0, view.find('?')) +
               R"(')) window.stream = this; }
      addEventListener() {}
      close() {}
    }, 1)");
}

// A task that had bad luck: killed with its worker, failed by a clock that ran ahead, snoozed, revived after a month; and ten
// stages, one of them longer than the attempt.
const char* const hard_life = R"((() => {
  const at = (ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  const day = 86400000;
  const failed = (attempt, from, to, worker) => ({attempt, started_at: from === null ? null : at(from), at: at(to), worker, type: 'error', message: 'no'});
  return JSON.stringify({...window.frame, state: 'success', attempt: 4, submitted_at: at(0), started_at: at(40 * day), finished_at: at(40 * day + 900),
    errors: [failed(1, 30 * day, 30 * day + 20, 'a'), failed(2, 30 * day + 5000, 30 * day + 4000, 'b'), failed(3, null, 30 * day + 9000, '')],
    stages: [...Array(10).keys()].map((i) => ({name: 'stage ' + i, attempt: 4, started_at: at(40 * day + i * 80), length_ms: i === 9 ? 5000 : 80, result: null}))});
})())";

}  // namespace

TEST_CASE("a page that is left open keeps nothing of what it has shown") {
    counter t;
    fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/");
    b.until_text("Needs you");
    take_stream(b, "overview");
    b.press("gq");
    b.until("location.pathname === '/queues'");
    b.press("go");
    b.until("location.pathname === '/' && window.stream");
    // Each is drawn before the next comes.
    const auto show = [&](int frames) {
        b.value_of("(async () => { for (let i = 0; i < " + std::to_string(frames) + R"(; i += 1) {
          window.frame.tasks.success = 1000000 + i;
          window.stream.onmessage({data: JSON.stringify(window.frame)});
          await new Promise((done) => { const channel = new MessageChannel(); channel.port1.onmessage = done; channel.port2.postMessage(0); });
        } return true; })())");
    };
    // Until the browser has compiled what draws it, and has learned of it.
    for (int i = 0; i < 16; ++i) show(50);
    b.until("document.querySelector('.counts .success .n').title === '1,000,049'");
    const auto before = b.heap();
    // An hour.
    for (int i = 0; i < 72; ++i) show(50);
    const auto after = b.heap();
    INFO(before << " bytes before, " << after << " after");
    // A frame is some thousand bytes, what is drawn of it a hundred thousand.
    CHECK(after < before + 200 * 1000);
    no_complaints(b);
}

TEST_CASE("a timeline has no bar that is turned round, and cuts what was idle") {
    counter t;
    const auto ids = fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/tasks/" + ids[1]);
    b.until("document.querySelector('.timeline')");
    take_stream(b, "task?of=" + ids[1]);
    b.press("gq");
    b.until("location.pathname === '/queues'");
    b.back();
    b.until("window.stream");
    b.value_of("window.stream.onmessage({data: " + std::string{hard_life} + "}), 1");
    b.until("document.querySelectorAll('.timeline .stage').length === 10");
    CHECK(b.value_of("document.querySelectorAll('.timeline .failed').length") == 3);
    CHECK(b.value_of("document.querySelectorAll('.timeline .good').length") == 1);
    // The month until it was due, the time between attempts.
    CHECK(b.value_of("document.querySelectorAll('.timeline .idle.cut').length").to_number<int>() >= 2);
    const auto wrong = b.text_of(R"([...document.querySelectorAll('.timeline .span')].map(one => {
        const [left, width] = [parseFloat(one.style.left), parseFloat(one.style.width)];
        return left >= 0 && width > 0 && left + width <= 100.001 ? '' : left + ' + ' + width;
      }).join(''))");
    CHECK(wrong == "");
    // What took less than a second is seen beside a month.
    CHECK(b.holds("document.querySelector('.timeline .good .span').getBoundingClientRect().width > 20"));
    CHECK_FALSE(b.holds(
        "/-\\d/.test([...document.querySelectorAll('.timeline .took')].map(one => one.textContent.split('·')[1]).join())"));
    no_complaints(b);
}

TEST_CASE("more days than a chart shows are shown by week as well, and all are no burden to the page") {
    counter t;
    fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/queues");
    b.until_text("scribes");
    take_stream(b, "days");
    b.press("go");
    b.until("location.pathname === '/' && window.stream");
    b.value_of(R"(window.stream.onmessage({data: JSON.stringify({days: [...Array(400).keys()].map((i) => ({
        day: new Date(Date.UTC(2026, 0, 1) + i * 86400000).toISOString().slice(0, 10), success: 2, dead: i === 399 ? 1 : 0}))})}), 1)");
    b.until("[...document.querySelectorAll('figcaption')].some(one => one.textContent.includes('Weeks'))");
    const auto bars_of = [&](const std::string& chart, const std::string& kind) {
        return b
            .value_of("[...document.querySelectorAll('figure')].find(one => one.textContent.includes(" +
                      browser_test::quoted(chart) + ")).querySelectorAll('rect." + kind + "').length")
            .to_number<int>();
    };
    CHECK(bars_of("Days (UTC)", "good") == 60);
    CHECK(bars_of("Days (UTC)", "bad") == 1);
    // From a Thursday on, to a Thursday.
    CHECK(bars_of("Weeks (UTC)", "good") == 58);
    CHECK(bars_of("Weeks (UTC)", "bad") == 1);
    CHECK(b.value_of("document.querySelectorAll('*').length").to_number<int>() < 2000);
    no_complaints(b);
}

TEST_CASE("a queue shows how many tasks were ready in it lately") {
    counter t;
    fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/queues");
    b.until_text("scribes");
    take_stream(b, "queues");
    b.press("go");
    b.until("location.pathname === '/'");
    b.press("gq");
    b.until("location.pathname === '/queues' && window.stream");
    b.value_of(
        "window.frame.queues.forEach(one => { one.recent = [0, 5, 10]; }), window.stream.onmessage({data: JSON.stringify(window.frame)}), 1");
    b.until("document.querySelector('main .spark polyline')");
    CHECK(b.text_of("document.querySelector('main .spark polyline').getAttribute('points')") ==
          "0,22 50,12 100,2");
    CHECK(b.text_of("document.querySelector('main .spark').getAttribute('aria-label')")
              .ends_with(", 3 minutes"));
    no_complaints(b);
}

TEST_CASE("of many tasks around one the nearest are drawn, and all are listed a hundred at a time") {
    counter t;
    const auto ids = fill(t);
    auto& b = browser::fresh();
    b.open(t.address() + "/queues");
    b.until_text("scribes");
    // A star of 350.
    b.value_of(
        R"(window.fetch = ((was) => (address, how) => String(address).includes('/view/graph') ? Promise.resolve(new Response(JSON.stringify({
        complete: true,
        nodes: [...Array(350).keys()].map((i) => ({id: 'task-' + i, handler: 'scribe', biz_id: null, state: 'ready'})),
        edges: [...Array(349).keys()].map((i) => ({from: 'task-0', to: 'task-' + (i + 1)}))}))) : was(address, how))(window.fetch), 1)");
    b.type("#search", ids[0] + "\xEE\x80\x87");
    b.until_text("What it depends on, and what on it");
    b.click("What it depends on, and what on it");
    b.until("document.querySelectorAll('.graph .node').length === 300");
    CHECK(b.value_of("document.querySelectorAll('.graph .edge').length") == 299);
    b.until_text("The nearest 300 are drawn");
    const auto listed = [&] {
        return b.value_of("document.querySelectorAll('.tree li').length").to_number<int>();
    };
    CHECK(listed() == 100);
    for (int i = 0; i < 2; ++i) b.click("Show 100 more of 350");
    b.click("Show 50 more of 350");
    b.until("document.querySelectorAll('.tree li').length === 350");
    no_complaints(b);
}
