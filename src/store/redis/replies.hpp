// From the words and lists of the scripts to the seam's answers: the only place that knows both. Pure.
#pragma once

#include "store/redis/reply.hpp"
#include "store/store.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace errand::redis {

// Every script answers with a list whose first two elements are a word and its time.
struct reply_head {
    std::string_view word;
    time_point now{};
};

// Opens the list. The time is missing after `elsewhere` and `late`.
reply_head read_head(reply_reader& in);

// The queues an `elsewhere` names.
std::vector<std::string> read_queues(const reply& from);
// Positions count from 1 in Lua and from 0 here.
std::vector<std::size_t> read_positions(reply_reader& in);
std::optional<time_point> read_time(reply_reader& in);
claim_number read_claim(reply_reader& in);
// A claim number is the time of the claim in microseconds, unless claims came faster than that.
time_point time_of_claim(claim_number claim);
std::vector<claimed_task> read_claimed(reply_reader& in, claim_number claim);
// The message by which scripts/submit_new.lua hands a task over.
std::optional<claimed_task> read_given(std::string_view message);

task_id read_id(std::string_view bytes);  // throws store_error unless it is one
incarnation read_life(std::string_view eight_bytes);
std::string life_bytes(incarnation life);  // as they stand in a body; empty for 0
std::vector<task_id> read_ids(std::string_view one_text);
submit_verdict verdict_of(std::string_view word);
news read_news(reply_reader& in);
found_task read_found(reply_reader& in, const reply_head& head, const task_id& id);
// A record is 13 digits of ms and the outcome.
ended_task read_record(const task_id& id, incarnation life, std::string_view record);
// The tasks in a message to watchers, without its first letter.
std::vector<ended_task> read_told(std::string_view message);

}  // namespace errand::redis
