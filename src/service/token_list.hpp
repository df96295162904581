// Who may ask, as a file says it: a name, what it may do, and the SHA-256 of its token, a line each. Pure; what the file holds lets
// nobody in.
#pragma once

#include "service/route.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace errand::web {

struct token_holder {
    std::string name;
    std::vector<scope> may{};
    std::array<unsigned char, 32> digest{};

    // Who submits, works or operates also looks; who operates also submits and changes.
    bool may_use(scope what) const noexcept;
};

// "shop submit 9f86d081…", several scopes with commas between; blank lines and what follows a "#" are passed over. Throws usage_error
// naming the line.
std::vector<token_holder> read_token_list(std::string_view text);

// A line of it, with its end. Throws usage_error for a name or scopes that it could not hold.
std::string token_line(const std::string& name, const std::vector<std::string>& scopes,
                       std::string_view token);

// Null: nobody's. It takes as long whatever the token has in common with others.
const token_holder* holder_of(const std::vector<token_holder>& all, std::string_view token);

}  // namespace errand::web
