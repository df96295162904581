// Tokens that the store keeps: made, listed, revoked.
#include <errand/error.hpp>

#include "service/calls.hpp"
#include "service/fresh_token.hpp"
#include "service/hub.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"
#include "service/stored_tokens.hpp"
#include "service/token_list.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <chrono>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::array token_members{
    field{
        "name", kind::text,
        "Whose it is, as the access log says it: 1 to 64 letters, digits and `-_.`. Several may have one name",
        true},
    field{"scopes", kind::texts, "What it is for: `view`, `submit`, `work`, `operate`, `admin`", true},
    field{"queues", kind::texts,
          "1 to 100 queues that it is for, of `view`, `submit` and `work` alone. Without: all of them"},
    field{
        "rate", kind::object,
        "`{\"count\", \"per_ms\"}`: never more requests than so many in any such time, over all servers. Without: as many as "
        "come"},
    field{"expires_at", kind::instant, "It lets nobody in from then on. Without: until it is revoked"},
    field{"expires_in_ms", kind::integer, "The same, so long from now. Not together with `expires_at`"},
};

constexpr std::array token_rate_members{
    field{"count", kind::integer, "Requests, at least 1", true},
    field{"per_ms", kind::integer, "In any such time, at most a year (1000)"},
};

constexpr std::int64_t longest_rate = std::int64_t{366} * 86'400'000;
constexpr std::int64_t most_requests = 1'000'000'000;
constexpr std::int64_t longest_life = std::int64_t{100} * 366 * 86'400'000;

// Where nobody is asked for a token, whoever comes could make one that lets him in elsewhere, and for good.
void need_tokens(call& c) {
    if (c.at.shared().tokens) return;
    throw refusal{409, "conflict",
                  "this service asks nobody for a token: start it with --tokens or --stored-tokens"};
}

std::string read_token_rate(const members& given) {
    const auto* object = given.object("rate");
    if (!object) return {};
    const members rate{*object, token_rate_members, given.path_of("rate")};
    const auto count = rate.integer("count", 1, most_requests).value_or(1);
    const auto per = rate.integer("per_ms", 1, longest_rate).value_or(1000);
    return std::to_string(count) + '/' + std::to_string(per) + "ms";
}

std::string read_end(const members& given) {
    auto end = given.instant("expires_at");
    const auto left = given.integer("expires_in_ms", 1, longest_life);
    if (end && left)
        throw bad_request("give one of \"expires_at\" and \"expires_in_ms\"", given.path_of("expires_in_ms"));
    const auto now = std::chrono::floor<duration>(std::chrono::system_clock::now());
    if (left) end = now + duration{*left};
    if (!end) return {};
    if (*end <= now) throw bad_request("that time is over", given.path_of("expires_at"));
    return instant_text(*end);
}

// Read again of the line that it has: what is shown is what counts.
token_holder read_token(const members& given, const std::string& token, std::string& line) {
    const auto name = *given.text("name");
    if (is_token_id(name))
        throw bad_request("a name is not to look like the id of a token", given.path_of("name"));
    const token_terms terms{
        .rate = read_token_rate(given), .expires = read_end(given), .queues = given.texts("queues")};
    if (given.has("queues") && terms.queues.empty())
        throw bad_request("\"queues\" is to have 1 to 100 names of queues", given.path_of("queues"));
    try {
        line = token_line(name, given.texts("scopes"), token, terms);
    } catch (const usage_error& why) {
        throw bad_request(why.what());
    }
    return read_token_list(line).front();
}

json::object json_of(const token_holder& one, bool stored) {
    json::array scopes;
    for (const auto scope : one.may) scopes.emplace_back(to_string(scope));
    json::value rate;
    if (one.counted) rate = json::object{{"count", one.counted->most}, {"per_ms", one.counted->per.count()}};
    const auto queues =
        one.queues.empty() ? json::value{} : json::value(json::array(one.queues.begin(), one.queues.end()));
    return {{"id", token_id(one)},
            {"name", one.name},
            {"scopes", std::move(scopes)},
            {"queues", queues},
            {"rate", std::move(rate)},
            {"expires_at", one.expires ? json::value{instant_text(*one.expires)} : json::value{}},
            {"kept_in", stored ? "store" : "file"}};
}

}  // namespace

const fields token_fields{token_members};

awaitable<answer> make_token(call& c) {
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, token_members};
    need_tokens(c);
    const auto token = fresh_token();
    std::string line;
    auto shown = json_of(read_token(given, token, line), true);
    co_await change_stored_tokens(c.at.app(), [line](std::string& list) {
        list += line;
        return true;
    });
    shown["token"] = token;
    co_return json_answer(shown, 201);
}

awaitable<answer> list_tokens(call& c) {
    const parameters none{c.in, {}};
    // Lines that cannot be read let nobody in, and the log names them.
    std::vector<unread_line> passed_over;
    const auto kept = read_token_list(co_await stored_tokens(c.at.app()), passed_over);
    json::array all;
    for (const auto& one : kept) all.emplace_back(json_of(one, true));
    // Those of the file of this server, whose time is not over.
    if (c.at.shared().tokens) {
        for (const auto& one : c.at.shared().tokens->in_file()) all.emplace_back(json_of(one, false));
    }
    co_return json_answer(json::object{{"tokens", std::move(all)}});
}

awaitable<answer> revoke_token(call& c) {
    const parameters none{c.in, {}};
    const auto which = c.part("token");
    std::size_t taken = 0;
    co_await change_stored_tokens(c.at.app(), [&](std::string& list) {
        taken = take_out(list, which);
        return taken > 0;
    });
    if (taken == 0)
        throw not_found("the store keeps no token of this name or id; those of a server's file are taken out "
                        "there");
    co_return json_answer(json::object{{"revoked", taken}});
}

}  // namespace errand::web
