#include "store/redis/script_set.hpp"

#include "store/redis/script_texts.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace errand::redis {
namespace {

// Files in a group are defined only by a call of the function of that name, which returns what the last of them does:
// a script defines its functions anew each time it runs.
struct part {
    std::string_view group;
    std::vector<std::string_view> files;
};

struct script_row {
    script_name name;
    std::vector<part> parts;
};

script_row plain(script_name name, std::vector<std::string_view> files) {
    return {name, {{"", std::move(files)}}};
}

// In the order of script_name. The last file of a row is the one that returns.
const std::vector<script_row>& script_rows() {
    using enum script_name;
    static const std::vector<script_row> table{
        plain(open, {"lib_base", "lib_make", "open"}),
        plain(stamp, {"stamp"}),
        plain(submit_new, {"submit_new"}),
        plain(submit, {"lib_base",      "lib_there",    "lib_queues",    "lib_many",       "lib_names",
                       "lib_mark",      "lib_record",   "lib_started",   "lib_lane",       "lib_wake",
                       "lib_entry",     "lib_earliest", "lib_links",     "lib_news",       "lib_away",
                       "lib_forget",    "lib_listed",   "lib_depend",    "lib_walk",       "submit_judge",
                       "submit_recall", "submit_read",  "submit_cycles", "submit_written", "submit_after",
                       "submit_wait",   "submit_place", "submit_names",  "submit"}),
        {work,
         {{"", {"lib_base", "lib_many", "lib_most", "lib_take"}},
          {"look_later", {"lib_queues", "lib_names", "lib_earliest", "lib_due", "work_later"}},
          {"seldom",
           {"lib_queues",   "lib_names",    "lib_mark",     "lib_record", "lib_wake",   "lib_entry",
            "lib_earliest", "lib_body",     "lib_links",    "lib_news",   "lib_staged", "lib_listed",
            "lib_counts",   "lib_paused",   "lib_remnant",  "lib_end",    "lib_carry",  "lib_again",
            "finish_wait",  "finish_aside", "finish_trace", "claim_void", "claim_back", "work_seldom"}},
          {"", {"work_lane", "finish", "claim_pop", "claim", "claim_wait", "work"}}}},
        plain(extend, {"lib_base", "lib_queues", "lib_many", "extend"}),
        plain(note, {"lib_base", "note"}),
        plain(stage, {"lib_base", "lib_queues", "lib_many", "stage"}),
        plain(stages, {"lib_base", "stages"}),
        plain(promote, {"lib_base",   "lib_there",    "lib_queues", "lib_many",    "lib_names",
                        "lib_mark",   "lib_record",   "lib_wake",   "lib_entry",   "lib_body",
                        "lib_links",  "lib_news",     "lib_away",   "lib_forget",  "lib_untie",
                        "lib_staged", "lib_listed",   "lib_counts", "lib_paused",  "lib_end",
                        "lib_bury",   "lib_earliest", "lib_due",    "lib_started", "promote"}),
        plain(recover, {"lib_base", "lib_queues", "lib_lane", "lib_most", "lib_take", "lib_torn", "lib_again",
                        "recover"}),
        plain(adopt, {"lib_base", "lib_there", "lib_queues", "lib_many", "lib_names", "lib_record",
                      "lib_lane", "lib_most", "lib_take", "lib_entry", "lib_earliest", "lib_paused",
                      "lib_again", "adopt_take", "adopt"}),
        plain(clean,
              {"lib_base",      "lib_queues",  "lib_many",   "lib_names",  "lib_mark",      "lib_record",
               "lib_entry",     "lib_body",    "lib_news",   "lib_staged", "lib_listed",    "lib_counts",
               "lib_remnant",   "lib_end",     "lib_links",  "lib_away",   "lib_forget",    "lib_untie",
               "lib_histories", "lib_deleted", "clean_read", "clean_drop", "clean_history", "clean"}),
        plain(cancel,
              {"lib_base",   "lib_queues", "lib_many", "lib_names", "lib_mark",   "lib_record", "lib_entry",
               "lib_body",   "lib_links",  "lib_news", "lib_away",  "lib_forget", "lib_untie",  "lib_staged",
               "lib_listed", "lib_counts", "lib_end",  "lib_bury",  "lib_torn",   "cancel"}),
        plain(find, {"lib_base", "lib_queues", "lib_many", "lib_names", "lib_record", "lib_entry",
                     "lib_earliest", "lib_links", "find"}),
        plain(watch,
              {"lib_base", "lib_queues", "lib_many", "lib_record", "lib_silent", "lib_deleted", "watch"}),
        plain(beat, {"lib_base", "lib_there", "lib_queues", "lib_names", "lib_tally", "beat"}),
        plain(leave, {"lib_base", "lib_queues", "lib_names", "lib_wake", "leave"}),
        plain(busy, {"lib_base", "lib_queues", "lib_wake", "busy"}),
        plain(enrol, {"lib_base", "lib_queues", "lib_many", "lib_record", "lib_entry", "lib_links",
                      "lib_news", "lib_depend", "enrol"}),
        plain(depend, {"lib_base", "lib_there", "lib_queues", "lib_many", "lib_record", "lib_links",
                       "lib_news", "depend"}),
        plain(confirm,
              {"lib_base", "lib_queues", "lib_many", "lib_record", "lib_links", "lib_news", "confirm"}),
        plain(withdraw, {"lib_base", "lib_queues", "lib_many", "lib_entry", "lib_links", "lib_news",
                         "lib_away", "lib_forget", "withdraw"}),
        plain(links, {"lib_base", "lib_many", "lib_links", "links"}),
        plain(news, {"lib_base", "lib_there", "lib_queues", "lib_many", "lib_record", "lib_links", "lib_news",
                     "news"}),
        plain(resolve, {"lib_base", "lib_queues", "lib_many",     "lib_names",  "lib_mark",   "lib_record",
                        "lib_wake", "lib_entry",  "lib_earliest", "lib_body",   "lib_links",  "lib_news",
                        "lib_away", "lib_forget", "lib_untie",    "lib_staged", "lib_listed", "lib_counts",
                        "lib_end",  "lib_bury",   "lib_settle",   "lib_judge",  "lib_hear",   "resolve"}),
        plain(delivered, {"lib_base", "lib_many", "lib_links", "delivered"}),
        plain(revive, {"lib_base", "lib_queues", "lib_many", "lib_names", "lib_record", "lib_wake",
                       "lib_entry", "lib_links", "lib_news", "revive"}),
        plain(pause, {"lib_base", "lib_there", "lib_queues", "lib_names", "lib_paused", "pause"}),
        plain(edit, {"lib_base", "lib_queues", "lib_many", "lib_names", "lib_record", "lib_started",
                     "lib_wake", "lib_entry", "lib_earliest", "edit"}),
        plain(remove, {"lib_base",   "lib_queues", "lib_many", "lib_names",   "lib_mark",
                       "lib_record", "lib_entry",  "lib_body", "lib_staged",  "lib_listed",
                       "lib_counts", "lib_links",  "lib_news", "lib_away",    "lib_forget",
                       "lib_untie",  "lib_end",    "lib_bury", "lib_deleted", "remove"}),
        plain(overview, {"lib_base", "lib_queues", "lib_names", "lib_many", "lib_record", "lib_earliest",
                         "lib_listed", "lib_paused", "overview"}),
        plain(list, {"lib_base", "lib_queues", "lib_many", "lib_most", "lib_names", "lib_record", "lib_entry",
                     "lib_earliest", "lib_listed", "list_sorted", "list_lines", "list"}),
        plain(running, {"lib_base", "running"}),
        plain(audit_tasks, {"lib_base", "lib_queues", "lib_many", "lib_names", "lib_record", "lib_entry",
                            "lib_links", "lib_news", "lib_away", "lib_listed", "lib_torn", "lib_finding",
                            "audit_lease", "audit_places", "audit_tasks"}),
        plain(audit_lists, {"lib_base", "lib_queues", "lib_many", "lib_names", "lib_record", "lib_entry",
                            "lib_listed", "lib_torn", "lib_finding", "audit_lists"}),
        plain(audit_rest, {"lib_base", "lib_queues", "lib_entry", "lib_torn", "lib_finding", "audit_rest"}),
        plain(trim, {"lib_base",    "lib_queues", "lib_many",    "lib_names",  "lib_mark",   "lib_record",
                     "lib_entry",   "lib_body",   "lib_news",    "lib_staged", "lib_listed", "lib_counts",
                     "lib_remnant", "lib_end",    "lib_links",   "lib_away",   "lib_forget", "lib_untie",
                     "lib_deleted", "clean_drop", "trim_oldest", "trim"}),
        plain(untangle, {"lib_base", "lib_queues", "lib_many", "lib_record", "lib_links", "lib_news",
                         "lib_away", "lib_forget", "untangle"}),
        plain(mend, {"lib_base", "lib_queues", "lib_many", "lib_names", "lib_record", "lib_entry", "lib_wake",
                     "lib_torn", "mend"}),
        plain(mend_count, {"lib_base", "lib_queues", "mend_count"}),
        plain(resume, {"lib_base", "lib_queues", "lib_names", "lib_paused", "lib_wake", "resume"}),
        plain(forget, {"forget"}),
        plain(sweep, {"lib_base", "lib_queues", "lib_many", "lib_names", "lib_record", "lib_links",
                      "lib_news", "lib_away", "lib_forget", "lib_stray", "lib_silent", "lib_histories",
                      "sweep_kinds", "sweep_ties", "sweep_counts", "sweep"}),
        plain(audit_links,
              {"lib_base", "lib_queues", "lib_many", "lib_record", "lib_entry", "lib_links", "lib_news",
               "lib_away", "lib_forget", "lib_stray", "lib_torn", "lib_finding", "audit_links"}),
    };
    return table;
}

std::string_view file(std::string_view name) {
    for (const auto& text : script_texts) {
        if (text.name == name) return text.text;
    }
    throw std::logic_error{"no script file " + std::string{name}};
}

// These change nothing that has to outlive a fail-over.
constexpr std::array reading{script_name::stamp,     script_name::stages,   script_name::find,
                             script_name::watch,     script_name::links,    script_name::list,
                             script_name::running,   script_name::overview, script_name::busy,
                             script_name::mend_count};

std::vector<script> put_together() {
    std::vector<script> scripts;
    for (const auto& one : script_rows()) {
        std::string text;
        for (const auto& [group, files] : one.parts) {
            if (!group.empty()) text.append("local function ").append(group).append("()\n");
            for (const auto name : files) text.append(file(name));
            if (!group.empty()) text.append("end\n");
        }
        const auto last = one.parts.back().files.back();
        auto sha = sha1(text);
        const bool only_reads = std::ranges::find(reading, one.name) != reading.end();
        scripts.push_back({last.substr(0, last.find('_')), std::move(text), std::move(sha), only_reads});
    }
    return scripts;
}

const std::vector<script>& scripts() {
    static const auto all = put_together();
    return all;
}

}  // namespace

std::string sha1(std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
        throw std::runtime_error{"OpenSSL could not compute the SHA-1 by which Redis names a script"};
    }
    std::string hex;
    for (unsigned at = 0; at < size; ++at) {
        hex.push_back(digits[digest[at] >> 4]);
        hex.push_back(digits[digest[at] & 15]);
    }
    return hex;
}

const script& script_of(script_name name) { return scripts()[static_cast<std::size_t>(name)]; }
std::span<const script> all_scripts() { return scripts(); }

}  // namespace errand::redis
