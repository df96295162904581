#include "core/flow_notes.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::int64_t per_change = 4;

std::int64_t ms_of(time_point at) { return at.time_since_epoch().count(); }
time_point read_instant(byte_reader& in) { return time_point{duration{in.signed_number()}}; }

void write(const flow_run& run, byte_writer& out) {
    out.number(run.claim);
    out.u8(static_cast<std::uint8_t>(static_cast<int>(run.outcome) | (run.due_at ? 128 : 0)));
    out.signed_number(ms_of(run.started_at));
    out.signed_number(ms_of(run.at));
    out.text(run.stage);
    out.signed_number(run.attempt);
    out.signed_number(run.cost.count());
    out.text(run.worker);
    out.text(run.trace);
    out.text(run.error);
    out.text(run.next_stage);
    if (run.due_at) out.signed_number(ms_of(*run.due_at));
    out.signed_number(run.version);
}

flow_run read_run(byte_reader& in) {
    flow_run run;
    run.claim = in.number();
    const auto how = in.u8();
    run.outcome = static_cast<flow_outcome>(how & 127);
    run.started_at = read_instant(in);
    run.at = read_instant(in);
    run.stage = in.text();
    run.attempt = static_cast<int>(in.signed_number());
    run.cost = duration{in.signed_number()};
    run.worker = in.text();
    run.trace = in.text();
    run.error = in.text();
    run.next_stage = in.text();
    if (how & 128) run.due_at = read_instant(in);
    run.version = in.signed_number();
    return run;
}

// The newest are the last.
template <class One>
std::size_t first_kept(const std::vector<One>& all, std::size_t most) {
    return all.size() - std::min(all.size(), most);
}

}  // namespace

void write(const flow_notes& notes, byte_writer& out) {
    out.u8(static_cast<std::uint8_t>((notes.content ? 1 : 0) | (notes.max_retry ? 2 : 0)));
    out.text(notes.stage);
    out.signed_number(notes.number);
    out.signed_number(notes.deliveries);
    out.signed_number(notes.changes);
    if (notes.max_retry) out.signed_number(*notes.max_retry);
    if (notes.content) out.text(*notes.content);
    const auto stage = first_kept(notes.finished, flow_notes::most_stages);
    out.number(notes.finished.size() - stage);
    for (auto at = stage; at < notes.finished.size(); ++at) {
        const auto& one = notes.finished[at];
        out.text(one.name);
        out.signed_number(one.attempt);
        out.signed_number(ms_of(one.started_at));
        out.signed_number(one.length.count());
    }
    const auto run = first_kept(notes.runs, flow_notes::most_runs);
    out.number(notes.runs.size() - run);
    for (auto at = run; at < notes.runs.size(); ++at) write(notes.runs[at], out);
}

flow_notes read_flow_notes(byte_reader& in) {
    flow_notes notes;
    const auto flags = in.u8();
    notes.stage = in.text();
    notes.number = static_cast<int>(in.signed_number());
    notes.deliveries = static_cast<int>(in.signed_number());
    notes.changes = in.signed_number();
    if (flags & 2) notes.max_retry = static_cast<int>(in.signed_number());
    if (flags & 1) notes.content = in.text();
    for (auto left = in.number(); left > 0; --left) {
        flow_stage one;
        one.name = in.text();
        one.attempt = static_cast<int>(in.signed_number());
        one.started_at = read_instant(in);
        one.length = duration{in.signed_number()};
        notes.finished.push_back(std::move(one));
    }
    for (auto left = in.number(); left > 0; --left) notes.runs.push_back(read_run(in));
    return notes;
}

std::int64_t flow_version(const std::optional<flow_notes>& notes, bool worked_on, bool ended_aside) noexcept {
    return (notes ? notes->changes : 0) + 1 + (worked_on ? 1 : 0) + (ended_aside ? 2 : 0);
}

void count_change(flow_notes& notes) noexcept { notes.changes += per_change; }

}  // namespace errand
