// Tokens that the store keeps for all servers of a namespace.
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "runtime/app_core.hpp"
#include "runtime/on_loop.hpp"
#include "service/instant.hpp"
#include "service/stored_tokens.hpp"
#include "service/token_folder.hpp"
#include "support/store_kind.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <memory>
#include <optional>

using Catch::Matchers::ContainsSubstring;
using service_test::counter;
using service_test::holder;
using service_test::token_folder;
using service_test::with_stored_tokens;
using service_test::with_tokens;
namespace json = boost::json;
namespace web = errand::web;

namespace {

const std::string admin_token = "chief-token";

std::string of_admin() { return web::token_line("zoe", {"admin", "view"}, admin_token); }

std::string make_stored(holder& by, std::string_view body) {
    const auto got = by.ask("POST", "/tokens", body);
    INFO(body << got.body);
    REQUIRE(got.status == 201);
    return std::string{got.json().at("token").as_string()};
}

}  // namespace

TEST_CASE("a token that is made over HTTP lets in at all servers, until it is revoked", "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(of_admin()))};
    std::optional<counter> second;
    if (errand::test::can(errand::test::capability::shared_by_apps))
        second.emplace(with_stored_tokens(), t.app.settings());
    holder zoe{t, admin_token};
    const auto made = zoe.ask(
        "POST", "/tokens",
        R"({"name": "shop", "scopes": ["submit", "work"], "rate": {"count": 1000, "per_ms": 60000}})");
    INFO(made.body);
    REQUIRE(made.status == 201);
    const auto shown = made.json().as_object();
    const std::string token{shown.at("token").as_string()};
    CHECK(token.size() == 7 + 64);
    CHECK(shown.at("name") == "shop");
    CHECK(shown.at("scopes") == json::array{"submit", "work"});
    CHECK(shown.at("queues").is_null());
    CHECK(shown.at("rate") == json::object{{"count", 1000}, {"per_ms", 60000}});
    CHECK(shown.at("expires_at").is_null());
    CHECK(shown.at("kept_in") == "store");
    // The store has nothing that lets in.
    CHECK_THAT(t.run(web::stored_tokens(t.app)),
               ContainsSubstring("shop submit,work ") && !ContainsSubstring(token));

    holder shop{t, token};
    holder elsewhere{second ? *second : t, token};
    CHECK(shop.status("/queues") == 200);
    errand::test::eventually([&] { return elsewhere.status("/queues") == 200; });
    CHECK(elsewhere.ask("POST", "/tasks", R"({"handler": "parcel", "args": [1]})").status == 201);
    CHECK(elsewhere.status("/quota") == 403);
    // The file of one server is its own.
    holder zoe_elsewhere{second ? *second : t, admin_token};
    CHECK(zoe_elsewhere.status("/queues") == (second ? 401 : 200));

    const auto listed = zoe.ask("GET", "/tokens").json().at("tokens").as_array();
    REQUIRE(listed.size() == 2);
    CHECK(listed.at(0).at("id") == shown.at("id"));
    CHECK(listed.at(1).at("name") == "zoe");
    CHECK(listed.at(1).at("kept_in") == "file");
    CHECK_FALSE(listed.at(0).as_object().contains("token"));

    CHECK(zoe.ask("DELETE", "/tokens/shop").json() == json::value{{"revoked", 1}});
    CHECK(shop.status("/queues") == 401);
    errand::test::eventually([&] { return elsewhere.status("/queues") == 401; });
    CHECK(zoe.ask("DELETE", "/tokens/shop").status == 404);
    // What stands in the file is taken out there.
    CHECK(zoe.ask("DELETE", "/tokens/zoe").status == 404);
    CHECK(zoe.status("/tokens") == 200);
    CHECK(t.run(web::stored_tokens(t.app)).empty());
}

TEST_CASE("of several tokens of one name one is revoked by its id, and all by the name", "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(of_admin()))};
    holder zoe{t, admin_token};
    const auto make_one = [&] { return make_stored(zoe, R"({"name": "shop", "scopes": ["view"]})"); };
    holder first{t, make_one()};
    holder second{t, make_one()};
    holder third{t, make_one()};
    const auto listed = zoe.ask("GET", "/tokens").json().at("tokens").as_array();
    REQUIRE(listed.size() == 4);
    const std::string id{listed.at(1).at("id").as_string()};
    CHECK(zoe.ask("DELETE", "/tokens/" + id).json() == json::value{{"revoked", 1}});
    CHECK(first.status("/queues") == 200);
    CHECK(second.status("/queues") == 401);
    CHECK(third.status("/queues") == 200);
    CHECK(zoe.ask("DELETE", "/tokens/shop").json() == json::value{{"revoked", 2}});
    CHECK(first.status("/queues") == 401);
    CHECK(third.status("/queues") == 401);
}

TEST_CASE("a stored token whose time is over lets nobody in", "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(of_admin()))};
    holder zoe{t, admin_token};
    // Of its end milliseconds are kept.
    const auto began = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    holder brief{t, make_stored(zoe, R"({"name": "brief", "scopes": ["view"], "expires_in_ms": 1500})")};
    holder later{
        t,
        make_stored(zoe, R"({"name": "later", "scopes": ["view"], "expires_at": "2099-01-01T00:00:00Z"})")};
    errand::test::eventually([&] { return brief.status("/queues") == 401; });
    CHECK(std::chrono::system_clock::now() >= began + std::chrono::milliseconds{1500});
    CHECK(later.status("/queues") == 200);
    // It is listed until it is revoked.
    CHECK(zoe.ask("GET", "/tokens").json().at("tokens").as_array().size() == 3);
}

TEST_CASE("only who administers makes tokens, and what does not fit is refused and made by nobody",
          "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(of_admin() + web::token_line("bob", {"operate"}, "bob-token")))};
    holder zoe{t, admin_token};
    holder bob{t, "bob-token"};
    CHECK(bob.ask("POST", "/tokens", R"({"name": "shop", "scopes": ["view"]})").status == 403);
    CHECK(bob.status("/tokens") == 403);
    CHECK(bob.ask("DELETE", "/tokens/zoe").status == 403);
    for (
        const auto* body :
        {R"({"name": "shop", "scopes": []})", R"({"name": "shop", "scopes": ["root"]})",
         R"({"name": "a b", "scopes": ["view"]})", R"({"name": "", "scopes": ["view"]})",
         R"({"name": "sha256-0123456789abcdef", "scopes": ["view"]})",
         R"({"name": "shop", "scopes": ["view"], "queues": []})",
         R"({"name": "shop", "scopes": ["view"], "queues": [""]})",
         R"({"name": "shop", "scopes": ["operate"], "queues": ["mail"]})",
         R"({"name": "shop", "scopes": ["admin"], "queues": ["mail"]})",
         R"({"name": "shop", "scopes": ["view"], "rate": {"count": 0}})",
         R"({"name": "shop", "scopes": ["view"], "rate": {"per_ms": 5}})",
         R"({"name": "shop", "scopes": ["view"], "rate": {"count": 1, "per_ms": 0}})",
         R"({"name": "shop", "scopes": ["view"], "rate": {"count": 1, "burst": 5}})",
         R"({"name": "shop", "scopes": ["view"], "expires_at": "2001-01-01T00:00:00Z"})",
         R"({"name": "shop", "scopes": ["view"], "expires_in_ms": 0})",
         R"({"name": "shop", "scopes": ["view"], "expires_in_ms": 5, "expires_at": "2099-01-01T00:00:00Z"})"}) {
        const auto got = zoe.ask("POST", "/tokens", body);
        INFO(body << got.body);
        CHECK(got.status == 400);
    }
    CHECK(t.run(web::stored_tokens(t.app)).empty());
}

TEST_CASE("where nobody is asked for a token none is made", "[service]") {
    counter t;
    auto at = t.connect();
    const auto got = at.ask("POST", t.path("/tokens"), R"({"name": "shop", "scopes": ["admin"]})");
    CHECK(got.status == 409);
    CHECK_THAT(got.body, ContainsSubstring("--stored-tokens"));
    CHECK(t.run(web::stored_tokens(t.app)).empty());
}

TEST_CASE("a store keeps a thousand tokens, and says so of one more", "[service]") {
    counter t{with_stored_tokens()};
    std::string many;
    for (std::size_t i = 0; i < web::most_stored_tokens; ++i)
        many += web::token_line("n" + std::to_string(i), {"view"}, "token-" + std::to_string(i));
    t.run(web::change_stored_tokens(t.app, [&](std::string& list) {
        list = many;
        return true;
    }));
    holder last{t, "token-999"};
    errand::test::eventually([&] { return last.status("/queues") == 200; });
    CHECK_THROWS_AS(t.run(web::change_stored_tokens(t.app,
                                                    [](std::string& list) {
                                                        list += web::token_line("one", {"view"}, "more");
                                                        return true;
                                                    })),
                    errand::usage_error);
}

TEST_CASE("a stored token goes when its time has been over for a week, or when its room is needed",
          "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(of_admin()))};
    holder zoe{t, admin_token};
    const auto now = std::chrono::floor<errand::duration>(std::chrono::system_clock::now());
    const auto line_of = [&](const std::string& name, errand::duration ago) {
        return web::token_line(name, {"view"}, name, {.expires = errand::instant_text(now - ago)});
    };
    const auto names = [&] {
        std::vector<std::string> all;
        const auto listed = zoe.ask("GET", "/tokens").json().at("tokens").as_array();
        for (const auto& one : listed) {
            if (one.at("kept_in") == "store") all.emplace_back(one.at("name").as_string());
        }
        return all;
    };
    t.run(web::change_stored_tokens(t.app, [&](std::string& list) {
        list = line_of("long", std::chrono::days{8}) + line_of("lately", std::chrono::days{6});
        return true;
    }));
    CHECK(names() == std::vector<std::string>{"lately"});
    make_stored(zoe, R"({"name": "shop", "scopes": ["view"]})");
    CHECK(names() == std::vector<std::string>{"lately", "shop"});
    t.run(web::change_stored_tokens(t.app, [&](std::string& list) {
        for (std::size_t i = 2; i < web::most_stored_tokens; ++i)
            list += web::token_line("n" + std::to_string(i), {"view"}, "token-" + std::to_string(i));
        return true;
    }));
    CHECK(names().size() == web::most_stored_tokens);
    make_stored(zoe, R"({"name": "last", "scopes": ["view"]})");
    const auto left = names();
    CHECK(left.size() == web::most_stored_tokens);
    CHECK(left.front() == "shop");
    CHECK(left.back() == "last");
}

TEST_CASE("a stored line that cannot be read keeps out nobody else, and can be revoked by its name",
          "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(of_admin()))};
    holder zoe{t, admin_token};
    const auto lines = web::token_line("ann", {"view"}, "ann-token") + "a/b dance 00\n" +
                       web::token_line("bob", {"view"}, "bob-token");
    t.run(web::change_stored_tokens(t.app, [&](std::string& list) {
        list = lines;
        return true;
    }));
    holder ann{t, "ann-token"};
    holder bob{t, "bob-token"};
    CHECK(ann.status("/queues") == 200);
    CHECK(bob.status("/queues") == 200);
    CHECK(zoe.ask("GET", "/tokens").json().at("tokens").as_array().size() == 3);
    CHECK(zoe.ask("DELETE", "/tokens/bob").json() == json::value{{"revoked", 1}});
    CHECK(bob.status("/queues") == 401);
    make_stored(zoe, R"({"name": "shop", "scopes": ["view"]})");
    std::vector<web::unread_line> passed_over;
    CHECK(web::read_token_list(t.run(web::stored_tokens(t.app)), passed_over).size() == 2);
    REQUIRE(passed_over.size() == 1);
    CHECK(passed_over.front().name == "a%2Fb");
    CHECK_THAT(passed_over.front().why, ContainsSubstring("(line 2)"));
    CHECK(zoe.ask("DELETE", "/tokens/" + passed_over.front().name).json() == json::value{{"revoked", 1}});
    CHECK(ann.status("/queues") == 200);
    CHECK_THAT(t.run(web::stored_tokens(t.app)), !ContainsSubstring("dance"));
}

TEST_CASE("a list in the store that a later version wrote lets nobody in, and keeps out nobody else",
          "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(of_admin()))};
    const web::token_record record{.stamp = 7, .list = web::token_line("ann", {"view"}, "ann-token")};
    auto bytes = web::encode_token_record(record);
    CHECK(web::decode_token_record(bytes).list == record.list);
    bytes.at(8) = 9;
    CHECK_THROWS_AS(web::decode_token_record(bytes), errand::bad_data);
    t.run(web::change_stored_tokens(t.app, [&](std::string& list) {
        list = record.list;
        return true;
    }));
    holder ann{t, "ann-token"};
    CHECK(ann.status("/queues") == 200);
    // As no program of this version writes it.
    const auto written = t.run(errand::on_loop(
        errand::detail::core_of(t.app).background(), [](errand::loop& there) -> errand::awaitable<bool> {
            const std::string name{web::token_record_name};
            const auto kept = co_await there.tasks().find_settings(name);
            errand::settings_step step{.handler = name,
                                       .seen = web::decode_token_record(kept).stamp,
                                       .record = web::encode_token_record({.stamp = 8, .list = "ann view"})};
            co_return co_await there.tasks().set_settings(std::move(step));
        }));
    REQUIRE(written);
    holder zoe{t, admin_token};
    errand::test::eventually([&] { return ann.status("/queues") == 401; });
    CHECK(zoe.status("/queues") == 200);
}

TEST_CASE("calls with the scope admin have an address of their own where one is named", "[service]") {
    const token_folder place;
    auto how = with_tokens(place.file(of_admin()));
    how.admin_listen = {"127.0.0.1:0"};
    const auto addresses = std::make_shared<std::vector<std::string>>();
    how.on_admin_listening = [addresses](const auto& all) { *addresses = all; };
    counter t{how};
    REQUIRE(addresses->size() == 1);
    CHECK(t.addresses.size() == 1);
    holder everywhere{t, admin_token};
    holder apart{t, addresses->front(), admin_token};
    CHECK(everywhere.status("/queues") == 200);
    CHECK(everywhere.status("/tokens") == 403);
    CHECK(everywhere.status("/quota") == 403);
    CHECK(everywhere.flow("GET", "/types").status == 403);
    CHECK(apart.status("/tokens") == 200);
    CHECK(apart.status("/quota") == 200);
    CHECK(apart.flow("GET", "/types").status == 200);
    CHECK(apart.status("/queues") == 403);
    // Who is not let in learns nothing of what is where, and no page is shown there.
    CHECK(apart.line().ask("GET", t.path("/tokens")).status == 401);
    CHECK(everywhere.line().ask("GET", t.path("/tokens")).status == 401);
    CHECK(apart.line().ask("GET", "/").status == 404);
    CHECK(apart.line().ask("GET", "/healthz").status == 200);
    how.tokens_file.clear();
    how.admin_listen = {"0.0.0.0:0"};
    CHECK_THROWS_AS((errand::service{t.app, how}), errand::usage_error);
}
