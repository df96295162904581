// Configuration values from text. Pure: the environment and the file are read elsewhere.
#pragma once

#include <errand/config.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// "30s", "500ms", "2m", "1h", "7d": a whole number and its unit. Nullopt for anything else.
std::optional<duration> parse_duration(std::string_view text) noexcept;

// "mail:3,default:1" (a name alone weighs 1). Throws usage_error that begins with `where` and says what does not fit.
std::map<std::string, int> parse_weights(std::string_view text, const std::string& where);

// Sets the members that `look` knows by their variable's name (ERRAND_STORE, …). Throws usage_error naming the variable.
void apply_variables(config& to, const std::function<std::optional<std::string>(const std::string&)>& look);

// Of these names of variables: a sentence for each that begins with ERRAND_ and means nothing, with the nearest that does.
std::vector<std::string> unknown_variables(std::span<const std::string> names);

// Sets the members named in a JSON object. Throws usage_error naming the file and the member.
void apply_json(config& to, std::string_view text, const std::string& file);

// Refuses values out of range: usage_error naming the member.
void check_config(const config& settings);

// Whether tasks end with the app.
inline bool keeps_in_memory(const config& settings) {
    return settings.store.empty() || settings.store == "sqlite::memory:";
}

// Whether they are in a SQLite file, which processes share.
inline bool keeps_in_file(const config& settings) {
    return !keeps_in_memory(settings) && settings.store.starts_with("sqlite:");
}

}  // namespace errand
