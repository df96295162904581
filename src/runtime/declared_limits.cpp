#include "runtime/declared_limits.hpp"

#include <errand/detail/handler_registration.hpp>
#include <errand/error.hpp>
#include <errand/limit.hpp>

#include "core/limit_rules.hpp"
#include "core/member_check.hpp"

#include <algorithm>

namespace errand {
namespace {

// By constructors of namespace-scope objects, in whatever order they come.
std::vector<named_limit>& registered_limits() {
    static std::vector<named_limit> limits;
    return limits;
}

std::vector<named_limit> checked_limits() {
    std::vector<named_limit> all;
    for (const auto& one : registered_limits()) {
        check_declared_limit(one.name, one.rule);
        const auto same = std::ranges::find(all, one.name, &named_limit::name);
        if (same == all.end()) {
            all.push_back(one);
        } else if (same->rule != one.rule) {
            throw usage_error{
                "limit " + member_check::quote(one.name) +
                " is declared twice in this program, with different rules: declare it once, as an inline "
                "const errand::limit in a header"};
        }
    }
    std::ranges::sort(all, {}, &named_limit::name);
    return all;
}

}  // namespace

limit::limit(std::string_view name, limit_rule rule) : name_{name}, rule_{rule} {
    detail::declare_limit(name_, rule_);
}

void detail::declare_limit(std::string_view name, const limit_rule& rule) {
    registered_limits().push_back({.name = std::string{name}, .rule = rule});
}

// Made at the first use; when that throws, the next use tries and throws again.
const std::vector<named_limit>& declared_limits::all() {
    static const auto checked = checked_limits();
    return checked;
}

const named_limit* declared_limits::find(std::string_view name) {
    const auto at = std::ranges::find(all(), name, &named_limit::name);
    return at == all().end() ? nullptr : &*at;
}

std::vector<std::string> declared_limits::names() {
    std::vector<std::string> names;
    for (const auto& one : all()) names.push_back(one.name);
    return names;
}

}  // namespace errand
