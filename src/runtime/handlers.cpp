#include "runtime/handlers.hpp"

#include <errand/error.hpp>

#include "core/collect_rules.hpp"
#include "core/limit_rules.hpp"
#include "core/policy_rules.hpp"
#include "core/schedule_checks.hpp"
#include "runtime/declared_limits.hpp"
#include "runtime/zone_files.hpp"

#include <boost/core/demangle.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <unordered_map>

namespace errand {

namespace {

struct declaration_entry {
    std::string type_name;
    policy (*read_policy)();
    detail::handler_facts facts;
};

// Filled by constructors of namespace-scope objects, in whatever order they come; read after that only.
struct registrations {
    std::unordered_map<std::type_index, declaration_entry> declarations;
    std::unordered_map<std::type_index, detail::erased_handler> definitions;
};
registrations& registered() {
    static registrations all;
    return all;
}

std::string wire_form(std::string_view type_name) {
    if (type_name.starts_with("::")) type_name.remove_prefix(2);
    return std::string{type_name};
}

// Where no zones are installed a program may still submit what others run: there a schedule's declaration refuses.
void check_policy_zone(const known_handler& handler) {
    const auto& rules = handler.policy;
    std::error_code none;
    if (rules.timezone == "UTC" || !std::filesystem::is_directory(zone_files::usual_folder(), none)) return;
    zone_files zones;
    check_zone(handler.name, "policy", rules.timezone,
               [&zones](std::string_view name) { return zones.find(name); });
}

class directory {
public:
    directory() {
        static_cast<void>(declared_limits::all());
        for (const auto& [type, declared] : registered().declarations) add(type, declared);
    }

    const known_handler* by_type(std::type_index type) const {
        const auto at = types_.find(type);
        return at == types_.end() ? nullptr : at->second.get();
    }
    const known_handler* by_name(std::string_view name) const {
        const auto at = names_.find(name);
        return at == names_.end() ? nullptr : at->second;
    }
    std::vector<const known_handler*> all() const {
        std::vector<const known_handler*> list;
        for (const auto& [type, one] : types_) list.push_back(one.get());
        std::ranges::sort(list, {}, &known_handler::name);
        return list;
    }

private:
    void add(std::type_index type, const declaration_entry& declared) {
        auto one = std::make_unique<known_handler>();
        one->policy = declared.read_policy();
        one->name = one->policy.name.empty() ? wire_form(declared.type_name) : one->policy.name;
        one->identity = one->policy.aliases.empty() ? one->name : one->policy.aliases.back();
        one->facts = declared.facts;
        check_policy(one->name, one->policy, declared.facts.arguments);
        check_policy_zone(*one);
        check_collect(one->name, one->policy,
                      {.takes_items = declared.facts.takes_items,
                       .has_limit_keys = declared.facts.has_concurrency_key || declared.facts.has_rate_key});
        check_limits_are_declared(one->name, one->policy, declared_limits::names());
        const auto code = registered().definitions.find(type);
        if (code != registered().definitions.end()) one->code = code->second;
        claim_name(one->name, *one);
        for (const auto& alias : one->policy.aliases) claim_name(alias, *one);
        types_.emplace(type, std::move(one));
    }

    void claim_name(const std::string& name, const known_handler& by) {
        const auto [at, fresh] = names_.emplace(name, &by);
        if (fresh) return;
        throw usage_error{"two handlers of this program answer to the name \"" + name +
                          "\": give one of them another .name (or alias) in its ERRAND_HANDLER"};
    }

    std::unordered_map<std::type_index, std::unique_ptr<known_handler>> types_;
    std::map<std::string, const known_handler*, std::less<>> names_;
};

// Made at the first use; when that throws, the next use tries and throws again.
const directory& registered_handlers() {
    static const directory all;
    return all;
}

}  // namespace

namespace detail {

void declare_handler(std::type_index type, std::string_view name, policy (*read_policy)(),
                     const handler_facts& facts) {
    registered().declarations.try_emplace(type, declaration_entry{std::string{name}, read_policy, facts});
}

void refuse_empty_awaitable() {
    throw usage_error{
        "perform or on_dead returned an awaitable that holds nothing: one that was moved from or default-constructed"};
}

void define_handler(std::type_index type, const erased_handler& code) {
    registered().definitions.try_emplace(type, code);
}

}  // namespace detail

const known_handler& handlers::of_type(std::type_index type) {
    if (const auto* found = registered_handlers().by_type(type)) return *found;
    throw usage_error{
        std::string{"no handler is registered for type "} + boost::core::demangle(type.name()) +
        ": write ERRAND_HANDLER(Type, …) or ERRAND_DECLARE_HANDLER(Type, …) at global namespace scope"};
}

const known_handler* handlers::find(std::string_view name_or_alias) {
    return registered_handlers().by_name(name_or_alias);
}

std::vector<const known_handler*> handlers::all() { return registered_handlers().all(); }

std::vector<std::string> handlers::runnable() {
    std::vector<std::string> answering;
    for (const auto* one : registered_handlers().all()) {
        if (!one->code) continue;
        answering.push_back(one->name);
        answering.insert(answering.end(), one->policy.aliases.begin(), one->policy.aliases.end());
    }
    return answering;
}

}  // namespace errand
