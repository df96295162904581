// The row of a task, with its body and its stages.
#pragma once

#include "store/sqlite/groups.hpp"

namespace errand::sqlite {

struct task_row {
    list_row* list = nullptr;
    std::optional<std::int64_t> place{};
    std::optional<claim_number> claim{};
    std::int64_t body = 0;  // of a large body: where it is
    std::string small{};    // else the body
    incarnation life = 0;
    int priority = 0;
    std::optional<std::int64_t> expires{};
    std::string notes{};
    std::string outcome{};
    std::optional<group_number> group{};  // it has gates

    bool ended() const { return is_ended(list->kind); }
    state where() const { return list->kind == remnants ? state::success : static_cast<state>(list->kind); }
    std::int64_t finished_at() const;  // of one that has ended
    // Whether an attempt was ever made: its notes count it, or know when it began, or that it was revived.
    bool started() const;
};

class task_rows {
public:
    task_rows(transaction& of, groups& groups) : tx_{of}, sql_{of.sql}, groups_{groups} {}

    std::optional<task_row> find(const task_id& id);
    bool holds(const task_id& id, claim_number claim);
    std::string body_of(const task_row& row);
    // False when a row of that id is there already.
    bool insert(const task_id& id, list_row& to, std::int64_t at, std::string_view body, int priority,
                std::optional<std::int64_t> expires, std::optional<group_number> group);
    void change_body(const task_id& id, const task_row& row, std::string_view bytes);
    // Counters alone: whoever calls writes the row.
    void change_list(task_row& row, list_row& to);
    void move(const task_id& id, task_row& row, list_row& to, std::int64_t place);
    void drop(const task_id& id, const task_row& row);
    // What is left of a success is kept until then, for its biz_id.
    void keep_remnant(const task_id& id, task_row& row, std::int64_t until);

    // As decode_stages() reads them.
    std::string stages_of(const task_id& id);
    void drop_stages(const task_id& id);

private:
    void drop_body(const task_row& row);
    bool any_stage();

    transaction& tx_;
    statements& sql_;
    groups& groups_;
};

}  // namespace errand::sqlite
