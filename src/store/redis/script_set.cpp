#include "store/redis/script_set.hpp"

#include "core/sha1.hpp"
#include "store/redis/script_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace errand::redis {
namespace {

// In the order of script_name: the file of scripts/ that returns the script's answer.
constexpr std::array<std::string_view, 65> last_files{
    "open",           "stamp",          "submit_new",   "submit",        "work",           "extend",
    "note",           "stage",          "stages",       "promote",       "recover",        "adopt",
    "clean",          "cancel",         "find",         "watch",         "beat",           "leave",
    "busy",           "enrol",          "depend",       "confirm",       "withdraw",       "links",
    "news",           "resolve",        "delivered",    "revive",        "pause",          "edit",
    "remove",         "overview",       "list",         "running",       "audit_tasks",    "audit_lists",
    "audit_rest",     "trim",           "untangle",     "repair",        "repair_count",   "resume",
    "forget",         "sweep",          "audit_links",  "schedules_due", "schedules_find", "schedules_list",
    "schedules_step", "settings_find",  "settings_set", "limits_set",    "limits_list",    "limits_lend",
    "limits_lent",    "audit_gates",    "bundle",       "quota_take",    "figures_add",    "yield",
    "limits_waiting", "submit_instead", "requests",     "heads",         "tally",
};
static_assert(static_cast<std::size_t>(script_name::tally) + 1 == last_files.size());

// These change nothing that has to outlive a fail-over.
constexpr std::array reading{
    script_name::stamp,          script_name::stages,         script_name::find,
    script_name::watch,          script_name::links,          script_name::list,
    script_name::running,        script_name::overview,       script_name::busy,
    script_name::repair_count,   script_name::schedules_find, script_name::schedules_list,
    script_name::limits_list,    script_name::limits_lent,    script_name::settings_find,
    script_name::limits_waiting, script_name::heads};

void replace_each(std::string& in, std::string_view word, std::string_view by) {
    for (auto at = in.find(word); at != in.npos; at = in.find(word, at + by.size()))
        in.replace(at, word.size(), by);
}

// Messages, and the question who hears them.
std::string with_messages_of_the_slot(std::string text) {
    replace_each(text, "'PUBLISH'", "'SPUBLISH'");
    replace_each(text, "'NUMSUB'", "'SHARDNUMSUB'");
    return text;
}

std::vector<script> put_together(bool in_cluster) {
    std::vector<script> scripts;
    for (std::size_t at = 0; at < last_files.size(); ++at) {
        auto text = script_text_of(last_files[at], script_texts);
        if (in_cluster) text = with_messages_of_the_slot(std::move(text));
        auto sha = sha1(text);
        const bool only_reads = std::ranges::find(reading, static_cast<script_name>(at)) != reading.end();
        const auto name = last_files[at].substr(0, last_files[at].find('_'));
        const bool counts_each = static_cast<script_name>(at) == script_name::requests;
        scripts.push_back({name, std::move(text), std::move(sha), only_reads, counts_each});
    }
    return scripts;
}

const std::vector<script>& scripts(bool in_cluster) {
    static const auto plain = put_together(false);
    if (!in_cluster) return plain;
    static const auto sharded = put_together(true);
    return sharded;
}

}  // namespace

const script& script_of(script_name name, bool in_cluster) {
    return scripts(in_cluster)[static_cast<std::size_t>(name)];
}
std::span<const script> all_scripts(bool in_cluster) { return scripts(in_cluster); }

}  // namespace errand::redis
