// Who is let in, to what, and for how long.
#include <errand/error.hpp>

#include "service/counter.hpp"
#include "service/instant.hpp"
#include "service/lmstfy_shop.hpp"
#include "service/route.hpp"
#include "service/token_book.hpp"
#include "service/token_folder.hpp"
#include "service/token_list.hpp"
#include "support/places.hpp"
#include "support/store_kind.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using service_test::counter;
using service_test::response;
using service_test::token_folder;
using service_test::with_tokens;
namespace web = errand::web;

namespace {

const std::string viewer = "viewer-token";
const std::string submitter = "submitter-token";
const std::string worker = "worker-token";
const std::string chief = "chief-token";

std::string both() {
    return "# people\n\n" + web::token_line("ann", {"view"}, viewer) + "  " +
           web::token_line("bob", {"submit"}, submitter) + web::token_line("eve", {"work"}, worker) +
           web::token_line("zoe", {"operate"}, chief);
}

std::string with_id(std::string path, const counter& t, const std::string& id) {
    for (const auto& [name, value] :
         {std::pair{std::string{"{namespace}"}, t.app.settings().name_space}, {std::string{"{id}"}, id}}) {
        if (const auto at = path.find(name); at != path.npos) path.replace(at, name.size(), value);
    }
    return path;
}

}  // namespace

TEST_CASE("each call is for the scopes that its row says", "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(both()))};
    const auto handle = t.run(t.app.perform("parcel", {1}, {.delay = std::chrono::hours{1}}));
    for (const auto& one : web::routes()) {
        INFO(one.method << ' ' << one.path);
        const auto ask = [&](const std::vector<std::string>& headers) {
            auto at = t.connect();
            return at.ask(one.method, with_id(std::string{one.path}, t, handle.id()), {}, headers);
        };
        const bool open = one.needs == web::scope::open;
        const auto nobody = ask({});
        CHECK((nobody.status == 401) == !open);
        if (!open) {
            CHECK(nobody.error_code() == "unauthorized");
            CHECK(nobody.headers.at("www-authenticate") == "Bearer");
        }
        // For what none of these may.
        const bool administers = one.needs == web::scope::admin;
        const bool operates = one.needs == web::scope::operate || administers;
        const bool changes = one.needs == web::scope::submit || one.needs == web::scope::work || operates;
        CHECK((ask({"Authorization: Bearer " + viewer}).status == 403) == changes);
        CHECK((ask({"X-Token: " + viewer}).status == 403) == changes);
        CHECK((ask({"X-Token: " + worker}).status == 403) == (one.needs == web::scope::submit || operates));
        const auto most = ask({"authorization: bearer " + submitter});
        CHECK(most.status != 401);
        CHECK((most.status == 403) == (one.needs == web::scope::work || operates));
        CHECK((ask({"X-Token: " + chief}).status == 403) == (one.needs == web::scope::work || administers));
        CHECK((ask({"Authorization: Bearer nonsense"}).status == 401) == !open);
        CHECK((ask({"Authorization: Basic " + submitter}).status == 401) == !open);
        CHECK((ask({"Authorization: Bearer "}).status == 401) == !open);
        // Two that could be read in two ways are none.
        CHECK((ask({"X-Token: " + submitter, "X-Token: " + viewer}).status == 401) == !open);
        CHECK((ask({"X-Token: " + submitter, "Authorization: Bearer " + submitter}).status == 401) == !open);
        // The file's own text is no token.
        const auto digest = web::token_line("bob", {"submit"}, submitter).substr(11, 64);
        CHECK((ask({"X-Token: " + digest}).status == 401) == !open);
    }
}

TEST_CASE("who is not let in learns nothing of namespaces", "[service]") {
    const token_folder place;
    counter t{with_tokens(place.file(both()))};
    auto at = t.connect();
    const auto own = at.ask("GET", t.path("/queues"));
    const auto other = at.ask("GET", "/v1/other/queues");
    CHECK(own.status == 401);
    CHECK(own.body == other.body);
}

TEST_CASE("a line that is taken out or added counts with the next request", "[service]") {
    const token_folder place;
    const auto file = place.file(web::token_line("ann", {"view"}, viewer));
    counter t{with_tokens(file)};
    auto at = t.connect();
    const auto status = [&](const std::string& token) {
        return at.ask("GET", t.path("/queues"), {}, {"X-Token: " + token}).status;
    };
    CHECK(status(viewer) == 200);
    CHECK(status(submitter) == 401);
    place.file(both());
    CHECK(status(submitter) == 200);
    place.file("# nobody\n");
    CHECK(status(viewer) == 401);
    place.file("ann view nonsense\n");
    CHECK(status(viewer) == 503);
    std::filesystem::remove(file);
    CHECK(status(viewer) == 503);
    CHECK(at.ask("GET", "/healthz").status == 200);
    place.file(both());
    CHECK(status(viewer) == 200);
}

TEST_CASE("a token whose time is over lets nobody in, and one whose time comes lets in until then",
          "[service]") {
    const token_folder place;
    const auto now = std::chrono::floor<errand::duration>(std::chrono::system_clock::now());
    const auto line = [&](const std::string& name, const std::string& token, errand::duration left) {
        return web::token_line(name, {"view"}, token, {.expires = errand::instant_text(now + left)});
    };
    using namespace std::chrono_literals;
    counter t{with_tokens(place.file(line("ann", viewer, 24h) + line("bob", submitter, -1ms)))};
    auto at = t.connect();
    const auto status = [&](const std::string& token) {
        return at.ask("GET", t.path("/queues"), {}, {"X-Token: " + token}).status;
    };
    CHECK(status(viewer) == 200);
    CHECK(status(submitter) == 401);
    // Without a change of the file.
    place.file(line("ann", viewer, 1500ms));
    errand::test::eventually([&] { return status(viewer) == 401; });
    CHECK(std::chrono::system_clock::now() >= now + 1500ms);
}

TEST_CASE("with tokens the service may listen where others reach it", "[service]") {
    const token_folder place;
    auto how = with_tokens(place.file(both()));
    how.listen = {"0.0.0.0:0"};
    counter t{how};
    service_test::client one{"http://127.0.0.1" + t.address().substr(t.address().rfind(':'))};
    CHECK(one.ask("GET", t.path("/queues")).status == 401);
    CHECK(one.ask("GET", t.path("/queues"), {}, {"X-Token: " + viewer}).status == 200);
}

TEST_CASE("the access log names the holder of a token and never the token", "[service]") {
    const token_folder place;
    for (const auto form : {errand::access_log::text, errand::access_log::json}) {
        auto how = with_tokens(place.file(both()));
        how.access_log = form;
        counter t{how};
        auto at = t.connect();
        at.ask("GET", t.path("/queues?token=" + viewer), {}, {"X-Token: " + viewer});
        at.ask("GET", t.path("/queues"), {}, {"Authorization: Bearer wrong-token"});
        errand::test::eventually([&] { return t.log_lines().size() == 2; });
        CHECK_THAT(t.log_lines().at(0),
                   ContainsSubstring("ann") && !ContainsSubstring("token-") && !ContainsSubstring(viewer));
        CHECK_THAT(t.log_lines().at(1), !ContainsSubstring("wrong-token") && !ContainsSubstring("ann"));
    }
}

TEST_CASE("a list of tokens that does not fit is refused with its line", "[service]") {
    const auto refuses = [](const std::string& text, const std::string& words) {
        CHECK_THROWS_MATCHES(web::read_token_list(text), errand::usage_error,
                             MessageMatches(ContainsSubstring(words)));
    };
    const auto line = web::token_line("ann", {"view", "submit"}, viewer);
    CHECK(web::read_token_list(line + "\r\n" + line.substr(0, line.size() - 1) + " # why\n").size() == 2);
    CHECK(web::read_token_list("").empty());
    refuses(line + "\nann view\n", "(line 3)");
    refuses("ann view 12\n", "(line 1)");
    refuses(line.substr(0, line.size() - 2), "(line 1)");
    refuses("ann root " + line.substr(line.rfind(' ') + 1), "root");
    refuses("ann , " + line.substr(line.rfind(' ') + 1), "scope");
    refuses("a/b view " + line.substr(line.rfind(' ') + 1), "name");
    const auto unended = line.substr(0, line.size() - 1);
    refuses(unended + " more\n", "(line 1)");
    for (const auto* bad : {"", "0/s", "-1/s", "5", "5/", "/s", "5/x", "5/0s", "x/s", "5/400d"})
        refuses(unended + " rate=" + bad + '\n', "no rate");
    refuses(unended + " rate=5/s rate=5/s\n", "(line 1)");
    const auto rated = web::read_token_list(unended + " rate=50/30s # why\n");
    REQUIRE(rated.at(0).counted);
    CHECK(rated.at(0).counted->most == 50);
    CHECK(rated.at(0).counted->per == std::chrono::seconds{30});
    CHECK_FALSE(web::read_token_list(line).at(0).counted);
    CHECK(web::token_line("ann", {"view"}, viewer, {.rate = "9/min"}).ends_with(" rate=9/min\n"));
    CHECK_THROWS_AS(web::token_line("ann", {"view"}, viewer, {.rate = "many"}), errand::usage_error);
    refuses(unended + " expires=soon\n", "no time");
    refuses(unended + " expires=2027-01-01T00:00:00Z expires=2027-01-01T00:00:00Z\n", "(line 1)");
    const auto both = web::read_token_list(unended + " expires=2027-01-01T00:00:00Z rate=1/s\n").at(0);
    CHECK(both.counted);
    CHECK(both.expires == errand::parse_instant("2027-01-01T00:00:00Z"));
    std::string left = "# of the shop\nann view x\n  ann work y # too\nanna view z\n#ann view x\nann";
    CHECK(web::take_out(left, "ann") == 3);
    CHECK(left == "# of the shop\nanna view z\n#ann view x\n");
    CHECK(web::take_out(left, "ann") == 0);
    // By its name as it is printed, where that is another; by its own first.
    std::string odd = "a/b dance 00\na%2Fb view x\n";
    CHECK(web::take_out(odd, "a%2Fb") == 1);
    CHECK(odd == "a/b dance 00\n");
    CHECK(web::take_out(odd, "a%2Fb") == 1);
    CHECK(odd.empty());
    CHECK_THROWS_AS(web::token_line("a b", {"view"}, viewer), errand::usage_error);
    CHECK_THROWS_AS(web::token_line("ann", {}, viewer), errand::usage_error);
    const token_folder place;
    errand::test::test_app t;
    CHECK_THROWS_MATCHES((errand::service{t.app, with_tokens(place.path / "none")}), errand::usage_error,
                         MessageMatches(ContainsSubstring("tokens")));
    CHECK_THROWS_AS((errand::service{t.app, with_tokens(place.file("nonsense"))}), errand::usage_error);
    // Which can be opened, and has nothing to read.
    CHECK_THROWS_MATCHES((errand::service{t.app, with_tokens(place.path.string())}), errand::usage_error,
                         MessageMatches(ContainsSubstring("regular file")));
    std::string many;
    for (int i = 0; i < 200; ++i) many += web::token_line("n" + std::to_string(i), {"view"}, viewer);
    web::token_book book{place.file(many)};
    CHECK(book.now().size() == 200);
}

TEST_CASE("a token makes no more requests than its rate says, over all servers together", "[service]") {
    const token_folder place;
    const auto how =
        with_tokens(place.file(web::token_line("ann", {"view", "submit", "work"}, viewer, {.rate = "5/h"}) +
                               web::token_line("bob", {"view"}, submitter)));
    counter t{how};
    std::optional<counter> second;
    if (errand::test::can(errand::test::capability::shared_by_apps)) second.emplace(how, t.app.settings());
    auto at = t.connect();
    auto there = (second ? *second : t).connect();
    const std::vector<std::string> limited{"X-Token: " + viewer}, free{"X-Token: " + submitter};
    // What is not there counts as well.
    CHECK(at.ask("GET", t.path("/queues"), {}, limited).status == 200);
    CHECK(there.ask("GET", t.path("/queues"), {}, limited).status == 200);
    CHECK(at.ask("GET", t.path("/tasks/none"), {}, limited).status >= 400);
    CHECK(there.ask("GET", "/flow" + t.path("/tasks"), {}, limited).status == 200);
    CHECK(at.ask("POST", t.path("/tasks"), R"({"handler": "parcel", "args": [1], "delay_ms": 3600000})",
                 {"X-Token: " + viewer, "Content-Type: application/json"})
              .status == 201);
    for (auto* one : {&at, &there}) {
        const auto over = one->ask("POST", t.path("/tasks"), R"({"handler": "parcel", "args": [2]})",
                                   {"X-Token: " + viewer, "Content-Type: application/json"});
        CHECK(over.status == 429);
        CHECK(over.error_code() == "rate_limited");
        CHECK_THAT(over.body, ContainsSubstring("5 in 1 h"));
        CHECK(std::stoll(over.headers.at("retry-after")) > 0);
        CHECK(std::stoll(over.headers.at("retry-after")) <= 3600);
        CHECK(over.json().at("error").at("retry_after_ms").to_number<std::int64_t>() > 0);
        CHECK(over.headers.contains("x-request-id"));
        // On the same connection; and of others nothing is kept back.
        const auto flow = one->ask("GET", "/flow" + t.path("/tasks"), {}, limited);
        CHECK(flow.status == 429);
        CHECK(flow.error_code() == "rate_limited");
        CHECK(one->ask("GET", t.path("/queues"), {}, free).status == 200);
        CHECK(one->ask("GET", "/healthz", {}, limited).status == 200);
        CHECK(one->ask("GET", t.path("/queues")).status == 401);
    }
    CHECK(t.tasks_in(errand::state::delayed) == 1);
    CHECK(t.tasks_in(errand::state::ready) + t.tasks_in(errand::state::success) == 0);
    // A rate that is changed counts with the next request; so does one that is taken off.
    place.file(web::token_line("ann", {"view"}, viewer, {.rate = "6/h"}));
    CHECK(there.ask("GET", t.path("/queues"), {}, limited).status == 200);
    CHECK(at.ask("GET", t.path("/queues"), {}, limited).status == 429);
    place.file(web::token_line("ann", {"view"}, viewer));
    CHECK(at.ask("GET", t.path("/queues"), {}, limited).status == 200);
}

TEST_CASE("rates of one token by different times take nothing of each other's counts", "[service]") {
    const token_folder place, elsewhere;
    const auto by = [](const std::string& rate) {
        return web::token_line("ann", {"view"}, viewer, {.rate = rate});
    };
    counter t{with_tokens(place.file(by("2/h")))};
    std::optional<counter> second;
    if (errand::test::can(errand::test::capability::shared_by_apps))
        second.emplace(with_tokens(elsewhere.file(by("1000/1ms"))), t.app.settings());
    auto at = t.connect();
    auto there = (second ? *second : t).connect();
    const auto status = [&](service_test::client& one) {
        return one.ask("GET", t.path("/queues"), {}, {"X-Token: " + viewer}).status;
    };
    CHECK(status(at) == 200);
    CHECK(status(at) == 200);
    CHECK(status(at) == 429);
    if (!second) place.file(by("1000/1ms"));
    // By its time all of the hour's requests are long over.
    for (int i = 0; i < 3; ++i) CHECK(status(there) == 200);
    if (!second) place.file(by("2/h"));
    CHECK(status(at) == 429);
    // However its digest is written it is the same token.
    auto line = by("2/h");
    const auto digest = line.find("view ") + 5;
    std::transform(line.begin() + static_cast<std::ptrdiff_t>(digest),
                   line.begin() + static_cast<std::ptrdiff_t>(digest + 64),
                   line.begin() + static_cast<std::ptrdiff_t>(digest),
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c; });
    REQUIRE(line != by("2/h"));
    place.file(line);
    CHECK(status(at) == 429);
}

TEST_CASE("a rate holds for a token's requests of lmstfy's API too, in whose shape it is refused",
          "[service]") {
    const token_folder place;
    auto how = service_test::with_lmstfy();
    how.tokens_file = place.file(web::token_line("ann", {"submit"}, submitter, {.rate = "2/h"}));
    service_test::lmstfy_shop shop{how};
    auto at = shop.with_token(shop.name(), submitter);
    at.publish("q", "x");
    auto rest = shop.t.connect();
    CHECK(rest.ask("GET", shop.t.path("/queues"), {}, {"X-Token: " + submitter}).status == 200);
    const auto over = at.ask("PUT", "q", "y");
    CHECK(over.status == 429);
    CHECK(over.json().at("msg") == over.json().at("error"));
    CHECK(over.headers.contains("retry-after"));
    // Of the API's own tokens it is none of the business.
    CHECK(shop.connect().size("q") == 1);
}
