// The quota of the namespace: what it is, another one, or none.
#include <errand/error.hpp>
#include <errand/quota.hpp>

#include "cli/commands.hpp"
#include "cli/quota_views.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "service/info_json.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

struct quota_line {
    std::string action = "show";
    std::vector<std::string> words;
    bool below_queued = false;
};

quota_info changed_quota(session& on, const quota_line& given) {
    const auto seen = on.run(on.app().current_quota());
    if (given.action == "show") return seen;
    if (given.action == "clear") return on.run(on.app().clear_quota());
    return on.run(on.app().set_quota(quota_over(seen.rules, given.words),
                                     {.below_queued = given.below_queued}));
}

exit_code run_quota(session& on, const quota_line& given) {
    if ((given.action == "set") == given.words.empty())
        throw usage_error{
            "quota: say `errand quota`, `errand quota set max_queued=N …` or `errand quota clear`"};
    const auto seen = changed_quota(on, given);
    if (on.json()) {
        print_document(json_of(seen));
    } else {
        print(plain("quota of namespace " + on.app().settings().name_space + ": " + quota_text(seen.rules)) +
              "\n" + std::to_string(seen.queued) +
              (seen.queued == 1 ? " task is queued\n" : " tasks are queued\n"));
    }
    return on.seen();
}

}  // namespace

runner prepare_quota(CLI::App& line) {
    const auto given = std::make_shared<quota_line>();
    line.add_option("action", given->action, "show (when nothing is said), set, clear")
        ->check(CLI::IsMember({"show", "set", "clear"}))
        ->type_name("ACTION");
    line.add_option(
            "rule", given->words,
            "Of set: max_queued=N, submit_rate=N/TIME (500/s, 100/min, 50/30s), burst=N, max_running=N, "
            "max_schedules=N, max_payload=BYTES; what is not named stays, and nothing behind the = takes one back")
        ->type_name("RULE");
    line.add_flag(
        "--below-queued", given->below_queued,
        "Also a max_queued below what is queued now: nothing is accepted until workers have done enough");
    return [given](session& on) { return run_quota(on, *given); };
}

}  // namespace errand::cli
