// The handlers of this program, by type and by wire name. Filled before main, checked at first use. From any thread.
#pragma once

#include <errand/detail/handler_registration.hpp>
#include <errand/policy.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

namespace errand {

struct known_handler {
    std::string name;      // on the wire
    std::string identity;  // the oldest name: under which biz_ids are held
    errand::policy policy;
    detail::handler_facts facts;
    std::optional<detail::erased_handler> code;  // absent: only declared in this program
};

namespace handlers {

// Each throws usage_error when the handlers of this program contradict each other (two of one name, a bad policy).
const known_handler& of_type(std::type_index type);         // usage_error when there is none
const known_handler* find(std::string_view name_or_alias);  // null when there is none
std::vector<const known_handler*> all();
std::vector<std::string> runnable();  // all names and aliases of those whose code is in this program

}  // namespace handlers
}  // namespace errand
