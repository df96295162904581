// Tokens of lmstfy's API, and how many requests each may make.
#include "core/utf8.hpp"
#include "service/fresh_token.hpp"
#include "service/lmstfy/admin_calls.hpp"
#include "service/lmstfy/answers.hpp"
#include "service/lmstfy/names.hpp"
#include "service/target.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>

namespace errand::lmstfy {

namespace json = boost::json;

namespace {

constexpr std::size_t shortest_token = 20;
constexpr std::size_t longest_token = 255;
constexpr std::size_t longest_description = 1024;
constexpr std::int64_t longest_interval = 366 * 86'400;
constexpr std::size_t most_tokens = 1000;  // of a namespace

std::string need_namespace(const web::call& c) {
    const auto& name = c.part("namespace");
    if (!is_namespace_name(name))
        throw web::bad_request("invalid namespace: 1 to 255 of A-Z, a-z, 0-9, - and _");
    return name;
}

void need_pool(const office& in, const std::string& pool) {
    if (!in.has_pool(pool)) throw web::bad_request("pool not found");
}

// As tokens are written that name their pool.
std::string with_pool(const std::string& pool, const std::string& token, bool always) {
    return pool == default_pool && !always ? token : pool + ':' + token;
}

// A parameter of the query, or of a form in the body.
std::string query_or_form(const web::call& c, const query_reader& query, std::string_view name) {
    if (const auto* given = query.text(name)) return *given;
    const auto form = web::query_values(c.in.body);
    if (!form) return {};
    const auto at = std::ranges::find(*form, name, &std::pair<std::string, std::string>::first);
    return at == form->end() ? std::string{} : at->second;
}

// A token stands in headers, queries and paths.
void check_own_token(const std::string& token) {
    const bool plain = std::ranges::all_of(token, [](char c) { return c > 0x20 && c < 0x7f && c != ':'; });
    if (token.size() >= shortest_token && token.size() <= longest_token && plain && !is_shown_name(token))
        return;
    throw web::bad_request(
        "invalid token: 20 to 255 printable characters of ASCII, without blanks and colons");
}

// Whose limits are asked about: the place and the token, or the name under which it is listed.
struct named_token {
    token_place where;
    std::string token;
};
named_token need_token(const web::call& c, const office& in) {
    auto named = read_pool_token(c.part("token"));
    need_pool(in, named.pool);
    return {.where = {named.pool, need_namespace(c)}, .token = std::move(named.token)};
}

std::int64_t number_in(const json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    if (!value || value->is_null()) return 0;
    boost::system::error_code ec;
    const auto number = value->is_number() ? value->to_number<std::int64_t>(ec) : 0;
    if (ec || !value->is_number())
        throw web::bad_request("\"" + std::string{name} + "\" is to be a whole number");
    return number;
}

request_limit read_request_limit(const std::string& body) {
    boost::system::error_code ec;
    const auto document = json::parse(body, ec);
    if (ec || !document.is_object())
        throw web::bad_request("the body is to be {\"read\", \"write\", \"interval\"}");
    const auto& from = document.get_object();
    const request_limit limit{number_in(from, "read"), number_in(from, "write"), number_in(from, "interval")};
    if (limit.read <= 0 && limit.write <= 0)
        throw web::bad_request("one of \"read\" and \"write\" is to be more than 0");
    if (limit.interval <= 0 || limit.interval > longest_interval)
        throw web::bad_request("\"interval\" is to be seconds from 1 to " + std::to_string(longest_interval));
    return {std::max<std::int64_t>(limit.read, 0), std::max<std::int64_t>(limit.write, 0), limit.interval};
}

json::object json_of_limit(const request_limit& one) {
    return {{"read", one.read}, {"write", one.write}, {"interval", one.interval}};
}

// Gives the token this limit; `alone`: only if it has none yet.
awaitable<void> put_limit(const web::call& c, bool alone) {
    auto& office = office_of(c.at.shared());
    const auto named = need_token(c, office);
    const auto limit = read_request_limit(c.in.body);
    co_await office.tokens().change(named.where, [&](std::vector<kept_token>& all) {
        const auto at = token_named(all, named.token);
        if (at == all.end()) throw web::not_found("token not found");
        if (at->unread) throw web::refusal{409, "conflict", "this version of errand cannot read that token"};
        if (alone && at->limit) throw web::refusal{409, "conflict", "this token has a limit already"};
        at->limit = limit;
        return true;
    });
}

}  // namespace

awaitable<web::answer> make_token(web::call& c) {
    auto& office = office_of(c.at.shared());
    const query_reader query{c.in};
    auto name_space = need_namespace(c);
    auto given = read_pool_token(query_or_form(c, query, "token"));
    if (const auto* pool = query.text("pool"); pool && !pool->empty()) given.pool = *pool;
    need_pool(office, given.pool);
    auto description = query_or_form(c, query, "description");
    if (description.empty()) throw web::bad_request("invalid description: there is none");
    if (description.size() > longest_description)
        throw web::bad_request("invalid description: it has more than 1024 bytes");
    if (given.token.empty()) {
        given.token = web::fresh_token();
    } else {
        check_own_token(given.token);
    }
    co_await office.tokens().change({given.pool, std::move(name_space)}, [&](std::vector<kept_token>& all) {
        if (token_named(all, given.token) != all.end()) throw web::bad_request("this token exists");
        if (all.size() >= most_tokens) throw web::bad_request("this namespace has as many tokens as it may");
        all.push_back({.digest = digest_of(given.token), .description = description});
        return true;
    });
    co_return json_text(json::object{{"token", with_pool(given.pool, given.token, false)}}, 201);
}

awaitable<web::answer> list_tokens(web::call& c) {
    auto& office = office_of(c.at.shared());
    const query_reader query{c.in};
    const auto* named = query.text("pool");
    const bool names_pool = named && !named->empty();
    const std::string pool = names_pool ? *named : std::string{default_pool};
    need_pool(office, pool);
    json::object all;
    for (const auto& one : co_await office.tokens().read({pool, need_namespace(c)}))
        all[with_pool(pool, shown_name(one), names_pool)] = one.description;
    co_return json_text(json::object{{"tokens", std::move(all)}});
}

awaitable<web::answer> delete_token(web::call& c) {
    auto& office = office_of(c.at.shared());
    const auto named = need_token(c, office);
    co_await office.tokens().change(named.where, [&](std::vector<kept_token>& all) {
        const auto at = token_named(all, named.token);
        if (at == all.end()) return false;
        all.erase(at);
        return true;
    });
    co_return no_content();
}

awaitable<web::answer> add_limit(web::call& c) {
    co_await put_limit(c, true);
    co_return json_text(json::object{{"limiter", json_of_limit(read_request_limit(c.in.body))}}, 201);
}

awaitable<web::answer> set_limit(web::call& c) {
    co_await put_limit(c, false);
    co_return json_text(json::object{{"limiter", json_of_limit(read_request_limit(c.in.body))}});
}

awaitable<web::answer> show_limit(web::call& c) {
    auto& office = office_of(c.at.shared());
    const auto named = need_token(c, office);
    auto all = co_await office.tokens().read(named.where);
    const auto at = token_named(all, named.token);
    if (at == all.end() || !at->limit) co_return json_text(nullptr, 404);
    co_return json_text(json_of_limit(*at->limit));
}

awaitable<web::answer> delete_limit(web::call& c) {
    auto& office = office_of(c.at.shared());
    const auto named = need_token(c, office);
    co_await office.tokens().change(named.where, [&](std::vector<kept_token>& all) {
        const auto at = token_named(all, named.token);
        if (at == all.end() || !at->limit) return false;
        at->limit.reset();
        return true;
    });
    co_return json_text(json::object{{"msg", "success"}});
}

awaitable<web::answer> list_limits(web::call& c) {
    auto& office = office_of(c.at.shared());
    co_await office.home().ready();
    co_await office.home().learn_settings();
    json::array all;
    for (const auto& [where, tokens] : office.tokens().all()) {
        for (const auto& one : tokens) {
            if (!one.limit) continue;
            all.push_back(json::object{{"namespace", where.name_space},
                                       {"token", with_pool(where.pool, shown_name(one), false)},
                                       {"limiter", json_of_limit(*one.limit)}});
        }
    }
    co_return json_text(all);
}

}  // namespace errand::lmstfy
