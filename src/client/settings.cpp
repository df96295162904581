// What is set of handlers at run time: changed by compare-and-set, and read back.
#include <errand/detail/engine.hpp>
#include <errand/error.hpp>
#include <errand/settings.hpp>

#include "client/own_limits.hpp"
#include "core/iso_time.hpp"
#include "core/limit_rules.hpp"
#include "core/policy_rules.hpp"
#include "core/random.hpp"
#include "core/settings_record.hpp"
#include "core/settings_text.hpp"
#include "runtime/caller_loop.hpp"
#include "runtime/handlers.hpp"

#include <utility>

namespace errand {
namespace {

// Of a handler that this program has by its present name.
std::string settings_name(const std::string& handler) {
    check_wire_name(handler);
    const auto* known = handlers::find(handler);
    return known ? known->name : handler;
}

settings_info info_of_settings(std::string handler, settings_record record) {
    return {.handler = std::move(handler),
            .settings = std::move(record.values),
            .version = record.version,
            .by = std::move(record.by),
            .at = record.at};
}

awaitable<settings_record> seen_settings(loop& there, std::string handler) {
    const auto bytes = co_await there.tasks().find_settings(std::move(handler));
    co_return bytes.empty() ? settings_record{} : decode_settings(bytes);
}

awaitable<settings_info> settings_on(loop& there, std::string handler) {
    auto record = co_await seen_settings(there, handler);
    co_return info_of_settings(std::move(handler), std::move(record));
}

[[noreturn]] void throw_conflict(const std::string& handler, std::int64_t wanted,
                                 const settings_record& seen) {
    const auto is = "the settings of handler \"" + handler + "\" are not those of version " +
                    std::to_string(wanted) + " any more";
    if (seen.version == 0) throw settings_conflict{is + ": nothing is set of it"};
    throw settings_conflict{is + ": " + seen.by + " has made version " + std::to_string(seen.version) +
                            " at " + iso_time_text(seen.at) + "Z" +
                            "; read them with settings_of() and decide again"};
}

bool is_limited(const handler_settings& set) { return set.max_running || set.rate; }

// What of them is a limit is in force as the last of them says, also when others change them at the same time.
awaitable<void> follow_settings(loop& there, const std::string& handler, settings_record set) {
    const auto name = own_name_of_limit(limit_of_handler(handler));
    for (std::uint64_t followed = 0; followed != set.stamp; set = co_await seen_settings(there, handler)) {
        auto rule = co_await rule_of_settings(there.tasks(), name, set.values);
        co_await set_own_limit(there, name, std::move(rule));
        followed = set.stamp;
    }
}

// Whoever gave no version replaces whatever is there.
awaitable<settings_info> configure_on(loop& there, std::string handler, settings_record change,
                                      std::optional<std::int64_t> wanted) {
    for (;;) {
        const auto seen = co_await seen_settings(there, handler);
        if (wanted && *wanted != seen.version) throw_conflict(handler, *wanted, seen);
        change.version = seen.version + 1;
        change.stamp = random_bits() | 1U;
        change.at = there.tasks().now();
        settings_step step{.handler = handler, .seen = seen.stamp, .record = encode(change)};
        if (!co_await there.tasks().set_settings(std::move(step))) continue;
        if (is_limited(seen.values) || is_limited(change.values))
            co_await follow_settings(there, handler, change);
        break;
    }
    // What this program does next is done by them.
    co_await there.learn_settings();
    co_return info_of_settings(std::move(handler), std::move(change));
}

// "host:pid".
std::string name_for_people(const std::string& process) { return process.substr(0, process.rfind(':')); }

}  // namespace

awaitable<settings_info> detail::configure_handler(app_core& app, std::string handler,
                                                   handler_settings settings, configure_options how) {
    auto name = settings_name(handler);
    check_settings(name, settings);
    settings_record change;
    change.by = how.by.empty() ? name_for_people(app.process_name) : std::move(how.by);
    change.values = std::move(settings);
    co_return co_await on_caller_loop(&app, [name = std::move(name), change = std::move(change),
                                             wanted = how.version](loop& there) {
        return configure_on(there, name, change, wanted);
    });
}

awaitable<settings_info> detail::find_settings(app_core& app, std::string handler) {
    auto name = settings_name(handler);
    co_return co_await on_caller_loop(&app, [name = std::move(name)](loop& there) {
        return settings_on(there, name);
    });
}

}  // namespace errand
