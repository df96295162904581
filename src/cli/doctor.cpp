#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"

#include <boost/json/array.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace errand::cli {
namespace {

checkup look(session& on, bool repair, const interruptible& watch) {
    progress_bar bar{0};
    return on.run(on.inspect().check(repair, [&](const checkup& so_far) {
        bar.show(so_far.looked_at,
                 "looked at " + std::to_string(so_far.looked_at) + ", found " + std::to_string(so_far.found));
        return !watch.asked();
    }));
}

boost::json::object json_of_checkup(const checkup& seen) {
    boost::json::array findings;
    for (const auto& one : seen.findings) {
        findings.push_back(boost::json::object{
            {"kind", one.kind}, {"subject", one.subject}, {"text", one.text}, {"repaired", one.repaired}});
    }
    return {{"looked_at", seen.looked_at},
            {"found", seen.found},
            {"repaired", seen.repaired},
            {"findings", std::move(findings)}};
}

void show(const checkup& seen) {
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

exit_code check(session& on, bool repair) {
    const interruptible watch;
    const auto seen = look(on, repair, watch);
    if (on.json()) {
        print_document(json_of_checkup(seen));
    } else {
        show(seen);
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
    line.add_flag("--repair", *repair, "Puts right what is found");
    return [repair](session& on) { return check(on, *repair); };
}

}  // namespace errand::cli
