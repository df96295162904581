// errand token: makes a token for the service, and the line that lets its holder in; shows the lines of a file, and takes them out.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/list_file.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "core/config_text.hpp"
#include "core/length_words.hpp"
#include "service/fresh_token.hpp"
#include "service/instant.hpp"
#include "service/token_list.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace errand::cli {
namespace {

struct token_options {
    std::string name;
    std::vector<std::string> scopes;
    std::string rate;
    std::string expires;
    std::string file;
    bool revoke = false;
    bool list = false;
};

void need_file(const token_options& how, const std::string& option) {
    if (how.file.empty()) throw usage_error{option + " is about a list: name it with --file"};
}

exit_code revoke(session& on, const token_options& how) {
    need_file(how, "--revoke");
    const auto taken = rewrite(how.file, [&](std::string& text) { return web::take_out(text, how.name); });
    if (taken == 0) throw error{"there is no token of " + how.name + " in " + how.file};
    if (on.json()) {
        print_document(boost::json::object{{"revoked", taken}});
    } else {
        print("revoked " + std::to_string(taken) + (taken == 1 ? " token of " : " tokens of ") + how.name +
              '\n');
    }
    return exit_code::done;
}

std::string words_of(const std::vector<web::scope>& scopes) {
    std::string words;
    for (const auto one : scopes) words += (words.empty() ? "" : ",") + std::string{to_string(one)};
    return words;
}

exit_code list(session& on, const token_options& how) {
    need_file(how, "--list");
    table all{{{.title = "name"}, {.title = "scopes"}, {.title = "rate"}, {.title = "expires"}}};
    boost::json::array document;
    for (const auto& one : web::read_token_list(contents_of(how.file))) {
        const auto rate = one.counted
                              ? std::to_string(one.counted->most) + " in " + length_in_words(one.counted->per)
                              : std::string{};
        const auto until = one.expires ? instant_text(*one.expires) : std::string{};
        all.add({one.name, words_of(one.may), rate, until});
        boost::json::object shown{
            {"name", one.name}, {"scopes", boost::json::array{}}, {"rate", nullptr}, {"expires_at", nullptr}};
        for (const auto scope : one.may) shown["scopes"].as_array().emplace_back(to_string(scope));
        if (one.counted)
            shown["rate"] =
                boost::json::object{{"count", one.counted->most}, {"per_ms", one.counted->per.count()}};
        if (one.expires) shown["expires_at"] = until;
        document.push_back(std::move(shown));
    }
    if (on.json()) {
        print_document(document);
    } else {
        print(all.empty() ? "no tokens\n" : all.text(0));
    }
    return exit_code::done;
}

// "30d" from now, or a time.
std::string end_of(const std::string& text) {
    if (text.empty()) return {};
    if (const auto length = parse_duration(text); length && length->count() > 0)
        return instant_text(std::chrono::floor<duration>(clock_now()) + *length);
    return instant_text(need_instant("--expires", text));
}

exit_code make(session& on, const token_options& how) {
    const auto token = web::fresh_token();
    const auto line =
        web::token_line(how.name, how.scopes, token, {.rate = how.rate, .expires = end_of(how.expires)});
    if (!how.file.empty()) append_to(how.file, line);
    if (on.json()) {
        print_document(boost::json::object{{"token", token}, {"line", line.substr(0, line.size() - 1)}});
    } else if (how.file.empty()) {
        print(token + '\n' + line);
    } else {
        print(token + '\n');
    }
    return exit_code::done;
}

exit_code run(session& on, const token_options& how) {
    if (how.list) return list(on, how);
    if (how.name.empty()) throw usage_error{"errand token NAME: name whose token it is"};
    if (how.revoke) return revoke(on, how);
    if (how.scopes.empty())
        throw usage_error{
            "errand token NAME --scope SCOPE: say what the token is for: view, submit, work, operate or admin"};
    return make(on, how);
}

}  // namespace

runner prepare_token(CLI::App& line) {
    const auto how = std::make_shared<token_options>();
    line.add_option("name", how->name, "Whose it is, as the access log says it")->type_name("NAME");
    line.add_option(
            "--scope", how->scopes,
            "What it is for: view; submit, work or operate (each may look as well); admin (quotas, types of flows, and "
            "lmstfy's admin API, as a password); may be given again")
        ->type_name("SCOPE")
        ->check(CLI::IsMember({"view", "submit", "work", "operate", "admin"}))
        ->allow_extra_args(false);
    line.add_option("--rate", how->rate,
                    "Never more requests than so many in any time, over all servers: 100/s, 1000/min, 50/30s")
        ->type_name("N/TIME");
    line.add_option("--expires", how->expires,
                    "It lets nobody in from then on: 2027-01-01T00:00:00Z, or 30d from now")
        ->type_name("TIME");
    line.add_option("--file", how->file,
                    "The list that `errand serve --tokens` reads: its line is added there")
        ->type_name("FILE");
    auto* revoking = line.add_flag("--revoke", how->revoke,
                                   "Takes the lines of NAME out of the file: they let nobody in any more");
    auto* listing =
        line.add_flag("--list", how->list, "Shows whose tokens are in the file, and what they are for");
    for (auto* one : {revoking, listing}) {
        for (const auto* other : {"--scope", "--rate", "--expires"}) one->excludes(line.get_option(other));
    }
    listing->excludes(revoking)->excludes(line.get_option("name"));
    return [how](session& on) { return run(on, *how); };
}

}  // namespace errand::cli
