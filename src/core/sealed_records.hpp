// The records of a store with the content of tasks sealed (core/sealing.hpp), one into the other. Pure but for the nonces.
//
// Sealed are arguments, results of tasks and stages, what a flow has come to, and the texts of notes: progress, messages of errors, log
// lines. These are sealed together, in one text of the notes, since there may be a hundred: in its place each says which of them
// it is. All else stays as it is, so stores, scripts and whoever has no key do with such records what they do with others.
//
// What does not open stays sealed; bytes that are no such record stay as they are.
#pragma once

#include "core/record.hpp"
#include "core/sealing.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

class sealed_records {
public:
    sealed_records(std::shared_ptr<const sealing> keys, std::string name_space)
        : keys_{std::move(keys)}, name_space_{std::move(name_space)} {}

    std::string seal_body(const task_id& id, std::string_view encoded) const;
    // A body that takes the place of `opened`, which was kept as `sealed`. What is the same in it is kept as it was: stores look
    // at whether a change has changed it.
    std::string seal_change(const task_id& id, std::string_view encoded, std::string_view opened,
                            std::string_view sealed) const;
    // `encoded_body`: of the same task, as far as it is known.
    std::string seal_notes(const task_id& id, std::string_view encoded,
                           std::string_view encoded_body = {}) const;
    std::string seal_outcome(const task_id& id, std::string_view encoded,
                             std::string_view encoded_body) const;
    // What encode_end() has made. `sealed_body`: its body as it was kept until now; empty: it is sealed anew.
    std::string seal_end(const task_id& id, std::string_view encoded,
                         std::string_view sealed_body = {}) const;
    std::string seal_stage(const task_id& id, std::string_view encoded) const;
    std::string seal_schedule(const task_id& id, std::string_view encoded) const;
    // An encoded joining.
    std::string seal_joining(std::string_view encoded) const;

    std::string open_body(const task_id& id, std::string_view encoded) const;
    std::string open_notes(const task_id& id, std::string_view encoded,
                           std::string_view encoded_body = {}) const;
    std::string open_outcome(const task_id& id, std::string_view encoded,
                             std::string_view encoded_body) const;
    // All that a store keeps of the stages of a task.
    std::string open_stages(const task_id& id, std::string_view encoded) const;
    std::string open_schedule(const task_id& id, std::string_view encoded) const;

private:
    enum class way : std::uint8_t { in, out };

    std::string turn(way to, const sealed_place& place, sealed_form form, std::string_view text) const;
    std::string turn_body(way to, const task_id& id, std::string_view encoded) const;
    void turn_values(way to, const task_id& id, task_notes& notes, std::string_view encoded_body) const;
    std::string turn_outcome(way to, const task_id& id, std::string_view encoded,
                             std::string_view encoded_body) const;
    std::string turn_schedule(way to, const task_id& id, std::string_view encoded) const;
    void seal(const task_id& id, task_notes& notes, std::string_view encoded_body) const;
    void open(const task_id& id, task_notes& notes, std::string_view encoded_body) const;

    std::shared_ptr<const sealing> keys_;
    std::string name_space_;
};

// Why nobody here can run a task: what its handler would be given is sealed, and this program does not have the key. Nullopt: it can
// be run. Throws bad_data where it was changed, or is another task's: then no key helps. `with`: null where there are no keys.
std::optional<std::string> why_locked(const sealing* with, const task_body& body, const task_notes& notes);

// For people: of each text that is not readable here, that it is encrypted.
void name_what_is_sealed(task_notes& notes);

// The id of the key that an encoded body's arguments are sealed with; empty: they are not.
std::string key_of_body(std::string_view encoded_body);

}  // namespace errand
