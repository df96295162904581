// Who may ask, as a file says it: a name, what it may do, the SHA-256 of its token, how often and until when, a line each. Pure; what the file holds lets
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
    std::optional<time_point> expires{};     // it lets nobody in from then on
    std::vector<std::string> queues{};       // that it is for, sorted; empty: all of them

    // Who submits, works or operates also looks; who operates also submits and changes.
    bool may_use(scope what) const noexcept;
};

// "shop submit 9f86d081… rate=100/s expires=2027-01-01T00:00:00Z queues=mail,sms", several scopes with commas between, and rate, end
// and queues (as parts of a path write them) only where there are any; blank lines and what follows a "#" are passed over. Throws
// usage_error naming the line.
std::vector<token_holder> read_token_list(std::string_view text);

struct unread_line {
    std::string name;  // its first word, as a part of a path writes it: by that it can be taken out
    std::string why;
};
// The same of a list that nobody mends by hand: a line that cannot be read lets nobody in, and the others do.
std::vector<token_holder> read_token_list(std::string_view text, std::vector<unread_line>& passed_over);

// What a line says besides.
struct token_terms {
    std::string rate{};                 // "100/s", "1000/min", "50/30s"; empty: none
    std::string expires{};              // RFC 3339; empty: never
    std::vector<std::string> queues{};  // empty: all of them
};

// A line of it, with its end. Throws usage_error for a name, scopes or terms that it could not hold.
std::string token_line(const std::string& name, const std::vector<std::string>& scopes,
                       std::string_view token, const token_terms& terms = {});

// "sha256-" and the first 16 hexadecimal digits of its digest: by this one of several of a name is meant.
std::string token_id(const token_holder& of);
bool is_token_id(std::string_view text) noexcept;

// Takes the lines of this name, or of this id, out, and leaves everything else as it is. How many there were.
std::size_t take_out(std::string& list, std::string_view name);
// Those that let nobody in from this time on, or from one before it.
std::size_t take_out_expired(std::string& list, time_point by);

// Null: nobody's. It takes as long whatever the token has in common with others.
const token_holder* holder_of(const std::vector<token_holder>& all, std::string_view token);

}  // namespace errand::web
