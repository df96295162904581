// Tasks that stand aside until somebody comes who knows their handler: in lists of their own, one for each handler and
// priority, which no due time concerns.
#pragma once

#include "store/sqlite/task_rows.hpp"

#include <set>
#include <span>

namespace errand::sqlite {

class aside_tasks {
public:
    aside_tasks(transaction& of, task_rows& rows) : tx_{of}, sql_{of.sql}, rows_{rows} {}

    void enter() { stood_aside_ = false; }
    // If the call has put any aside.
    void tell_adopters_of_new() {
        if (!stood_aside_) return;
        tell_adopters();
        tx_.concerns_others();
    }
    // If gates that such tasks may wait for were opened by the call.
    void tell_adopters_of_opened();
    // Those of this namespace for whom there is something; they are told once.
    void tell_adopters();

    // What a worker reports of a task that it holds; false when that is no longer its own.
    bool put(const report& one, std::optional<std::int64_t> row_number);
    // Of what is due: it does where workers are about that do not know its handler.
    bool stands_aside_again(const task_id& id, list_row& from);
    void put_anew(const task_id& id, list_row& from);
    // Where this one comes to stand.
    list_row& take_in(const task_body& body);
    bool is_astray(const task_id& id, const list_row& in);

    // Which lists hold tasks of handlers.
    static std::set<std::int64_t> keys_of(std::span<const std::string> handlers);
    // Those in which there is something.
    std::vector<list_row*> lists(std::span<const std::string> queues, const std::set<std::int64_t>& handlers,
                                 bool all_but = false);
    void drop_empty_lists();

private:
    transaction& tx_;
    statements& sql_;
    task_rows& rows_;
    bool stood_aside_ = false;
};

}  // namespace errand::sqlite
