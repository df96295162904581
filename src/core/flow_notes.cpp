#include "core/flow_notes.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::int64_t per_change = 4;

void write(const flow_run& made, byte_writer& out) {
    out.number(made.claim);
    out.u8(static_cast<std::uint8_t>(static_cast<int>(made.outcome) | (made.due_at ? 128 : 0)));
    out.instant(made.started_at);
    out.instant(made.at);
    out.text(made.stage);
    out.signed_number(made.attempt);
    out.signed_number(made.cost.count());
    out.text(made.worker);
    out.text(made.trace);
    out.text(made.error);
    out.text(made.next_stage);
    if (made.due_at) out.instant(*made.due_at);
    out.signed_number(made.version);
}

flow_run read_run(byte_reader& in) {
    flow_run made;
    made.claim = in.number();
    const auto how = in.u8();
    made.outcome = static_cast<flow_outcome>(how & 127);
    made.started_at = in.instant();
    made.at = in.instant();
    made.stage = in.text();
    made.attempt = static_cast<int>(in.signed_number());
    made.cost = duration{in.signed_number()};
    made.worker = in.text();
    made.trace = in.text();
    made.error = in.text();
    made.next_stage = in.text();
    if (how & 128) made.due_at = in.instant();
    made.version = in.signed_number();
    return made;
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
        out.instant(one.started_at);
        out.signed_number(one.length.count());
    }
    const auto made = first_kept(notes.runs, flow_notes::most_runs);
    out.number(notes.runs.size() - made);
    for (auto at = made; at < notes.runs.size(); ++at) write(notes.runs[at], out);
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
        one.started_at = in.instant();
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
