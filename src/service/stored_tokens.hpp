// Tokens that the store of a namespace keeps, for all its servers: a list of them (token_list.hpp) among what is set of handlers,
// under a name that none can have. What one program changes the others hear at once.
#pragma once

#include <errand/app.hpp>
#include <errand/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace errand::web {

inline constexpr std::string_view token_record_name = "\x01tokens";
inline constexpr std::size_t most_stored_tokens = 1000;
// What lets nobody in any more is listed so much longer, unless its room is needed.
inline constexpr std::chrono::days kept_after_their_end{7};

struct token_record {
    std::uint64_t stamp = 0;  // tells it from any other; 0: there is none
    std::string list{};
};
// Empty when the list is.
std::string encode_token_record(const token_record& of);
// Throws bad_data.
token_record decode_token_record(std::string_view bytes);

// The list as the store has it now, whatever is known here. Throws store_error.
awaitable<std::string> stored_tokens(app& of);
// Changes it as one step, asked again while others change it too, which also takes out those whose time has long been over. `alter`
// says whether there is anything to change. Throws store_error, usage_error when there would be too many, and what `alter` throws.
awaitable<void> change_stored_tokens(app& of, std::function<bool(std::string& list)> alter);

}  // namespace errand::web
