// Figures of handlers: a hash a period, which goes by itself.
#include <errand/error.hpp>

#include "store/redis/shard_store.hpp"

#include <algorithm>
#include <charconv>

namespace errand::redis {
namespace {

constexpr std::size_t counts_per_call = 2000;

// No wire name holds a line break.
std::string field_of(const handler_count& one) { return one.handler + '\n' + std::to_string(one.what); }

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

awaitable<figures_answer> shard_store::figures() {
    script_call call{script_name::figures_read, keys_};
    const auto last = period_at(now());
    for (auto period = last - figures_kept; period <= last; ++period) call.key(keys_.figures(period));
    reply answer;
    reply_reader in{answer};
    const auto head = co_await ask(call, answer, in);
    figures_answer got{.now = head.now};
    while (!in.done()) {
        const auto field = in.text();
        const auto end = field.find('\n');
        handler_count one{.handler = std::string{field.substr(0, end)}};
        const auto what = end == field.npos ? std::string_view{} : field.substr(end + 1);
        const auto read = std::from_chars(what.data(), what.data() + what.size(), one.what);
        one.times = in.number();
        if (read.ec == std::errc{} && !what.empty()) got.counts.push_back(std::move(one));
    }
    co_return got;
}

}  // namespace errand::redis
