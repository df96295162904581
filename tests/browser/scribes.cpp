#include "browser/scribes.hpp"

#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

ERRAND_DEFINE_HANDLER(browser_test::scribe)

namespace browser_test {

errand::awaitable<std::string> scribe::perform(std::string what) {
    auto& self = co_await errand::this_task();
    self.log().info("{}", markup);
    co_await self.progress(0.5, markup);
    co_await self.stage(markup.substr(0, 20), [what]() -> errand::awaitable<std::string> { co_return what; });
    if (what == "fail") throw std::runtime_error{markup};
    co_return what;
}

errand::service_options with(errand::console_options console) {
    errand::service_options how;
    how.console = std::move(console);
    return how;
}

std::string quoted(const std::string& text) { return boost::json::serialize(boost::json::value{text}); }

void no_complaints(browser& b) {
    for (const auto& one : b.complaints()) FAIL_CHECK(one);
}

std::vector<std::string> fill(service_test::counter& t) {
    errand::options how{.biz_id = markup, .headers = {{"x-note", markup}}, .tags = {markup}};
    const auto dead = t.run(t.app.perform("scribe", {"fail"}, how));
    how.biz_id = markup + "2";
    const auto good = t.run(t.app.perform("scribe", {markup}, how));
    const auto more = t.run(t.app.perform("scribe", {"fail"}));
    t.start();
    t.wait(good);
    for (const auto& one : {dead, more})
        errand::test::eventually([&] { return t.task(one.id()).state == errand::state::dead; });
    t.stop();
    how.biz_id = markup + "3";
    how.delay = std::chrono::hours{30 * 24};
    const auto later = t.run(t.app.perform("scribe", {markup}, how));
    errand::options after{.after = {errand::dependency{dead.id()}, errand::dependency{later.id()}},
                          .tags = {markup}};
    const auto waits = t.run(t.app.perform("scribe", {markup}, after));
    t.run(t.app.perform("parcel", {markup}));
    return {dead.id(), good.id(), later.id(), waits.id()};
}

}  // namespace browser_test
