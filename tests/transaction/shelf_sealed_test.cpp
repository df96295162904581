// A shelf of programs that encrypt what their tasks carry.
#include "core/shelf_rules.hpp"
#include "shelf_desk.hpp"
#include "support/encryption_keys.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <mutex>
#include <vector>

using namespace std::chrono_literals;
using namespace committed;
using errand::state;
using errand::test::eventually;
using errand::test::new_key;
using errand::test::with_keys;

namespace {

const std::string secret = "anna@example.org";

// What the row of a task holds.
std::string row_of(shelf_desk& d, const errand::handle<std::string>& h) {
    const auto db = errand::test::open_database(d.t.app, d.url, {.install = false});
    const auto day = errand::shelf_day(d.t.info(h).due_at.value());
    const auto rows = d.t.run(db->query<errand::sql::bytes>("SELECT body FROM " + d.table_of(day)));
    std::string all;
    for (const auto& one : rows) {
        for (const auto byte : one) all.push_back(static_cast<char>(byte));
    }
    return all;
}

}  // namespace

TEST_CASE("what tasks carry is not to be read in the shelf's rows when it is encrypted, and they run",
          "[shelf]") {
    shelf_desk d{errand::test::fresh_database_url(), with_keys(errand::test::fresh_settings(), new_key)};
    const auto h = d.far<confided>(secret);
    CHECK(d.on_shelf() == 1);
    const auto row = row_of(d, h);
    CHECK(row.find("confided") != row.npos);
    CHECK(row.find("errand.sealed.1:new:") != row.npos);
    CHECK(row.find(secret) == row.npos);
    CHECK(row.find("example.org") == row.npos);
    // Who has the key is shown it where it is.
    const auto info = d.t.info(h);
    CHECK(info.encrypted_with == "new");
    CHECK_FALSE(info.unreadable);
    CHECK(info.args == boost::json::array{secret});
    const auto page = d.t.run(d.t.app.inspect().list({.state = state::delayed}));
    REQUIRE(page.tasks.size() == 1);
    CHECK(page.tasks[0].args == boost::json::array{secret});
    d.t.start();
    CHECK(d.t.run(h.reschedule(std::chrono::system_clock::now())));
    CHECK(d.t.wait(h) == secret);
}

// So that what is looked for above could be found.
TEST_CASE("what tasks carry is to be read in the shelf's rows when it is not encrypted", "[shelf][plain]") {
    shelf_desk d;
    const auto row = row_of(d, d.far<confided>(secret));
    CHECK(row.find(secret) != row.npos);
}

TEST_CASE("a task that a worker without its key brings from the shelf waits for one that has it, and says so",
          "[shelf][shared_by_apps]") {
    const auto settings = errand::test::fresh_settings();
    shelf_desk d{errand::test::fresh_database_url(), with_keys(settings, new_key)};
    const auto h = d.far<confided>(secret);
    std::mutex guard;
    std::string why;
    test_app keyless{with_keys(d.eager(), "")};
    keyless.app.provide<place>();
    const auto on_shelf = keyless.run(keyless.app.find(h.id()));
    REQUIRE(on_shelf);
    CHECK(on_shelf->unreadable);
    CHECK(on_shelf->encrypted_with == "new");
    keyless.app.on_event([&](const errand::event& what) {
        if (what.kind != errand::event_kind::task_snoozed) return;
        const std::lock_guard lock{guard};
        why = what.text;
    });
    CHECK(fetch_all(keyless) == 1);
    CHECK(d.on_shelf() == 0);
    CHECK(d.t.run(h.reschedule(std::chrono::system_clock::now())));
    keyless.start();
    eventually([&] {
        const std::lock_guard lock{guard};
        return why == "args: encrypted with the key new, which this program does not have";
    });
    keyless.stop();
    CHECK(d.t.info(h).attempt == 0);
    d.t.start();
    CHECK(d.t.wait(h) == secret);
    CHECK(d.t.info(h).attempt == 1);
}
