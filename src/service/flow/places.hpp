// Where the tasks of flows are found, for the calls about them.
#pragma once

#include "service/flow/task_view.hpp"
#include "service/message.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <string>

namespace errand::flow {

// What the calls of one request need. On the service's loop.
struct office {
    detail::app_core& core;
    loop& home;
    bool types_appear = false;         // by themselves, when they are first named
    const web::request* in = nullptr;  // of a token that may be for some queues; a type's queue has its name

    bool may_use(std::string_view queue) const noexcept { return !in || in->may_use_queue(queue); }
};
office office_of(web::call& c);

// Where the caller's id of a type leads: to one that errand made, or to the one that is derived of it.
task_id derived_id(const detail::app_core& core, const std::string& type, const std::string& id);

// The task; nullopt: it is not there, or of another type.
awaitable<std::optional<seen_task>> find_task(office at, std::string type, std::string id);
// Throws refusal (404), as of a type that is not there, when who asks has nothing to do with it.
void check_type(const office& at, const std::string& type);
// Throws refusal: 400 for an id that cannot be one, 404.
awaitable<seen_task> need_task(office at, std::string type, std::string id);
void check_id(const std::string& id, const std::string& path);

// Nothing for so long; can be cancelled.
awaitable<void> pause_for(duration length);

web::refusal conflict(const std::string& message);

}  // namespace errand::flow
