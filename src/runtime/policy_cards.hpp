// What a worker's card says of its handlers: "=name" -> what its policy says otherwise than a policy does by default. The
// sign keeps the name from being found there by whoever looks for workers that take its tasks (scripts/lib_aside.lua).
#pragma once

#include <errand/policy.hpp>
#include <errand/settings.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace errand {

inline constexpr char policy_mark = '=';

boost::json::object card_of_policy(const policy& rules);

struct handlers_of_card {
    std::int64_t started = 0;  // ms since 1970
    std::vector<std::pair<std::string, handler_settings>> policies{};
};

// Of text that is no card: none.
handlers_of_card handlers_in(std::string_view card);

}  // namespace errand
