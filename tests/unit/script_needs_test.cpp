// Each file of scripts/ names all that it uses of the lib_ files: what it misses would be an error of Redis's only when the
// line is reached that needs it.
#include "store/redis/script_text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

using namespace errand::redis;

namespace {

using names = std::set<std::string>;

// Without comments and strings.
std::string code_of(std::string_view file) {
    static const std::regex words_in_it{R"(--[^\n]*|'(\\.|[^'\\])*'|"(\\.|[^"\\])*")"};
    return std::regex_replace(std::string{file}, words_in_it, "''");
}

void add_names(names& to, const std::string& list) {
    static const std::regex name{R"([A-Za-z_]\w*)"};
    for (std::sregex_iterator at{list.begin(), list.end(), name}; at != std::sregex_iterator{}; ++at)
        to.insert(at->str());
}

// What one group of the expression matches.
names names_in(const std::string& code, const std::regex& where) {
    names found;
    for (std::sregex_iterator at{code.begin(), code.end(), where}; at != std::sregex_iterator{}; ++at)
        add_names(found, (*at)[1].str());
    return found;
}

// By `local` at the beginning of a line.
names defined_in(const std::string& code) {
    static const std::regex functions{R"((?:^|\n)local function (\w+))"};
    static const std::regex values{R"((?:^|\n)local (?!function)(\w+(?:\s*,\s*\w+)*))"};
    auto all = names_in(code, functions);
    all.merge(names_in(code, values));
    return all;
}

// Anywhere in it: its own variables, parameters and counters.
names bound_in(const std::string& code) {
    static const std::regex variables{R"(\blocal (?:function )?(\w+(?:\s*,\s*\w+)*))"};
    static const std::regex parameters{R"(\bfunction\s*\w*\s*\(([^)]*)\))"};
    static const std::regex counters{R"(\bfor (\w+(?:\s*,\s*\w+)*)\s*(?:=|in\b))"};
    auto all = names_in(code, variables);
    all.merge(names_in(code, parameters));
    all.merge(names_in(code, counters));
    return all;
}

// But for fields of tables.
names used_in(const std::string& code) {
    static const std::regex field{R"([.:]\s*[A-Za-z_]\w*|[{,]\s*[A-Za-z_]\w*\s*=(?!=))"};
    names all;
    add_names(all, std::regex_replace(code, field, " "));
    return all;
}

}  // namespace

TEST_CASE("a script's file names the files whose functions it uses") {
    std::map<std::string, std::string_view> home;  // of each name that a lib_ file defines
    for (const auto& one : script_texts) {
        if (!one.name.starts_with("lib_")) continue;
        for (const auto& name : defined_in(code_of(one.text))) {
            INFO(name << " is defined by " << one.name << " and by "
                      << (home.contains(name) ? home.at(name) : one.name));
            // Every script has these two under their own names.
            CHECK((home.emplace(name, one.name).second || name == "KEYS" || name == "ARGV"));
        }
    }
    CHECK(home.size() > 100);
    for (const auto& one : script_texts) {
        if (one.name == "submit_new") continue;  // made to be short: it has what it needs in itself
        const auto code = code_of(one.text);
        const auto own = bound_in(code);
        const auto whole = script_text_of(one.name, script_texts);
        for (const auto& name : used_in(code)) {
            const auto at = home.find(name);
            if (at == home.end() || own.contains(name)) continue;
            INFO(one.name << " uses " << name << " of " << at->second);
            // KEYS and ARGV are Redis's own, too.
            const auto definition = std::ranges::find(script_texts, at->second, &script_text::name)->text;
            CHECK((whole.find(definition) != std::string::npos || name == "KEYS" || name == "ARGV"));
        }
    }
}
