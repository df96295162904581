// What is set of handlers at the store's seam: records by compare-and-set, and who hears of a change.
#include "core/bytes.hpp"
#include "core/import_record.hpp"
#include "support/store_fixture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct two_desks : store_fixture {
    member one = join("one:1");
    member two = join("two:1");

    static std::string record(std::uint64_t stamp, std::string_view rest = "") {
        std::string bytes;
        byte_writer out{bytes};
        out.fixed(stamp, 8);
        out.rest(rest);
        return bytes;
    }
    bool set(const std::string& handler, std::uint64_t seen, std::string with) {
        return await(io, one->set_settings({handler, seen, std::move(with)}));
    }
    std::string kept(const std::string& handler) { return await(io, two->find_settings(handler)); }
    std::vector<kept_settings> all(member& by) {
        std::vector<kept_settings> got;
        for (const auto& shard : await(io, by->settings())) {
            REQUIRE(shard);
            got.insert(got.end(), shard->begin(), shard->end());
        }
        std::ranges::sort(got, {}, &kept_settings::handler);
        return got;
    }
    beat_answer beat(member& by) { return await(io, by->beat("{}", 15s, {})); }
};

}  // namespace

TEST_CASE("what is set of a handler is changed by who has seen it as it is, and by nobody else") {
    two_desks t;
    CHECK(t.kept("h").empty());
    CHECK_FALSE(t.set("h", 7, t.record(8)));
    CHECK(t.kept("h").empty());
    CHECK(t.set("h", 0, t.record(1, "first")));
    CHECK(t.kept("h") == t.record(1, "first"));
    CHECK_FALSE(t.set("h", 0, t.record(2)));
    CHECK(t.set("h", 1, t.record(3, "second")));
    CHECK_FALSE(t.set("h", 1, t.record(4)));
    CHECK(t.kept("h") == t.record(3, "second"));
    CHECK_FALSE(t.set("h", 1, {}));
    CHECK(t.set("h", 3, {}));
    CHECK(t.kept("h").empty());
}

TEST_CASE("a change of settings that comes again is answered as the first time") {
    two_desks t;
    CHECK(t.set("h", 0, t.record(1)));
    CHECK(t.set("h", 0, t.record(1)));
    CHECK(t.set("h", 1, {}));
    CHECK(t.set("h", 1, {}));
    CHECK(t.kept("h").empty());
    const auto large = std::uint64_t{0xF123'4567'89AB'CDEF};
    CHECK(t.set("h", 0, t.record(large)));
    CHECK_FALSE(t.set("h", large - 1, t.record(2)));
    CHECK(t.set("h", large, t.record(2)));
}

TEST_CASE("what is set of all handlers comes in one answer, whatever their names are") {
    two_desks t;
    CHECK(t.all(t.one).empty());
    const std::vector<std::string> names{"", "a", "b\n:*", "shop::mail", std::string(300, 'x')};
    std::uint64_t stamp = 0;
    for (const auto& name : names) {
        ++stamp;
        if (!name.empty()) CHECK(t.set(name, 0, t.record(stamp, std::string{"\0\r\n", 3})));
    }
    const auto all = t.all(t.two);
    REQUIRE(all.size() == names.size() - 1);
    for (std::size_t at = 0; at < all.size(); ++at) {
        CHECK(all[at].handler == names[at + 1]);
        CHECK(all[at].record == t.record(at + 2, std::string{"\0\r\n", 3}));
    }
}

TEST_CASE("namespaces know nothing of each other's settings") {
    two_desks t;
    auto elsewhere = t.settings("three:1");
    elsewhere.name_space = "other";
    auto three = t.join(elsewhere);
    CHECK(t.set("h", 0, t.record(1)));
    CHECK(t.all(three).empty());
    CHECK(await(t.io, three->set_settings({"h", 0, t.record(2)})));
    CHECK(t.kept("h") == t.record(1));
    CHECK(three.ear->settings > 0);
}

TEST_CASE("everybody who has a connection hears of a change, and of nothing else") {
    two_desks t;
    t.beat(t.one);
    t.beat(t.two);
    CHECK(t.two.ear->settings == 0);
    CHECK(t.set("h", 0, t.record(1)));
    CHECK(t.until([&] { return t.one.ear->settings > 0 && t.two.ear->settings > 0; }));
    const auto before = t.two.ear->settings;
    CHECK_FALSE(t.set("h", 0, t.record(2)));
    CHECK(t.set("h", 0, t.record(1)));  // again
    t.all(t.two);
    t.beat(t.two);
    t.beat(t.two);
    CHECK(t.two.ear->settings == before);
    CHECK(t.set("h", 1, {}));
    CHECK(t.until([&] { return t.two.ear->settings > before; }));
}

TEST_CASE("of a change to how far an import has come nobody hears, and it does not count as set") {
    two_desks t;
    t.beat(t.two);
    const auto import = std::string{import_record_front} + "n";
    CHECK(t.set(import, 0, t.record(1)));
    CHECK_FALSE(t.set(import, 0, t.record(2)));
    CHECK(t.set(import, 0, t.record(1)));  // again
    CHECK(t.set(import, 1, t.record(3)));
    CHECK(t.kept(import) == t.record(3));
    CHECK_FALSE(t.join("three:1")->any_settings());
    // What everybody hears of comes behind it: it would have been heard before.
    CHECK(t.set("h", 0, t.record(4)));
    CHECK(t.until([&] { return t.two.ear->settings > 0; }));
    CHECK(t.two.ear->settings == 1);
    CHECK(t.set(import, 3, {}));
    CHECK(t.kept(import).empty());
    t.beat(t.two);
    CHECK(t.two.ear->settings == 1);
}

TEST_CASE("who comes later knows from the beginning whether anything is set") {
    two_desks t;
    CHECK_FALSE(t.join("three:1")->any_settings());
    CHECK(t.set("h", 0, t.record(1)));
    auto four = t.join("four:1");
    CHECK(four->any_settings());
    CHECK(t.all(four).size() == 1);
    t.beat(four);
    CHECK(four.ear->settings == 0);
}
