#include "cli/upgrade.hpp"

#include "app/stored_formats.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <string>

namespace errand::cli {
namespace {

std::string sentence_of(const stored_format& seen) {
    const auto newest = std::to_string(seen.newest);
    switch (need_of(seen)) {
    case upgrade_need::nothing: return "nothing";
    case upgrade_need::making: return "nothing: the first program that opens it makes it";
    case upgrade_need::bringing_forward:
        return "a backup, and the end of all programs that have it open: the first one of this errand brings it to format " +
               newest + ", and older ones refuse it then";
    case upgrade_need::newer_errand: return "a newer errand: this one refuses it";
    case upgrade_need::older_errand: return "an older errand, which ends its tasks: this one refuses it";
    }
    return {};
}

std::string known_formats(const stored_format& seen) {
    const auto newest = std::to_string(seen.newest);
    return seen.oldest == seen.newest ? newest : std::to_string(seen.oldest) + " to " + newest;
}

bool is_refused(const stored_format& seen) {
    const auto need = need_of(seen);
    return need == upgrade_need::newer_errand || need == upgrade_need::older_errand;
}

struct worker_version {
    std::string name;
    std::string version;  // empty: before 0.9
};

std::string version_in(const std::string& card) {
    boost::system::error_code not_json;
    const auto value = boost::json::parse(card, not_json);
    if (not_json || !value.is_object()) return {};
    const auto* version = value.get_object().if_contains("version");
    return version && version->is_string() ? std::string{version->get_string()} : std::string{};
}

// A worker is in the list of each shard.
std::vector<worker_version> workers_of(const std::vector<stored_format>& seen) {
    std::vector<worker_version> all;
    for (const auto& store : seen) {
        for (const auto& one : store.workers) {
            if (std::ranges::find(all, one.name, &worker_version::name) == all.end())
                all.push_back({one.name, version_in(one.card)});
        }
    }
    return all;
}

void print_tables(const std::vector<stored_format>& seen, const std::vector<worker_version>& workers) {
    table stores{{{.title = "store", .least = 12},
                  {.title = "format", .right = true},
                  {.title = "this errand"},
                  {.title = "needs", .least = 20}}};
    for (const auto& one : seen)
        stores.add({one.store, one.number ? std::to_string(*one.number) : "none", known_formats(one),
                    sentence_of(one)});
    print(stores.text(line_width()));
    if (workers.empty()) return print("no worker is seen there\n");
    table names{{{.title = "worker", .least = 8}, {.title = "version"}}};
    for (const auto& one : workers) names.add({one.name, one.version.empty() ? "before 0.9" : one.version});
    print(names.text(line_width()));
}

boost::json::object document_of(const std::vector<stored_format>& seen,
                                const std::vector<worker_version>& workers) {
    boost::json::array stores, names;
    for (const auto& one : seen) {
        stores.push_back(boost::json::object{
            {"store", one.store},
            {"format", one.number ? boost::json::value{*one.number} : boost::json::value{}},
            {"oldest", one.oldest},
            {"newest", one.newest},
            {"needs", name_of(need_of(one))}});
    }
    for (const auto& one : workers) {
        names.push_back(boost::json::object{
            {"name", one.name},
            {"version", one.version.empty() ? boost::json::value{} : boost::json::value{one.version}}});
    }
    return {{"version", ERRAND_VERSION}, {"stores", std::move(stores)}, {"workers", std::move(names)}};
}

}  // namespace

upgrade_need need_of(const stored_format& seen) {
    if (!seen.number) return upgrade_need::making;
    if (*seen.number > seen.newest) return upgrade_need::newer_errand;
    if (*seen.number < seen.oldest) return upgrade_need::older_errand;
    return *seen.number < seen.newest && !seen.stays ? upgrade_need::bringing_forward : upgrade_need::nothing;
}

std::string_view name_of(upgrade_need need) {
    switch (need) {
    case upgrade_need::nothing: return "nothing";
    case upgrade_need::making: return "making";
    case upgrade_need::bringing_forward: return "bringing_forward";
    case upgrade_need::newer_errand: return "newer_errand";
    case upgrade_need::older_errand: return "older_errand";
    }
    return {};
}

exit_code show_upgrade(session& on) {
    const auto settings = on.settings();
    session::need_shared_store(settings);
    const auto seen = stored_formats(settings);
    const auto workers = workers_of(seen);
    if (on.json()) {
        print_document(document_of(seen, workers));
    } else {
        print_tables(seen, workers);
    }
    if (std::ranges::none_of(seen, is_refused)) return exit_code::done;
    complain("errand " ERRAND_VERSION " cannot work on this store; docs/upgrade.md says what can be done");
    return exit_code::undone;
}

}  // namespace errand::cli
