// What is set of a type of flow tasks. A type is a handler whose queue has its name: how its tasks are tried is set as of any
// handler (errand/settings.hpp), and what only flows have stands in a record of its own beside that.
#pragma once

#include <errand/settings.hpp>

#include "core/flow_notes.hpp"
#include "runtime/app_core.hpp"
#include "runtime/loop.hpp"
#include "service/route.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::flow {

// What only flows have.
struct flow_rules {
    std::int64_t version = 0;  // grows by one with each change of these
    std::int64_t batch = 100;  // tasks of one hold that names no limit
    duration interval{
        1000};  // what a worker is to wait between two holds, and until an outcome `again` comes again
    duration lease{30'000};
    bool retries_per_stage = true;  // else they are counted over the whole task
    std::size_t max_content = std::size_t{1024} * 1024;
    std::vector<std::string> stages{};             // that there are; none: any name goes
    std::size_t log_runs = flow_notes::most_runs;  // attempts that are kept of a task
    friend bool operator==(const flow_rules&, const flow_rules&) = default;
};

struct flow_type {
    std::string name;
    flow_rules rules;
    handler_settings tries;

    bool has_stage(std::string_view name) const;
};

// [-_.0-9A-Za-z]{1,128}: of types, stages and workers.
bool is_name(std::string_view text) noexcept;
// Throws refusal (400).
void check_name(const std::string& text, std::string_view what, const std::string& path);

// What a request may say, in milliseconds.
inline constexpr std::int64_t shortest_lease = 1000;
inline constexpr std::int64_t longest_lease = 86'400'000;
inline constexpr std::int64_t longest_wait = 60'000;

// The first stage of whatever is created without one.
inline constexpr std::string_view first_stage = "start";

// "\x01flow:video", and back.
std::string record_name(std::string_view type);
std::optional<std::string> type_of_record(std::string_view record_name);
std::string encode_rules(const flow_rules& rules, std::uint64_t stamp);
// Throws bad_data.
flow_rules decode_rules(std::string_view record);

// As this process has heard of it. Nullopt: there is no such type.
std::optional<flow_type> find_type(const detail::app_core& app, const std::string& name);
// Throws refusal (404).
flow_type need_type(const detail::app_core& app, const std::string& name);
std::vector<flow_type> all_types(const detail::app_core& app);

// As the store has it, for a change: `rules` is none when there is no such type.
struct stored_type {
    std::optional<flow_rules> rules{};
    std::uint64_t stamp = 0;
    handler_settings tries{};
    std::int64_t tries_version = 0;
};
awaitable<stored_type> read_type(detail::app_core& app, loop& home, std::string name);
// False: another change came first. `rules` of none: the type is to be no more.
awaitable<bool> write_type(detail::app_core& app, loop& home, std::string name, const stored_type& seen,
                           std::optional<flow_rules> rules, handler_settings tries);

boost::json::object json_of(const flow_type& of);

}  // namespace errand::flow
