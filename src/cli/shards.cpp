// errand shards: which server keeps which part of the namespace, and how much that is.
#include "app/stored_shards.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

namespace errand::cli {
namespace {

table shard_table(const std::vector<shard_look>& seen) {
    table all{{{.title = "shard", .right = true},
               {.title = "slot", .right = true},
               {.title = "server", .least = 12},
               {.title = "replicas", .right = true},
               {.title = "lag", .right = true},
               {.title = "tasks", .right = true},
               {.title = "bytes", .right = true}}};
    for (const auto& one : seen) {
        const bool known = one.away.empty();
        const auto number = [known](std::uint64_t value) { return known ? std::to_string(value) : "away"; };
        all.add({std::to_string(one.shard), one.slot ? std::to_string(*one.slot) : "", one.server,
                 number(one.replicas), known && one.replicas == 0 ? "" : number(one.lag), number(one.tasks),
                 number(one.bytes)});
    }
    return all;
}

boost::json::object json_of_shard(const shard_look& one) {
    const auto known = [&one](std::uint64_t value) {
        return one.away.empty() ? boost::json::value{value} : boost::json::value{};
    };
    return {{"shard", one.shard},
            {"slot", one.slot ? boost::json::value{*one.slot} : boost::json::value{}},
            {"server", one.server},
            {"replicas", known(one.replicas)},
            {"lag", one.replicas > 0 ? known(one.lag) : boost::json::value{}},
            {"tasks", known(one.tasks)},
            {"bytes", known(one.bytes)}};
}

exit_code show_shards(session& on) {
    const auto settings = on.settings();
    session::need_shared_store(settings);
    const auto seen = stored_shards(settings);
    if (on.json()) {
        boost::json::array all;
        for (const auto& one : seen) all.emplace_back(json_of_shard(one));
        print_document(boost::json::object{{"shards", std::move(all)}});
    } else {
        print(shard_table(seen).text(line_width()));
    }
    const auto away = std::ranges::find_if(seen, [](const shard_look& one) { return !one.away.empty(); });
    if (away == seen.end()) return exit_code::done;
    complain(away->away);
    return std::ranges::all_of(seen, [](const shard_look& one) { return !one.away.empty(); })
               ? exit_code::no_store
               : exit_code::undone;
}

}  // namespace

runner prepare_shards(CLI::App&) { return show_shards; }

}  // namespace errand::cli
