#pragma once

#include <errand/state.hpp>
#include <errand/time.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace errand {

/// What every error thrown by errand derives from: `catch (const errand::error&)` catches them all.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The program uses errand wrongly (a bad policy, a missing bean, awaiting where it cannot be).
/// Repair the program: repeating the call does not help.
class usage_error : public error {
public:
    using error::error;
};

/// The store could not be reached, refused, or lost something; the text says the operation, the cause
/// and whether the change may have happened. Repeating the call later can help.
class store_error : public error {
public:
    using error::error;
};

/// A database that errand works with refused a statement: a syntax error, a constraint, a missing table.
class database_error : public error {
public:
    /// What a driver of errand throws.
    database_error(const std::string& what, std::string code) : error{what}, code_{std::move(code)} {}
    /// The database's own code: PostgreSQL's SQLSTATE, MySQL's error number, the name of SQLite's result code.
    [[nodiscard]] const std::string& code() const noexcept { return code_; }

private:
    std::string code_;
};

/// The database gave a transaction up because of another one (serialization failure, deadlock, busy): nothing of it has
/// happened, and run again it may succeed.
class serialization_failure : public database_error {
public:
    using database_error::database_error;
};

/// A value does not fit its C++ type or cannot be written as JSON; the text begins with the path to it.
class bad_data : public error {
public:
    using error::error;
};

/// A submission was refused because its biz_id is held by another task.
class duplicate_task : public error {
public:
    using error::error;
};

/// Settings of a handler were not changed, because somebody else has changed them since they were seen; the text names who.
class settings_conflict : public error {
public:
    using error::error;
};

/// A submission or a declaration was refused because the quota of its namespace is used up; the text says which member of it.
class quota_exceeded : public error {
public:
    /// What errand throws.
    quota_exceeded(const std::string& what, std::optional<duration> retry_after)
        : error{what}, retry_after_{retry_after} {}
    /// Before that the answer is the same; after it, it may be. nullopt: waiting does not help.
    [[nodiscard]] std::optional<duration> retry_after() const noexcept { return retry_after_; }

private:
    std::optional<duration> retry_after_;
};

/// A submission was refused because its dependencies would close a cycle; the text names the tasks on it.
class dependency_cycle : public error {
public:
    using error::error;
};

/// Some submissions of one batch were refused by the store. Defined beside the handles it carries.
class bulk_error;

/// The result is no longer kept: its task was trimmed by retention or started anew.
class result_gone : public error {
public:
    using error::error;
};

/// What was asked for is kept encrypted with a key that this program does not have (app::encrypt); the text names it.
/// Nothing is lost: who has the key can read it.
class key_missing : public error {
public:
    using error::error;
};

/// An awaited task ended without a result.
class task_failed : public error {
public:
    /// @param ended     `dead`, `cancelled` or `expired`
    /// @param attempts  how often the task was started
    /// @param text      why, in the handler's own words; may be empty
    /// @param id        which task; may be empty
    /// @param handler   its handler's name on the wire; may be empty
    task_failed(errand::state ended, int attempts, const std::string& text, std::string id = {},
                std::string handler = {})
        : error{sentence(ended, attempts, text, id, handler)},
          state_{ended},
          attempts_{attempts},
          text_{text},
          id_{std::move(id)},
          handler_{std::move(handler)} {}

    /// How the task ended.
    [[nodiscard]] errand::state state() const noexcept { return state_; }
    /// How often it was started.
    [[nodiscard]] int attempts() const noexcept { return attempts_; }
    /// Why, in the handler's own words; may be empty.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// Which task it was, as `handle::id()` has it.
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    /// Its handler's name on the wire; empty when the store does not keep the task any more.
    [[nodiscard]] const std::string& handler() const noexcept { return handler_; }

private:
    static std::string sentence(errand::state ended, int attempts, const std::string& text,
                                const std::string& id, const std::string& handler) {
        std::string all{to_string(ended)};
        if (attempts > 0) {
            all += " after " + std::to_string(attempts) + (attempts == 1 ? " attempt" : " attempts");
        }
        if (!text.empty()) all += ": " + text;
        if (!id.empty()) all += " (" + (handler.empty() ? "task" : handler) + ' ' + id + ')';
        return all;
    }

    errand::state state_;
    int attempts_;
    std::string text_, id_, handler_;
};

/// Something did not happen within the time that the caller gave.
class timed_out : public error {
public:
    using error::error;
};

/// The task's lease went to another worker: nothing this attempt reports counts any more.
class lease_lost : public error {
public:
    using error::error;
};

}  // namespace errand
