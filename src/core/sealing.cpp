#include "core/sealing.hpp"

#include <errand/error.hpp>

#include "core/base64.hpp"
#include "core/hex.hpp"
#include "core/sha256.hpp"

#include <algorithm>

namespace errand {
namespace {

constexpr std::string_view seal_mark = "errand.sealed.";
constexpr std::string_view version_1 = "1";
constexpr std::size_t longest_id = 32;

bool is_word_char(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool is_key_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= longest_id && std::ranges::all_of(id, is_word_char);
}

bool strip(std::string_view& text, std::string_view before, std::string_view behind) noexcept {
    if (!text.starts_with(before) || text.size() < before.size() + behind.size()) return false;
    auto inner = text.substr(before.size());
    if (!inner.ends_with(behind)) return false;
    inner.remove_suffix(behind.size());
    text = inner;
    return true;
}

// Takes what is before the next colon.
std::optional<std::string_view> next_part(std::string_view& left) noexcept {
    const auto colon = left.substr(0, longest_id + 1).find(':');
    if (colon == left.npos) return std::nullopt;
    const auto part = left.substr(0, colon);
    left.remove_prefix(colon + 1);
    return part;
}

std::string binding_of(std::string_view name_space, const sealed_place& place) {
    auto text = "errand 1\n" + with_length(name_space);
    text += place.part;
    text += place.of.view();
    return text.append(place.name);
}

std::string in_form(sealed_form form, std::string text) {
    switch (form) {
    case sealed_form::value: return '"' + text + '"';
    case sealed_form::list: return "[\"" + text + "\"]";
    case sealed_form::text: break;
    }
    return text;
}

void check_key(const encryption_key& one) {
    if (!is_key_id(one.id)) {
        throw usage_error{"encryption: \"" + one.id +
                          "\" is no id of a key: 1 to 32 letters, digits, dots, dashes and underscores"};
    }
    if (one.secret.size() != xaes_key::key_size) {
        throw usage_error{"encryption: the secret of key " + one.id + " has " +
                          std::to_string(one.secret.size()) +
                          " bytes, and needs 32: draw one with openssl rand -base64 32"};
    }
}

std::string first_id(const encryption& with) {
    if (with.keys.empty()) throw usage_error{"encryption: no key was given"};
    return with.keys.front().id;
}

std::string_view bare_key_text(std::string_view text) noexcept {
    constexpr std::string_view white = " \t\r";
    while (!text.empty() && white.find(text.front()) != white.npos) text.remove_prefix(1);
    while (!text.empty() && white.find(text.back()) != white.npos) text.remove_suffix(1);
    return text;
}

// Base64 of 32 bytes is shorter than 64 digits.
std::optional<std::string> read_secret(std::string_view text) {
    auto bytes = text.size() == 2 * xaes_key::key_size ? from_hex(text) : read_base64(text);
    if (bytes && bytes->size() != xaes_key::key_size) bytes.reset();
    return bytes;
}

encryption_key read_key(std::string_view entry, std::size_t number) {
    const auto colon = entry.find(':');
    const auto where = "encryption keys: entry " + std::to_string(number);
    if (colon == entry.npos || !is_key_id(bare_key_text(entry.substr(0, colon)))) {
        throw usage_error{where + " is not of the form id:secret, for example 2026-11:… with the output of "
                                  "openssl rand -base64 32"};
    }
    const auto id = bare_key_text(entry.substr(0, colon));
    auto secret = read_secret(bare_key_text(entry.substr(colon + 1)));
    if (!secret) {
        throw usage_error{where + ", key " + std::string{id} +
                          ": its secret is not 32 bytes in base64, nor 64 hexadecimal digits"};
    }
    return {std::string{id}, std::move(*secret)};
}

}  // namespace

std::vector<encryption_key> read_encryption_keys(std::string_view text) {
    std::vector<encryption_key> keys;
    std::size_t number = 0;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        line = line.substr(0, line.find('#'));
        while (!line.empty()) {
            const auto comma = std::min(line.find(','), line.size());
            const auto entry = bare_key_text(line.substr(0, comma));
            line.remove_prefix(std::min(comma + 1, line.size()));
            if (!entry.empty()) keys.push_back(read_key(entry, ++number));
        }
    }
    return keys;
}

std::optional<sealed_text> read_sealed(std::string_view text) noexcept {
    const bool in_json = strip(text, "[\"", "\"]") || strip(text, "\"", "\"");
    if (!text.starts_with(seal_mark) || (in_json && text.find('"') != text.npos)) return std::nullopt;
    text.remove_prefix(seal_mark.size());
    const auto version = next_part(text);
    if (!version || version->empty() ||
        !std::ranges::all_of(*version, [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    const auto key = next_part(text);
    if (!key || !is_key_id(*key)) return std::nullopt;
    return sealed_text{*version, *key, text};
}

sealing::sealing(const encryption& with) : first_{first_id(with)}, log_messages_{with.log_messages} {
    for (const auto& one : with.keys) {
        check_key(one);
        if (!keys_.emplace(one.id, std::make_unique<const xaes_key>(one.secret)).second)
            throw usage_error{"encryption: two keys have the id " + one.id};
    }
}

bool sealing::can_open(const sealed_text& one) const noexcept {
    return one.version == version_1 && keys_.contains(one.key);
}

bool sealing::is_newest(const sealed_text& one) const noexcept {
    return one.version == version_1 && one.key == first_;
}

std::string sealing::seal(std::string_view name_space, const sealed_place& place, sealed_form form,
                          std::string_view plain) const {
    if (plain.empty()) return {};
    // Of somebody who has its key: here it would only be wrapped once more.
    if (const auto foreign = read_sealed(plain); foreign && !can_open(*foreign)) return std::string{plain};
    const auto nonce = fresh_nonce();
    const std::string_view drawn{nonce.data(), nonce.size()};
    const auto content = keys_.find(first_)->second->seal(drawn, plain, binding_of(name_space, place));
    std::string text;
    text.reserve(seal_mark.size() + first_.size() + 8 + base64_size(drawn.size() + content.size()));
    text.append(seal_mark).append(version_1) += ':';
    text.append(first_) += ':';
    append_base64(text, std::string{drawn} + content);
    return in_form(form, std::move(text));
}

std::optional<std::string> sealing::open(std::string_view name_space, const sealed_place& place,
                                         std::string_view text) const {
    const auto sealed = read_sealed(text);
    if (!sealed) return std::string{text};
    if (!can_open(*sealed)) return std::nullopt;
    const auto bytes = read_base64(sealed->content);
    if (!bytes || bytes->size() < xaes_key::nonce_size + xaes_key::tag_size) return std::nullopt;
    const std::string_view all{*bytes};
    return keys_.find(sealed->key)
        ->second->open(all.substr(0, xaes_key::nonce_size), all.substr(xaes_key::nonce_size),
                       binding_of(name_space, place));
}

void need_open(const sealing* with, std::string_view text, std::string_view what) {
    const auto sealed = read_sealed(text);
    if (!sealed) return;
    auto why = why_sealed(with, *sealed, what);
    if (with && with->can_open(*sealed)) throw bad_data{std::move(why)};
    throw key_missing{std::move(why)};
}

std::string why_sealed(const sealing* with, const sealed_text& one, std::string_view what) {
    const std::string key{one.key};
    auto text = std::string{what}.append(" encrypted with the key ").append(key);
    if (with && with->can_open(one)) return text + ", and was changed since, or belongs to another task";
    if (one.version != version_1) return text + ", by a later version of errand";
    return text + ", which this program does not have";
}

}  // namespace errand
