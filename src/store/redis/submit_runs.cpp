#include "store/redis/submit_runs.hpp"

#include "store/redis/parents.hpp"

#include <algorithm>
#include <string>

namespace errand::redis {
namespace {

std::string_view word_of(on_conflict conflict) {
    switch (conflict) {
    case on_conflict::keep: return "keep";
    case on_conflict::replace: return "replace";
    case on_conflict::reject: return "reject";
    case on_conflict::adopt: return "adopt";
    case on_conflict::where_free: return "free";
    }
    return "keep";
}

// A capital: one call does not complete it.
char rule_word(const submission_item& item) {
    if (!item.waits()) return '-';
    const char letter = letter_of(item.rule);
    const bool partial = item.incomplete || item.after.size() > store::parents_per_call;
    return partial ? static_cast<char>(letter - 'a' + 'A') : letter;
}

// As scripts/submit.lua reads it.
std::string spec_of(const submission_item& item, std::size_t queue) {
    auto spec = std::to_string(queue);
    if (is_plain(item)) return spec;
    std::string when = " ready 0";
    if (item.at) {
        when = " at " + std::to_string(std::max<std::int64_t>(item.at->time_since_epoch().count(), 0));
    } else if (item.delay && item.delay->count() > 0) {
        when = " in " + std::to_string(item.delay->count());
    }
    const auto expires = item.expires_after ? item.expires_after->count() : -1;
    return spec + ' ' + std::to_string(item.priority + (item.gated ? task_body::gated_bit : 0)) + when + ' ' +
           std::to_string(expires) + ' ' + std::string{word_of(item.conflict)} + ' ' + rule_word(item) +
           (item.may_come_again ? "!" : "");
}

bool alike(const submission_item& a, const submission_item& b) {
    return a.priority == b.priority && a.conflict == b.conflict && a.delay == b.delay && a.at == b.at &&
           a.expires_after == b.expires_after && a.queue == b.queue && rule_word(a) == rule_word(b) &&
           a.may_come_again == b.may_come_again && a.gated == b.gated;
}

}  // namespace

bool is_plain(const submission_item& item) {
    return item.priority == 0 && !item.delay && !item.at && !item.expires_after &&
           item.conflict == on_conflict::keep && !item.waits() && !item.may_come_again && !item.gated &&
           !item.instead_of;
}

void add_runs(script_call& call, std::span<const submission_item* const> items) {
    for (std::size_t from = 0; from < items.size();) {
        auto to = from + 1;
        while (to < items.size() && alike(*items[from], *items[to])) ++to;
        call.own_arg(spec_of(*items[from], call.queue(items[from]->queue)));
        call.arg(to - from);
        for (; from < to; ++from) {
            call.arg(items[from]->id.view());
            call.arg(std::string_view{items[from]->body});
            if (!items[from]->waits()) continue;
            const std::span all{items[from]->after};
            call.own_arg(parents_text(all.first(std::min(all.size(), store::parents_per_call))));
        }
    }
}

}  // namespace errand::redis
