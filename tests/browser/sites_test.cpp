// Pages of other sites beside the console, in the same browser, where somebody is logged in.
#include "browser/browser.hpp"
#include "browser/scribes.hpp"
#include "service/counter.hpp"
#include "service/token_list.hpp"
#include "support/fake_collector.hpp"
#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

using browser_test::browser;
using browser_test::fill;
using browser_test::quoted;
using browser_test::with;
using service_test::counter;

namespace {

const std::string pause_scribes = R"({"action": "pause", "of": "scribes"})";

bool is_paused(counter& t) {
    const auto queues = t.run(t.app.inspect().queues());
    return std::ranges::any_of(queues, [](const auto& one) { return one.name == "scribes" && one.paused; });
}

// What became of a request that the page makes: its kind, or that the browser kept the answer from it.
std::string asked(browser& b, const std::string& address, const std::string& how) {
    b.value_of("window.came = '', fetch(" + quoted(address) +
               ", {method: 'POST', credentials: 'include', body: " + quoted(pause_scribes) + ", " + how +
               "}).then(one => { window.came = one.type; }, () => { window.came = 'refused'; }), 1");
    b.until("window.came");
    return b.text_of("window.came");
}

// A form whose body is JSON, but for what it says that it is.
void send_form(browser& b, const std::string& address) {
    b.value_of(
        "(() => { const form = document.createElement('form'); const field = document.createElement('input');"
        "form.method = 'post'; form.enctype = 'text/plain'; form.action = " +
        quoted(address) + "; field.name = " + quoted(R"({"action": "pause", "of": "scribes", "more": ")") +
        "; field.value = " + quoted("\"}") +
        "; form.append(field); document.body.append(form); form.submit();"
        "return 1; })()");
}

}  // namespace

TEST_CASE("pages of other sites change nothing, by a form or by a request, while somebody is logged in") {
    const auto place = errand::test::temporary_folder("browser-tokens");
    const auto file = (place / "tokens").string();
    std::ofstream{file} << errand::web::token_line("bob", {"operate"}, "doer");
    auto how = with();
    how.tokens_file = file;
    {
        counter t{how};
        fill(t);
        errand::test::fake_collector site;  // of which pages are empty
        site.answer(404);
        auto& b = browser::fresh();
        b.open(t.address() + "/queues/scribes");
        b.until("document.querySelector('input[name=token]')");
        b.type("input[name=token]", "doer");
        b.click("Log in");
        b.until_text("Pause");
        const auto change = t.address() + "/ui/api/queue";
        // To one of them the browser sends the login along, as it is of the same host.
        for (const std::string host : {"127.0.0.1", "localhost"}) {
            INFO(host);
            const auto there = "http://" + host + ':' + std::to_string(site.port()) + '/';
            b.open(there);
            CHECK(asked(b, change, "headers: {'Content-Type': 'application/json'}") == "refused");
            CHECK(asked(b, change, "headers: {'Content-Type': 'text/plain'}") == "refused");
            CHECK(asked(b, change, "mode: 'no-cors'") == "opaque");
            CHECK_FALSE(is_paused(t));
            send_form(b, change);
            b.until_text("pages of other sites may not use this service");
            CHECK(b.text_of("location.href") == change);
            CHECK_FALSE(is_paused(t));
        }
        // By a name that somebody has given this machine in his own zone.
        const auto port = t.address().substr(t.address().rfind(':'));
        b.open("http://rebound.localhost" + port + "/queues/scribes");
        b.until_text("does not go by the name in the Host header");
        // The login holds all the while.
        b.open(t.address() + "/queues/scribes");
        b.click("Pause");
        b.until_text("nothing new starts");
        CHECK(is_paused(t));
        b.complaints();
    }
    std::filesystem::remove_all(place);
}
