// Recurring tasks: which there are, and what an operator does to one of them.
#include <errand/error.hpp>
#include <errand/schedule.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/schedule_views.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"
#include "core/schedule_record.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <memory>

namespace errand::cli {
namespace {

constexpr std::size_t shown_ticks = 5;

struct schedules_line {
    std::string action = "list";
    std::string which;
    std::string from;
    std::string to;
    std::string handler;
    std::string state;
    std::string after;
    std::size_t limit = 50;
};

schedule_state need_schedule_state(const std::string& name) {
    for (const auto one : {schedule_state::active, schedule_state::paused, schedule_state::finished,
                           schedule_state::cancelled}) {
        if (to_string(one) == name) return one;
    }
    throw usage_error{"--state: \"" + name + "\" is none of active, paused, finished and cancelled"};
}

exit_code list_schedules(session& on, const schedules_line& given) {
    schedule_filter which{.handler = given.handler, .limit = given.limit};
    if (!given.state.empty()) which.state = need_schedule_state(given.state);
    const auto page = on.run(on.app().schedules(which, given.after));
    if (on.json()) {
        const auto next = page.next.empty() ? boost::json::value{} : boost::json::value{page.next};
        print_document(boost::json::object{{"schedules", json_list(page.schedules)}, {"next", next}});
        return on.seen();
    }
    if (page.schedules.empty()) {
        print("there is no such schedule\n");
    } else {
        print(schedule_table(page.schedules, clock_now()).text(line_width()));
    }
    if (!page.next.empty()) print("more: --after=" + page.next + '\n');
    return on.seen();
}

// On several shards it may stand in two places: where it was before its handler had limits, or had none any more, as a
// cancelled one.
std::optional<schedule> standing_schedule(session& on, const task_id& id) {
    auto found = on.run(on.app().find_schedule(to_text(id)));
    if (on.app().settings().shards == 1) return found;
    if (found && on.run(found->info()).state != schedule_state::cancelled) return found;
    const auto in_first = on.run(on.app().find_schedule(to_text(in_first_shard(id))));
    return in_first ? in_first : found;
}

// "handler:key"; both may have colons in them.
std::optional<schedule> named_schedule(session& on, const std::string& name) {
    // Under the name by which most handlers keep their schedules ...
    for (auto at = name.find(':'); at != name.npos; at = name.find(':', at + 1)) {
        const auto id = derive_schedule_id(name.substr(0, at), name.substr(at + 1));
        if (const auto found = standing_schedule(on, id)) return found;
    }
    // ... and of one with earlier names, wherever it stands.
    schedule_page page;
    do {
        page = on.run(on.app().schedules({.limit = 1000}, page.next));
        for (const auto& one : page.schedules) {
            if (one.handler + ':' + one.key == name) return on.run(on.app().find_schedule(one.id));
        }
    } while (!page.next.empty());
    return std::nullopt;
}

std::optional<schedule> wanted_schedule(session& on, const std::string& which) {
    if (auto found = on.run(on.app().find_schedule(which))) return found;
    return which.find(':') == which.npos ? std::nullopt : named_schedule(on, which);
}

exit_code show_schedule(session& on, const schedule& one) {
    const auto info = on.run(one.info());
    const auto ticks = on.run(one.upcoming(shown_ticks));
    if (!on.json()) {
        print(schedule_text(info, ticks, clock_now()));
        return exit_code::done;
    }
    auto document = json_of(info);
    boost::json::array upcoming;
    for (const auto at : ticks) upcoming.emplace_back(instant_text(at));
    document["upcoming"] = std::move(upcoming);
    print_document(document);
    return exit_code::done;
}

exit_code change_schedule_state(session& on, const schedule& one, const std::string& action) {
    const bool changed = on.run(action == "pause"    ? one.pause()
                                : action == "resume" ? one.resume()
                                                     : one.cancel());
    const auto state = std::string{to_string(on.run(one.info()).state)};
    if (on.json()) {
        print_document(boost::json::object{{"id", one.id()}, {"state", state}, {"changed", changed}});
    } else {
        print("schedule " + one.id() + (changed ? " is " : " was ") + state +
              (changed ? "\n" : " already\n"));
    }
    return exit_code::done;
}

exit_code run_schedule(session& on, const schedule& one) {
    const auto task = on.run(one.run_now());
    if (on.json()) {
        print_document(boost::json::object{{"id", one.id()}, {"task", task.id()}});
    } else {
        print(task.id() + '\n');
    }
    return exit_code::done;
}

exit_code backfill_schedule(session& on, const schedule& one, const schedules_line& given) {
    const auto made = on.run(one.backfill(need_instant("FROM", given.from), need_instant("TO", given.to)));
    if (on.json()) {
        print_document(boost::json::object{{"id", one.id()}, {"made", made}});
    } else {
        print("made " + std::to_string(made) + (made == 1 ? " run\n" : " runs\n"));
    }
    return exit_code::done;
}

void check_words(const schedules_line& given) {
    const bool lists = given.action == "list";
    const bool fills = given.action == "backfill";
    if (!lists && given.which.empty())
        throw usage_error{"schedules " + given.action + ": say which one, by its id or as handler:key"};
    if (lists && !given.which.empty()) throw usage_error{"schedules list takes no id: see schedules show"};
    if (fills && given.to.empty()) throw usage_error{"schedules backfill: say from when and to when"};
    if (!fills && !given.from.empty())
        throw usage_error{"schedules " + given.action + " takes one id and no times"};
    if (!lists && !(given.handler + given.state + given.after).empty())
        throw usage_error{"--handler, --state, --limit and --after go with the list only"};
}

exit_code run_schedules(session& on, const schedules_line& given) {
    check_words(given);
    if (given.action == "list") return list_schedules(on, given);
    const auto one = wanted_schedule(on, given.which);
    if (!one) {
        complain(given.which + ": no schedule has this id or name");
        return exit_code::undone;
    }
    if (given.action == "show") return show_schedule(on, *one);
    if (given.action == "run") return run_schedule(on, *one);
    if (given.action == "backfill") return backfill_schedule(on, *one, given);
    return change_schedule_state(on, *one, given.action);
}

}  // namespace

runner prepare_schedules(CLI::App& line) {
    const auto given = std::make_shared<schedules_line>();
    line.add_option(
            "action", given->action,
            "list (when nothing is said), show, pause, resume, cancel, run: makes a run now; backfill: makes the "
            "runs of ticks that have none")
        ->check(CLI::IsMember({"list", "show", "pause", "resume", "cancel", "run", "backfill"}))
        ->type_name("ACTION");
    line.add_option("which", given->which, "Its id, or handler:key")->type_name("ID");
    line.add_option("from", given->from, "Of backfill: the first tick, like 2026-12-01T08:00:00Z")
        ->type_name("FROM");
    line.add_option("to", given->to, "Of backfill: ticks before it")->type_name("TO");
    line.add_option("--handler", given->handler, "Of the list: of this handler")->type_name("NAME");
    line.add_option("--state", given->state, "Of the list: active, paused, finished or cancelled")
        ->type_name("NAME");
    line.add_option("--limit", given->limit, "Of the list: so many at most (50; at most 1000)")
        ->type_name("N");
    line.add_option("--after", given->after, "Of the list: goes on where a page has ended")
        ->type_name("CURSOR");
    return [given](session& on) { return run_schedules(on, *given); };
}

}  // namespace errand::cli
