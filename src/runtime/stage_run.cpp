#include "runtime/stage_run.hpp"

#include <algorithm>
#include <utility>

namespace errand {

stage_run::stage_run(task_id task, incarnation life, std::string name, std::shared_ptr<stage_run> outer,
                     std::shared_ptr<const void> keeps)
    : task_{task}, life_{life}, name_{std::move(name)}, outer_{std::move(outer)}, keeps_{std::move(keeps)} {}

std::shared_ptr<reserved_child> stage_run::reserve_child(std::string_view identity, std::string_view args) {
    const child_origin origin{task_, life_, name_, identity, args};
    const auto alike = derive_child_id(origin, 0);
    std::size_t at = 0;
    {
        std::lock_guard lock{guard_};
        auto& taken = taken_[alike];
        at = static_cast<std::size_t>(std::ranges::find(taken, false) - taken.begin());
        if (at == taken.size()) taken.push_back(false);
        taken[at] = true;
    }
    const auto id = at == 0 ? alike : derive_child_id(origin, at);
    return std::make_shared<reserved_child>(shared_from_this(), alike, at, id);
}

void stage_run::free(const task_id& alike, std::size_t at) {
    std::lock_guard lock{guard_};
    taken_[alike][at] = false;
}

reserved_child::reserved_child(std::shared_ptr<stage_run> of, task_id alike, std::size_t at, task_id id)
    : of_{std::move(of)}, alike_{alike}, at_{at}, id_{id} {}

reserved_child::~reserved_child() {
    if (!kept_) of_->free(alike_, at_);
}

}  // namespace errand
