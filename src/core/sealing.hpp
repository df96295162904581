// The keys of a program, and the form in which a text stands that was encrypted with one of them: sealed.
//
//   errand.sealed.1:<key's id>:<base64 of nonce, encrypted text and tag>
//
// It is text, and where JSON is expected a JSON string, or an array with that string: whoever has no key, or no idea of keys, keeps,
// moves and shows it like any other. Each is bound to what it belongs to, so that it is of no use in another place.
#pragma once

#include <errand/encryption.hpp>

#include "core/task_id.hpp"
#include "core/xaes.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace errand {

// What stands where.
enum class sealed_form : std::uint8_t {
    text,   // as it is
    value,  // a JSON value: a string
    list,   // a JSON array: of one string
};

// To what a text belongs. In another place it does not open.
struct sealed_place {
    char part;  // which of its texts, a letter for each
    task_id of;
    std::string_view name{};  // what else tells it apart: the handler of arguments, the name of a stage
};

// A sealed text, of whatever form and version.
struct sealed_text {
    std::string_view version;
    std::string_view key;
    std::string_view content;  // base64
};
std::optional<sealed_text> read_sealed(std::string_view text) noexcept;

class sealing {
public:
    // Throws usage_error for no keys, a bad id or secret, and an id that comes twice.
    explicit sealing(const encryption& with);

    bool logs_messages() const noexcept { return log_messages_; }
    // Whether this program has the key, and knows the version.
    bool can_open(const sealed_text& one) const noexcept;
    // Whether it would be sealed with the same key now.
    bool is_newest(const sealed_text& one) const noexcept;

    // An empty text stays empty, and what was sealed with a key that this program does not have stays as it is.
    std::string seal(std::string_view name_space, const sealed_place& place, sealed_form form,
                     std::string_view plain) const;
    // What is not sealed comes back as it is. Nullopt: it is sealed and does not open here.
    std::optional<std::string> open(std::string_view name_space, const sealed_place& place,
                                    std::string_view text) const;

private:
    const std::string first_;  // the id of the key that seals
    std::map<std::string, std::unique_ptr<const xaes_key>, std::less<>> keys_;
    const bool log_messages_;
};

// Refuses a text that is sealed and did not open: key_missing, or bad_data where it was changed. `what` says of what it is.
void need_open(const sealing* with, std::string_view text, std::string_view what);
// Of a text that did not open, in words for who wanted to read `what` of it. `with`: null where there are no keys.
std::string why_sealed(const sealing* with, const sealed_text& one, std::string_view what);

}  // namespace errand
