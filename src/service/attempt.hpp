// An attempt that a program makes over HTTP: whether it may begin, and what follows from what the program says of it. The
// rules are those of all attempts (core/attempt_rules); it is said here what is different when nobody runs it in this process.
#pragma once

#include "core/attempt_rules.hpp"
#include "runtime/app_core.hpp"
#include "runtime/handlers.hpp"
#include "service/ticket.hpp"
#include "store/store.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace errand::web {

struct attempt {
    claimed_task task;
    time_point at{};  // when it was claimed, by the store's clock
    std::string worker{};
    std::chrono::steady_clock::time_point forget_at{};  // its lease has long run out
    time_point lease_until{};                           // as this service knows it
};

struct opened_attempt;

// Who asks for tasks, and for which.
struct claim_wish {
    std::string worker{};
    std::map<std::string, int> queues{};  // and their weights
    bool strict = false;                  // always by falling weight
    // By their wire names, sorted; nullopt: whichever there are.
    std::optional<std::vector<std::string>> handlers{};
    std::size_t limit = 1;
    duration lease{30'000};
    // Which of these; empty: any. What it does not take is for others who ask, here or elsewhere.
    std::function<bool(const opened_attempt&)> takes{};
    // Whoever says the same, and asks alike at the same time, may get tasks of the same claim: their lease is one, and who
    // extends it does so for all, so it is for those who never do: what one leaves behind that died would be kept by another.
    // Empty: nobody. Those who ask for one task each are looked for together all the same: each has a claim of his own.
    std::string claims_with{};
};

// What an attempt's task says, and by which terms it is judged.
struct opened_attempt {
    task_body body;
    task_notes notes;
    const known_handler* known = nullptr;
    std::shared_ptr<const handler_settings> set;
    attempt_terms terms;
};
// Throws bad_data.
opened_attempt open_attempt(const detail::app_core& app, const claimed_task& task);

// Why it must not be given to whoever asks so; nullopt: it may.
std::optional<attempt_end> why_not(const opened_attempt& of, const attempt& one, const claim_wish& asked,
                                   time_point now);
// The report of one that was not begun. `failure`: why its record cannot be read, of one that is undecodable.
report unbegun(const detail::app_core& app, const attempt& one, attempt_end how,
               const std::exception_ptr& failure, time_point now);

// The report of one that was not begun because nobody takes it here: it comes again after this, for whoever asks then.
report passed_on(const opened_attempt& of, const attempt& one, duration delay);

enum class outcome_kind : unsigned char { success, failure, discard, snooze, give_back };

// What a program says of an attempt.
struct spoken {
    outcome_kind what = outcome_kind::success;
    std::string result{};             // JSON text
    std::string type{}, message{};    // of a failure
    std::optional<duration> delay{};  // of a failure: else the backoff; of a snooze
    schedule_wish wish{};             // of a success that is the run of a schedule
};

struct judged {
    report what;
    state becomes = state::success;
    verdict kind = verdict::succeed;
    task_notes notes;  // as they are kept
    duration delay{0};
};
judged judge(const opened_attempt& of, const attempt& one, const spoken& said, time_point now);

// What became of the attempt that this ticket is for, when the task is no longer under its claim: the state that the same
// report was answered with. Nullopt: such a report of this attempt never counted.
std::optional<state> counted_before(const found_task& found, const ticket& by, outcome_kind what);

}  // namespace errand::web
