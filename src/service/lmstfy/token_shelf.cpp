#include "service/lmstfy/token_shelf.hpp"

#include <errand/error.hpp>

#include "core/random.hpp"

#include <spdlog/logger.h>

namespace errand::lmstfy {

void token_shelf::refresh() {
    auto now = app_.overrides.others();
    if (now == seen_) return;
    seen_ = std::move(now);
    known_.clear();
    for (const auto& [name, record] : *seen_) {
        const auto where = place_of_tokens(name);
        if (!where) continue;
        try {
            known_[*where] = decode_tokens(record);
        } catch (const bad_data& why) {
            app_.log->warn("the tokens of namespace {} let nobody in: {}", where->name_space, why.what());
        }
    }
}

const std::map<token_place, std::vector<kept_token>>& token_shelf::all() {
    refresh();
    return known_;
}

const std::vector<kept_token>& token_shelf::of(const token_place& where) {
    static const std::vector<kept_token> none;
    refresh();
    const auto at = known_.find(where);
    return at == known_.end() ? none : at->second;
}

awaitable<std::vector<kept_token>> token_shelf::read(token_place where) {
    co_await home_.ready();
    const auto record = co_await home_.tasks().find_settings(token_record_name(where.pool, where.name_space));
    co_return decode_tokens(record);
}

awaitable<void> token_shelf::change(token_place where, std::function<bool(std::vector<kept_token>&)> alter) {
    co_await home_.ready();
    const auto name = token_record_name(where.pool, where.name_space);
    for (;;) {
        const auto record = co_await home_.tasks().find_settings(name);
        auto tokens = decode_tokens(record);
        if (!alter(tokens)) co_return;
        settings_step step{
            .handler = name, .seen = stamp_of(record), .record = encode_tokens(tokens, random_bits() | 1U)};
        if (co_await home_.tasks().set_settings(std::move(step))) break;
    }
    co_await home_.learn_settings();
}

}  // namespace errand::lmstfy
