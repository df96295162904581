#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "cli/upgrade.hpp"
#include "cli/views.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

checkup check_up(session& on, bool repair, const interruptible& watch) {
    progress_bar bar{0};
    return on.run(on.inspect().check(repair, [&](const checkup& so_far) {
        bar.show(so_far.looked_at,
                 "looked at " + std::to_string(so_far.looked_at) + ", found " + std::to_string(so_far.found));
        return !watch.asked();
    }));
}

void show_findings(const checkup& seen) {
    if (seen.found == 0) return print("everything is in order\n");
    table out{
        {{.title = "kind"}, {.title = "what", .least = 12}, {.title = "wrong", .least = 12}, {.title = ""}}};
    for (const auto& one : seen.findings)
        out.add({one.kind, one.subject, one.text, one.repaired ? "repaired" : ""});
    print(out.text(line_width()));
    if (seen.found > seen.findings.size())
        print("and " + std::to_string(seen.found - seen.findings.size()) + " more\n");
    print(std::to_string(seen.found) + " found, " + std::to_string(seen.repaired) + " repaired\n");
}

exit_code run_doctor(session& on, bool repair) {
    const interruptible watch;
    const auto seen = check_up(on, repair, watch);
    if (on.json()) {
        print_document(json_of(seen));
    } else {
        show_findings(seen);
    }
    if (watch.asked()) return exit_code::interrupted;
    if (seen.found > seen.repaired && !repair) {
        complain("the store is damaged; errand doctor --repair puts it right");
    }
    return seen.found > seen.repaired ? exit_code::undone : exit_code::done;
}

}  // namespace

runner prepare_doctor(CLI::App& line) {
    const auto repair = std::make_shared<bool>(false);
    const auto upgrade = std::make_shared<bool>(false);
    auto* repairs = line.add_flag("--repair", *repair, "Puts right what is found");
    line.add_flag(
            "--upgrade", *upgrade,
            "Says instead what the store needs of this version, and of which versions its workers are; changes nothing")
        ->excludes(repairs);
    return [repair, upgrade](session& on) { return *upgrade ? show_upgrade(on) : run_doctor(on, *repair); };
}

}  // namespace errand::cli
