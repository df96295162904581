// Where a server is, as a URL says it: scheme://[user[:password]@]host[:port][/path][?name=value&…]
//
// Read as people write it: what is no %-code stands for itself, so a password may have any character but / and @.
// Invariant: neither a refusal nor shown() has a part in which a password, or a piece of one, can stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

// Of one kind of server: in what words its URLs are refused.
struct url_form {
    std::string_view subject;  // "the store's URL"
    std::string_view advice;   // "write redis://…"
    bool at_in_paths = false;  // an @ may stand after the first slash: a path may have one

    // Throws usage_error: "subject why: "part"; advice". The part can hold no password.
    [[noreturn]] void refuse(std::string_view why, std::string_view part = {}) const;
    // The rest of a password that has a slash in it would be read as something that messages show.
    void check_at(std::string_view after_scheme) const;
};

class server_url {
public:
    // Empty: it has none.
    static std::string_view scheme_of(std::string_view text) noexcept;
    // With its %-codes as what they stand for; a % that begins none stays.
    static std::string decoded(std::string_view text);
    // From 0 to `most`.
    static std::optional<int> number(std::string_view text, int most) noexcept;

    // Throws usage_error. The text outlives it.
    server_url(std::string_view text, const url_form& form);

    // Each name's reader takes the value; it returns why the option is refused, or nothing.
    template <class To>
    struct known_option {
        std::string_view name;
        std::string_view (*read)(To& into, std::string_view value);
    };
    static constexpr std::string_view unknown = "has an option that is not known here";
    template <class To, class Known>
    void read_options(To& into, const Known& known) const;

    // Without user, password and options.
    std::string shown() const;

    std::string_view scheme;
    std::string user, password;  // decoded
    std::string_view host;       // without the brackets of an IPv6 address
    std::optional<std::uint16_t> port;
    std::string_view path;  // as it stands, from its slash on

private:
    void read_place(std::string_view text);

    const url_form& form_;
    std::string_view shown_;                 // what of the text is shown after the scheme
    std::vector<std::string_view> options_;  // as they stand
};

template <class To, class Known>
void server_url::read_options(To& into, const Known& known) const {
    for (const auto option : options_) {
        const auto equals = option.find('=');
        const auto value = equals == option.npos ? std::string_view{} : option.substr(equals + 1);
        auto why = unknown;
        // Nobody knows what the value of an unknown one is, a password maybe.
        auto shown = option.substr(0, equals);
        for (const auto& one : known) {
            if (one.name != option.substr(0, equals)) continue;
            why = one.read(into, value);
            shown = option;
        }
        if (!why.empty()) form_.refuse(why, shown);
    }
}

}  // namespace errand
