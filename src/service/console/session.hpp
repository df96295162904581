// Who has logged in, as a signed text in a cookie: a browser cannot send a token with each of its requests. Pure but for the clock
// and the key, which is another for each process: who was logged in logs in again when it was started anew.
#pragma once

#include "service/token_list.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace errand::console {

class sessions {
public:
    sessions();

    // The cookie's value for this holder, until `until` (seconds since 1970).
    std::string text_for(const web::token_holder& who, std::int64_t until) const;
    // Whose it is; null: nobody's, or not any more, as when his line was taken out of the list.
    const web::token_holder* holder_of(std::string_view text, const std::vector<web::token_holder>& all,
                                       std::int64_t now) const;

private:
    std::string seal(const web::token_holder& who, std::int64_t until) const;

    std::string key_;
};

// The value of the cookie of this name; empty: there is none.
std::string cookie_in(const web::request& in, std::string_view name);

inline constexpr std::string_view cookie_name = "errand_session";

}  // namespace errand::console
