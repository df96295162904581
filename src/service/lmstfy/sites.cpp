#include "service/lmstfy/sites.hpp"

#include "core/base64.hpp"
#include "service/checks.hpp"
#include "service/lmstfy/names.hpp"
#include "service/lmstfy/office.hpp"
#include "service/target.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace errand::lmstfy {
namespace {

using web::refusal;

// As its clients read it: the text is `error`; the Go client looks for it there also when lmstfy says `msg`.
web::answer refused_as_lmstfy(const refusal& why) {
    std::string text = why.what();
    constexpr std::string_view large = "body too large";
    if (why.status() == 413 && !text.starts_with(large)) text = std::string{large} + ": " + text;
    boost::json::object document{{"error", text}};
    if (why.status() == 429) document["msg"] = text;
    return {.status = why.status() == 405 ? 404 : why.status(),
            .body = boost::json::serialize(document),
            .type = "application/json; charset=utf-8",
            .headers = why.headers};
}

web::found_route route_in(std::span<const web::route> all, const web::request& in) {
    const refusal none{404, "not_found", "api not found"};
    if (in.method == "HEAD") throw none;
    try {
        return web::route_of(all, in.method, in.path);
    } catch (const refusal& why) {
        if (why.status() == 404 || why.status() == 405) throw none;
        throw;
    }
}

class job_site final : public web::site {
public:
    explicit job_site(web::hub& of) : hub_{of}, office_{office_of(of)} {}

    // Tokens are known once the store has told of them. What is refused whoever asks does not wait for that.
    awaitable<void> ready(const web::request& in, const std::string&) override {
        const auto to = find_route(in);
        const auto asked = asked_by(in);
        if (is_open(to) || !asked.token.empty()) co_await office_.home().ready();
    }

    web::found_route judge(web::request& in, const std::string&) override {
        auto to = find_route(in);
        in.badge = admit(in, to);
        return to;
    }
    bool still_lets(const web::request& in, const web::route& of) override {
        const auto* seen = std::any_cast<badge>(&in.badge);
        if (!seen || seen->shown.empty()) return true;
        web::request again;
        again.query = in.query;
        again.headers = in.headers;
        try {
            admit(again, {.of = &of, .path = {{"namespace", seen->of->name_space()}}});
        } catch (const refusal&) {
            return false;
        }
        return true;
    }
    web::answer refused(const refusal& why, const web::request&) const override {
        return refused_as_lmstfy(why);
    }

private:
    // Throws refusal.
    static web::found_route find_route(const web::request& in) {
        web::check_site(in);
        auto to = route_in(job_routes(), in);
        check_names(to);
        return to;
    }
    static void check_names(const web::found_route& to) {
        if (!is_namespace_name(to.path.find("namespace")->second))
            throw web::bad_request("invalid namespace: 1 to 255 of A-Z, a-z, 0-9, - and _");
        const auto& named = to.path.find("queue")->second;
        const bool many = to.of->name == "consume";
        const auto queues = many ? read_queue_list(named) : std::vector{named};
        for (const auto& one : queues) {
            if (is_queue_name(one)) continue;
            throw web::bad_request(
                "invalid queue: 1 to 255 of A-Z, a-z, 0-9, - and _, and no _ at its beginning");
        }
        if (queues.empty()) throw web::bad_request("invalid queue: none is named");
    }

    // Throws refusal when there is no such pool.
    pool_token asked_by(const web::request& in) const {
        const auto* header = in.find_header("X-Token");
        const query_reader query{in};
        const auto* given = header && !header->empty() ? header : query.text("token");
        auto asked = read_pool_token(given ? *given : std::string{});
        if (!office_.has_pool(asked.pool)) throw refusal{404, "not_found", "pool not found"};
        return asked;
    }

    bool is_open(const web::found_route& to) const {
        return to.of->needs == web::scope::open || (is_size(to) && office_.options().open_sizes);
    }

    badge admit(web::request& in, const web::found_route& to) {
        const auto asked = asked_by(in);
        const token_place where{asked.pool, to.path.find("namespace")->second};
        if (is_open(to)) return {.of = tenant_of(where), .shown = {}};
        if (asked.token.empty()) throw refusal{401, "unauthorized", "token not found"};
        const auto digest = digest_of(asked.token);
        if (const auto* found = token_with(office_.tokens().of(where), digest)) {
            in.who = shown_name(*found);
            badge got{.of = office_.tenant_of(where), .shown = in.who, .limit = found->limit};
            if (got.limit) got.counted_as = count_key(where, digest);
            return got;
        }
        if (auto of_service = admit_by_list(in, to, where, asked.token)) return std::move(*of_service);
        throw refusal{401, "unauthorized", "invalid token"};
    }

    // The tokens of the REST interface are good for the service's own namespace, for what they are made for.
    std::optional<badge> admit_by_list(web::request& in, const web::found_route& to, const token_place& where,
                                       const std::string& token) {
        const auto own = where.pool == default_pool && where.name_space == hub_.app.settings().name_space;
        if (!own || !hub_.tokens) return std::nullopt;
        const auto* holder = web::holder_of(hub_.tokens->now(), token);
        // By this API a job of one queue is ended by the name of another: nothing of it is for some queues alone.
        if (!holder || !holder->may_use(to.of->needs) || !holder->queues.empty()) return std::nullopt;
        web::let_in(in, *holder);
        return badge{.of = office_.tenant_of(where), .shown = holder->name};
    }

    // Of one that nobody has a token for nothing is made by asking.
    std::shared_ptr<tenant> tenant_of(const token_place& where) {
        const bool own = where.pool == default_pool && where.name_space == hub_.app.settings().name_space;
        if (!own && office_.tokens().of(where).empty())
            throw refusal{404, "not_found", "namespace not found"};
        return office_.tenant_of(where);
    }

    static bool is_size(const web::found_route& to) {
        return to.of->name == "size" || to.of->name == "deadletter_size";
    }

    web::hub& hub_;
    office& office_;
};

// "user" and "password" of basic authentication; nothing when there are none.
std::optional<std::pair<std::string, std::string>> basic_of(const web::request& in) {
    constexpr std::string_view scheme = "Basic ";
    const auto* header = in.find_header("Authorization");
    if (!header || in.count_headers("Authorization") != 1) return std::nullopt;
    const std::string_view text = *header;
    if (!web::same_header_name(text.substr(0, scheme.size()), scheme)) return std::nullopt;
    const auto both = read_base64(text.substr(scheme.size()));
    const auto colon = both ? both->find(':') : std::string::npos;
    if (colon == std::string::npos) return std::nullopt;
    return std::pair{both->substr(0, colon), both->substr(colon + 1)};
}

class admin_site final : public web::site {
public:
    explicit admin_site(web::hub& of) : hub_{of}, office_{office_of(of)} {
        const auto& file = of.options.lmstfy.accounts_file;
        if (!file.empty()) accounts_.emplace(file);
    }

    web::found_route judge(web::request& in, const std::string& own_address) override {
        web::check_host(in, own_address, hub_.options.hosts);
        web::check_site(in);
        auto to = route_in(admin_routes(), in);
        if (accounts_ && to.of->needs == web::scope::admin) check_account(in);
        return to;
    }
    web::answer refused(const refusal& why, const web::request&) const override {
        return refused_as_lmstfy(why);
    }

    // Tokens stand in paths, and are never written down.
    std::string shown_path(const std::string& path) const override {
        const auto parts = web::parts_of(path);
        if (parts.size() < 3 || web::percent_decoded(parts[0]) != "token") return path;
        auto shown = "/token/" + std::string{parts[1]} + "/-";
        if (parts.size() > 3) shown += "/" + std::string{parts[3]};
        return shown;
    }

private:
    void check_account(web::request& in) {
        const auto given = basic_of(in);
        const auto* holder = given ? web::holder_of(accounts_->now(), given->second) : nullptr;
        if (holder && holder->name == given->first && holder->may_use(web::scope::admin))
            return web::let_in(in, *holder);
        refusal why{401, "unauthorized", "this call needs an account"};
        why.headers.push_back({"WWW-Authenticate", "Basic realm=\"errand\""});
        throw why;
    }

    web::hub& hub_;
    office& office_;
    std::optional<web::token_book> accounts_{};
};

}  // namespace

std::unique_ptr<web::site> make_job_site(web::hub& of) { return std::make_unique<job_site>(of); }
std::unique_ptr<web::site> make_admin_site(web::hub& of) { return std::make_unique<admin_site>(of); }

}  // namespace errand::lmstfy
