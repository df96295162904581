#include <errand/error.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/session.hpp"
#include "cli/text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {

namespace json = boost::json;

namespace {

struct perform_options {
    std::string handler;
    std::string args = "[]";
    std::string queue;
    std::string in;
    std::string at;
    std::optional<int> priority;
    std::optional<int> max_retry;
    std::string timeout;
    std::string expires_after;
    std::string retention;
    std::string biz_id;
    std::string on_duplicate;
    std::string on_failed_dependency;
    std::vector<std::string> tags;
    std::vector<std::string> headers;
    std::vector<std::string> after;
    std::string wait;
};

void add_header(std::map<std::string, std::string>& to, const std::string& text) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0)
        throw usage_error{"--header: write NAME=TEXT, not \"" + text + '"'};
    to[text.substr(0, equals)] = text.substr(equals + 1);
}

// The enumerator of this name; CLI11 has checked that there is one.
template <class Rule>
std::optional<Rule> rule_of(const std::map<std::string, Rule>& names, const std::string& name) {
    if (name.empty()) return std::nullopt;
    return names.at(name);
}

const std::map<std::string, duplicate_rule> duplicate_rules{{"keep_first", duplicate_rule::keep_first},
                                                            {"replace", duplicate_rule::replace},
                                                            {"reject", duplicate_rule::reject}};
const std::map<std::string, dependency_rule> dependency_rules{{"cancel", dependency_rule::cancel_dependents},
                                                              {"wait", dependency_rule::wait},
                                                              {"run", dependency_rule::run}};

options submission_of(const perform_options& how) {
    options extra;
    if (!how.queue.empty()) extra.queue = how.queue;
    if (!how.biz_id.empty()) extra.biz_id = how.biz_id;
    if (!how.in.empty()) extra.delay = need_delay("--in", how.in);
    if (!how.at.empty()) extra.at = need_instant("--at", how.at);
    if (!how.timeout.empty()) extra.timeout = need_length("--timeout", how.timeout);
    if (!how.expires_after.empty()) extra.expires_after = need_length("--expires-after", how.expires_after);
    if (!how.retention.empty()) extra.retention = need_length("--retention", how.retention);
    extra.on_duplicate = rule_of(duplicate_rules, how.on_duplicate);
    extra.on_failed_dependency = rule_of(dependency_rules, how.on_failed_dependency);
    extra.priority = how.priority;
    extra.max_retry = how.max_retry;
    extra.tags = how.tags;
    for (const auto& one : how.headers) add_header(extra.headers, one);
    for (const auto& one : how.after) extra.after.emplace_back(one);
    return extra;
}

// Waits for the result; fills in state, result and error, and says what went wrong.
exit_code wait_for(session& on, const handle<json::value>& task, duration within, json::object& document) {
    try {
        document["result"] = on.run(task.result(within));
        document["state"] = to_string(state::success);
        return exit_code::done;
    } catch (const task_failed& why) {
        document["state"] = to_string(why.state());
        document["error"] = why.what();
        complain("the task ended " + std::string{why.what()});
    } catch (const timed_out&) {
        const std::string sentence = "no result within " + length_text(within) + "; errand show " + task.id();
        document["error"] = sentence;
        complain(sentence);
    }
    return exit_code::undone;
}

exit_code submit(session& on, const perform_options& how) {
    auto args = need_args(how.args);
    auto extra = submission_of(how);
    const auto within = how.wait.empty() ? std::nullopt : std::optional{need_length("--wait", how.wait)};
    const auto task = on.run(on.app().perform(how.handler, std::move(args), std::move(extra)));
    json::object document{{"id", task.id()},
                          {"duplicate", task.duplicate()},
                          {"state", nullptr},
                          {"result", nullptr},
                          {"error", nullptr}};
    if (!on.json()) print(task.id() + '\n');
    if (!on.json() && task.duplicate()) complain("a task with this biz_id was there already: this is its id");
    const auto code = within ? wait_for(on, task, *within, document) : exit_code::done;
    if (on.json()) {
        print_document(document);
    } else if (within && code == exit_code::done) {
        print(json::serialize(document["result"]) + '\n');
    }
    return code;
}

}  // namespace

runner prepare_perform(CLI::App& line) {
    const auto how = std::make_shared<perform_options>();
    line.add_option("handler", how->handler, "Its wire name")->required()->type_name("HANDLER");
    line.add_option("arguments", how->args, "One JSON array ([])")->type_name("JSON");
    line.add_option("--queue", how->queue, "The queue (default)")->type_name("QUEUE");
    line.add_option("--in", how->in, "Due so long from now, such as 5m")->type_name("TIME");
    line.add_option("--at", how->at, "Due then, such as 2026-12-01T08:00:00Z")->type_name("INSTANT");
    line.add_option("--priority", how->priority, "0 to 9, higher first")->type_name("N");
    line.add_option("--max-retry", how->max_retry, "Retries after the first attempt")->type_name("N");
    line.add_option("--timeout", how->timeout, "One attempt may last so long")->type_name("TIME");
    line.add_option("--expires-after", how->expires_after, "Not started so long after it was due: expired")
        ->type_name("TIME");
    line.add_option("--retention", how->retention, "Kept so long after its end (180d)")->type_name("TIME");
    line.add_option("--biz-id", how->biz_id, "A second task with it runs nothing")->type_name("TEXT");
    line.add_option("--on-duplicate", how->on_duplicate,
                    "What a second task with its biz_id does (keep_first)")
        ->type_name("RULE")
        ->check(CLI::IsMember(duplicate_rules));
    line.add_option("--tag", how->tags, "For finding it again; may be given again")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    line.add_option("--header", how->headers, "NAME=TEXT for the handler; may be given again")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    line.add_option("--after", how->after, "A task that it waits for; may be given again")
        ->type_name("ID")
        ->allow_extra_args(false);
    line.add_option("--on-failed-dependency", how->on_failed_dependency,
                    "When one of those ends otherwise than by success (cancel)")
        ->type_name("RULE")
        ->check(CLI::IsMember(dependency_rules));
    line.add_option("--wait", how->wait, "Waits so long for the result and prints it")->type_name("TIME");
    return [how](session& on) { return submit(on, *how); };
}

}  // namespace errand::cli
