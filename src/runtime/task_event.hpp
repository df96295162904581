// Events about a task, put together only where somebody listens: each costs an allocation or two. On any thread.
#pragma once

#include "core/event.hpp"
#include "core/record.hpp"
#include "store/store.hpp"

#include <exception>
#include <optional>

namespace errand {

// What is known of a task whose body was read already.
event task_event(event_kind kind, const task_id& id, const task_body& body);
// Reads the body. One that cannot be read leaves all but the id empty.
event task_event(event_kind kind, const task_id& id, std::string_view encoded_body);
// A claimed task that no handler has seen yet.
event task_event(event_kind kind, const claimed_task& task);

// How long a task had been due when its first attempt started; nullopt: nobody knows, or it was not its first.
std::optional<duration> wait_of(const task_body& body, const task_notes& before, time_point started);

// The store has taken a submission, or met another one that holds its id.
void tell_submitted(const event_stream& to, const submission_item& item, const submit_answer& answer);
// For where nobody listens: what became of many submissions is counted alone, those that follow each other and are alike at once.
// What was added outlives it.
class submission_counts {
public:
    explicit submission_counts(const event_stream& to) noexcept : to_{to} {}
    submission_counts(const submission_counts&) = delete;
    submission_counts& operator=(const submission_counts&) = delete;
    ~submission_counts() { tell(); }

    void add(event_kind kind, const submission_item& item) noexcept;

private:
    void tell() noexcept;

    const event_stream& to_;
    event_brief alike_{.times = 0};
};
// Or it was not.
void tell_refused(const event_stream& to, const submission_item& item, const std::exception_ptr& why);

}  // namespace errand
