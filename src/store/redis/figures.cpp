// Figures of handlers: a hash a period, which goes by itself.
#include <errand/error.hpp>

#include "core/digits.hpp"
#include "store/redis/shard_store.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace errand::redis {
namespace {

// A call takes a few milliseconds at most.
constexpr std::size_t counts_per_call = 500;

// No wire name holds a line break.
std::string field_of(const handler_count& one) { return one.handler + '\n' + std::to_string(one.what); }

void add_field(std::vector<handler_count>& to, std::string_view field, std::int64_t times) {
    const auto end = field.find('\n');
    if (end == field.npos) return;
    handler_count one{.handler = std::string{field.substr(0, end)}, .times = times};
    const auto what = field.substr(end + 1);
    const auto read = std::from_chars(what.data(), what.data() + what.size(), one.what);
    if (read.ec == std::errc{}) to.push_back(std::move(one));
}

std::int64_t period_at(time_point now) { return now.time_since_epoch() / figures_store::figures_period; }

}  // namespace

awaitable<void> shard_store::add_figures(std::span<const handler_count> counts) {
    const auto kept_for =
        std::chrono::ceil<std::chrono::seconds>(figures_period * (figures_kept + 2)).count();
    for (std::size_t from = 0; from < counts.size(); from += counts_per_call) {
        script_call call{script_name::figures_add, keys_};
        call.key(keys_.figures(period_at(now())));
        call.arg(kept_for);
        for (const auto& one : counts.subspan(from, std::min(counts_per_call, counts.size() - from))) {
            call.own_arg(field_of(one));
            call.arg(one.times);
        }
        reply answer;
        reply_reader in{answer};
        co_await ask(call, answer, in, caller::when_full::fail);
    }
}

// Of many handlers there are more numbers than one call may look at.
awaitable<figures_answer> shard_store::figures() {
    figures_answer got{.now = now()};
    const auto last = period_at(got.now);
    for (auto period = last - figures_kept; period <= last; ++period) {
        for (const auto& [field, times] : co_await read_hash("figures", keys_.figures(period), per_page))
            add_field(got.counts, field, number_in(times));
    }
    co_return got;
}

}  // namespace errand::redis
