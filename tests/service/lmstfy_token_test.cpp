// Tokens of lmstfy's API as the store keeps them: what a version cannot read of one is no matter of the others.
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "core/bytes.hpp"
#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"
#include "service/lmstfy/token_record.hpp"
#include "service/lmstfy_shop.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

using service_test::lmstfy_shop;
namespace lmstfy = errand::lmstfy;

namespace {

constexpr std::uint64_t some_stamp = 7;

lmstfy::kept_token token_of(const std::string& text) {
    return {.digest = lmstfy::digest_of(text), .description = text};
}

// What stands before the tokens of a record.
std::string front_of_record(std::uint8_t format, std::size_t tokens) {
    std::string bytes;
    errand::byte_writer out{bytes};
    out.fixed(some_stamp, 8);
    out.u8(format);
    out.number(tokens);
    return bytes;
}

std::string_view view_of(const std::array<unsigned char, 32>& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Of a version that knows another kind of limit.
std::string later_token(const std::string& text) {
    std::string bytes;
    errand::byte_writer out{bytes};
    out.rest(view_of(lmstfy::digest_of(text)));
    out.text(text);
    out.u8(2);
    out.text("whatever it means");
    return bytes;
}

// Changes the record of a namespace as no program of this version does.
void rewrite(lmstfy_shop& shop, const std::string& name_space,
             const std::function<std::string(const std::string&)>& change) {
    const auto name = lmstfy::token_record_name("default", name_space);
    auto& core = errand::detail::core_of(shop.t.app);
    const bool written =
        shop.t.run(errand::on_loop(core.background(), [&](errand::loop& there) -> errand::awaitable<bool> {
            const auto kept = co_await there.tasks().find_settings(name);
            errand::settings_step step{
                .handler = name, .seen = lmstfy::stamp_of(kept), .record = change(kept)};
            co_return co_await there.tasks().set_settings(std::move(step));
        }));
    REQUIRE(written);
}

}  // namespace

TEST_CASE("a record of tokens says the same when it is read and written again, whoever wrote it",
          "[service]") {
    auto limited = token_of("limited");
    limited.limit = lmstfy::request_limit{.read = 3, .write = 0, .interval = 60};
    const auto bytes = lmstfy::encode_tokens({token_of("plain"), limited}, some_stamp);
    const auto all = lmstfy::decode_tokens(bytes);
    REQUIRE(all.size() == 2);
    CHECK(all[0].description == "plain");
    CHECK_FALSE(all[0].limit);
    CHECK(all[1].limit == limited.limit);
    CHECK(lmstfy::encode_tokens(all, some_stamp) == bytes);

    // A later version may say more of a token: that stays.
    auto longer = all;
    longer[0].added = "more";
    const auto more = lmstfy::encode_tokens(longer, some_stamp);
    CHECK(lmstfy::decode_tokens(more)[0].added == "more");
    CHECK(lmstfy::encode_tokens(lmstfy::decode_tokens(more), some_stamp) == more);

    // The first format, in which tokens stand one behind the other.
    auto first = front_of_record(1, 1);
    errand::byte_writer out{first};
    out.rest(view_of(limited.digest));
    out.text("limited");
    out.u8(1);
    out.signed_number(3);
    out.signed_number(0);
    out.signed_number(60);
    const auto old = lmstfy::decode_tokens(first);
    REQUIRE(old.size() == 1);
    CHECK(old[0].digest == limited.digest);
    CHECK(old[0].limit == limited.limit);

    CHECK(lmstfy::decode_tokens("").empty());
    CHECK_THROWS_AS(lmstfy::decode_tokens(front_of_record(9, 0)), errand::bad_data);
    CHECK_THROWS_AS(lmstfy::decode_tokens(front_of_record(2, 1)), errand::bad_data);
}

TEST_CASE("what cannot be read of a token is kept, and lets nobody in", "[service]") {
    const auto later = later_token("later");
    auto bytes = front_of_record(2, 2);
    errand::byte_writer out{bytes};
    out.text(later);
    out.text("");
    const auto all = lmstfy::decode_tokens(bytes);
    REQUIRE(all.size() == 2);
    CHECK(all[0].unread == later);
    CHECK(lmstfy::token_with(all, lmstfy::digest_of("later")) == nullptr);
    // Nor does who knows what the store holds of it.
    CHECK(lmstfy::token_with(all, lmstfy::digest_of(later)) == nullptr);
    CHECK(lmstfy::encode_tokens(all, some_stamp) == bytes);
    auto left = all;
    const auto named = lmstfy::token_named(left, lmstfy::shown_name(all[0]));
    REQUIRE(named != left.end());
    CHECK(named->unread == later);
}

TEST_CASE("a token of lmstfy's API that this version cannot read keeps no other out", "[service]") {
    lmstfy_shop shop;
    auto at = shop.connect();
    auto other = shop.connect(shop.other());
    at.publish("q", "x");
    const auto later = later_token("later-token-of-another-version");
    rewrite(shop, shop.name(), [&](const std::string& kept) {
        auto all = lmstfy::decode_tokens(kept);
        all.insert(all.begin(), {.unread = later});
        return lmstfy::encode_tokens(all, some_stamp);
    });
    auto admin = shop.admin();
    const auto listed = [&] {
        const auto got = admin.ask("GET", "/token/" + shop.name());
        REQUIRE(got.status == 200);
        return got.json().at("tokens").as_object();
    };
    CHECK(listed().size() == 2);
    const auto name = lmstfy::shown_name({.digest = lmstfy::digest_of(later)});
    CHECK(listed().contains(name));
    CHECK(at.size("q") == 1);
    CHECK(other.size("q") == 0);
    CHECK(shop.with_token(shop.name(), "later-token-of-another-version").ask("GET", "q/size").status == 401);

    // What is changed besides leaves it where it is, and by its name it is taken away.
    const auto path = "/token/" + shop.name() + '/';
    CHECK(admin.ask("PUT", path + name + "/limit", R"({"read": 1, "interval": 1})").status == 409);
    CHECK(admin.ask("PUT", path + at.token() + "/limit", R"({"write": 100, "interval": 1})").status == 200);
    CHECK(listed().contains(name));
    CHECK(at.size("q") == 1);
    CHECK(admin.ask("DELETE", path + name).status == 204);
    CHECK(listed().size() == 1);
    CHECK(at.size("q") == 1);
}
