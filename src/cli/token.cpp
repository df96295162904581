// errand token: makes a token for the service, and the line that lets its holder in; shows the lines of a file, or those that the
// store keeps, and takes them out.
#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/list_file.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "core/config_text.hpp"
#include "core/length_words.hpp"
#include "service/fresh_token.hpp"
#include "service/instant.hpp"
#include "service/stored_tokens.hpp"
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
    std::vector<std::string> queues;
    std::string file;
    bool stored = false;
    bool revoke = false;
    bool list = false;
};

void need_list(const token_options& how, const std::string& option) {
    if (how.file.empty() && !how.stored)
        throw usage_error{option +
                          " is about a list: name it with --file, or say --stored for that of the store"};
}

app& shared_store(session& on) {
    on.need_shared_store(on.settings());
    return on.app();
}

exit_code revoke(session& on, const token_options& how) {
    need_list(how, "--revoke");
    std::size_t taken = 0;
    if (how.stored) {
        on.run(web::change_stored_tokens(shared_store(on), [&](std::string& text) {
            taken = web::take_out(text, how.name);
            return taken > 0;
        }));
    } else {
        taken = rewrite(how.file, [&](std::string& text) { return web::take_out(text, how.name); });
    }
    if (taken == 0)
        throw error{"there is no token of " + how.name + " in " + (how.stored ? "the store" : how.file)};
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

// Those of the store are not mended by hand: what cannot be read of them is said, so that it can be revoked.
std::vector<web::token_holder> holders_in(session& on, const token_options& how) {
    if (!how.stored) return web::read_token_list(contents_of(how.file));
    std::vector<web::unread_line> passed_over;
    auto all = web::read_token_list(on.run(web::stored_tokens(shared_store(on))), passed_over);
    for (const auto& one : passed_over)
        complain("the line of \"" + one.name + "\" lets nobody in: " + one.why);
    return all;
}

exit_code list(session& on, const token_options& how) {
    need_list(how, "--list");
    table all{{{.title = "name"},
               {.title = "scopes"},
               {.title = "rate"},
               {.title = "expires"},
               {.title = "queues"},
               {.title = "id"}}};
    boost::json::array document;
    for (const auto& one : holders_in(on, how)) {
        const auto rate = one.counted
                              ? std::to_string(one.counted->most) + " in " + length_in_words(one.counted->per)
                              : std::string{};
        const auto until = one.expires ? instant_text(*one.expires) : std::string{};
        std::string queues;
        for (const auto& queue : one.queues) queues += (queues.empty() ? "" : ", ") + plain(queue);
        all.add({one.name, words_of(one.may), rate, until, queues, web::token_id(one)});
        boost::json::object shown{
            {"name", one.name}, {"scopes", boost::json::array{}}, {"rate", nullptr}, {"expires_at", nullptr}};
        for (const auto scope : one.may) shown["scopes"].as_array().emplace_back(to_string(scope));
        if (one.counted)
            shown["rate"] =
                boost::json::object{{"count", one.counted->most}, {"per_ms", one.counted->per.count()}};
        if (one.expires) shown["expires_at"] = until;
        if (!one.queues.empty()) shown["queues"] = boost::json::array(one.queues.begin(), one.queues.end());
        // In a file a line is found by hand, too.
        if (how.stored) shown["id"] = web::token_id(one);
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
    if (web::is_token_id(how.name))
        throw usage_error{how.name + " looks like the id of a token: name it otherwise"};
    const auto line =
        web::token_line(how.name, how.scopes, token,
                        {.rate = how.rate, .expires = end_of(how.expires), .queues = how.queues});
    if (how.stored) {
        on.run(web::change_stored_tokens(shared_store(on), [&](std::string& text) {
            text += line;
            return true;
        }));
    } else if (!how.file.empty()) {
        append_to(how.file, line);
    }
    if (on.json()) {
        print_document(boost::json::object{{"token", token}, {"line", line.substr(0, line.size() - 1)}});
    } else if (how.file.empty() && !how.stored) {
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
    line.add_option("name", how->name,
                    "Whose it is, as the access log says it; of --revoke also a token's id")
        ->type_name("NAME");
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
    line.add_option(
            "--queue", how->queues,
            "A queue that it is for; may be given again. Without: all of them. Of view, submit and work alone")
        ->type_name("QUEUE")
        ->allow_extra_args(false);
    auto* file = line.add_option("--file", how->file,
                                 "The list that `errand serve --tokens` reads: its line is added there")
                     ->type_name("FILE");
    line.add_flag("--stored", how->stored,
                  "The store keeps it: it lets in at all servers of the namespace that ask for tokens")
        ->excludes(file);
    auto* revoking =
        line.add_flag("--revoke", how->revoke,
                      "Takes the lines of NAME out of the file or the store: they let nobody in any more");
    auto* listing = line.add_flag("--list", how->list,
                                  "Shows whose tokens are in the file or the store, and what they are for");
    for (auto* one : {revoking, listing}) {
        for (const auto* other : {"--scope", "--rate", "--expires", "--queue"})
            one->excludes(line.get_option(other));
    }
    listing->excludes(revoking)->excludes(line.get_option("name"));
    return [how](session& on) { return run(on, *how); };
}

}  // namespace errand::cli
