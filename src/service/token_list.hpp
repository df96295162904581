// Who may ask, as a file says it: a name, what it may do, the SHA-256 of its token, and how often, a line each. Pure; what the file holds lets
// nobody in.
#pragma once

#include "service/route.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::web {

struct token_holder {
    std::string name;
    std::vector<scope> may{};
    std::array<unsigned char, 32> digest{};
    std::optional<request_count> counted{};  // by its rate; nullopt: as often as it likes

    // Who submits, works or operates also looks; who operates also submits and changes.
    bool may_use(scope what) const noexcept;
};

// "shop submit 9f86d081… rate=100/s", several scopes with commas between, and the rate only where there is one; blank lines and what follows a "#" are passed over. Throws usage_error
// naming the line.
std::vector<token_holder> read_token_list(std::string_view text);

// A line of it, with its end. Throws usage_error for a name, scopes or a rate that it could not hold.
// @param rate "100/s", "1000/min", "50/30s"; empty: none
std::string token_line(const std::string& name, const std::vector<std::string>& scopes,
                       std::string_view token, std::string_view rate = {});

// Null: nobody's. It takes as long whatever the token has in common with others.
const token_holder* holder_of(const std::vector<token_holder>& all, std::string_view token);

}  // namespace errand::web
