// What is kept of a task that goes from stage to stage at its worker's word (docs/flow.md): part of its notes, so that a report
// and what it says of the task are one step in every store.
#pragma once

#include <errand/time.hpp>

#include "core/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace errand {

// How an attempt ended, as its worker has said.
enum class flow_outcome : std::uint8_t { next, again, done, failed, dead, give_back };

// An attempt that was reported.
struct flow_run {
    std::uint64_t claim = 0;  // under which: by this a repeated report is known
    flow_outcome outcome = flow_outcome::done;
    time_point started_at{};
    time_point at{};    // when it was reported
    std::string stage;  // which ran
    int attempt = 0;    // deliveries of the task, this one included
    duration cost{0};
    std::string worker;
    std::string trace;
    std::string error;
    // What the report was answered with.
    std::string next_stage;
    std::optional<time_point> due_at{};
    std::int64_t version = 0;
    friend bool operator==(const flow_run&, const flow_run&) = default;
};

// A stage that is done.
struct flow_stage {
    std::string name;
    int attempt = 0;
    time_point started_at{};
    duration length{0};
    friend bool operator==(const flow_stage&, const flow_stage&) = default;
};

struct flow_notes {
    std::string stage{};                   // at which it is; empty: the one that it began with
    int number = 1;                        // of that stage: grows with each change of it
    int deliveries = 0;                    // attempts that have ended, whatever has become of them
    std::int64_t changes = 0;              // grows with each change
    std::optional<int> max_retry{};        // in place of what its submission said
    std::optional<std::string> content{};  // JSON text, in place of its argument
    std::vector<flow_stage> finished{};    // the latest ones
    std::vector<flow_run> runs{};          // the latest ones

    static constexpr std::size_t most_stages = 100;
    static constexpr std::size_t most_runs = 32;
    friend bool operator==(const flow_notes&, const flow_notes&) = default;
};

void write(const flow_notes& notes, byte_writer& out);
flow_notes read_flow_notes(byte_reader& in);

// What grows with each change of such a task, 1 first. `worked_on`: a worker has it now; `ended_aside`: it has ended otherwise than by
// a report.
std::int64_t flow_version(const std::optional<flow_notes>& notes, bool worked_on, bool ended_aside) noexcept;
// A change that is no claim. Claiming one and giving it back is less than this.
void count_change(flow_notes& notes) noexcept;

}  // namespace errand
