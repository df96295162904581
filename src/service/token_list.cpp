#include "service/token_list.hpp"

#include <errand/error.hpp>

#include "core/hex.hpp"
#include "core/rate_text.hpp"
#include "core/sha256.hpp"
#include "service/instant.hpp"
#include "service/target.hpp"

#include <algorithm>
#include <optional>

namespace errand::web {
namespace {

constexpr std::string_view id_front = "sha256-";
constexpr std::size_t id_digits = 16;

constexpr std::array grantable{scope::view, scope::submit, scope::work, scope::operate, scope::admin};

std::optional<scope> scope_named(std::string_view name) {
    const auto at = std::ranges::find_if(grantable, [&](scope one) { return to_string(one) == name; });
    return at == grantable.end() ? std::nullopt : std::optional{*at};
}

// The word at the front, which is taken away; empty: there is none.
std::string_view take_word(std::string_view& text, std::string_view ends) {
    const auto first = std::min(text.find_first_not_of(ends), text.size());
    text.remove_prefix(first);
    const auto word = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(word.size());
    return word;
}

bool is_name(std::string_view name) {
    constexpr std::size_t longest = 64;
    return !name.empty() && name.size() <= longest && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_' || c == '.';
    });
}

// Throws usage_error that ends with `where`.
std::vector<scope> read_scopes(std::string_view text, const std::string& where) {
    std::vector<scope> may;
    for (auto word = take_word(text, ","); !word.empty(); word = take_word(text, ",")) {
        const auto one = scope_named(word);
        if (!one)
            throw usage_error{"tokens: \"" + std::string{word} +
                              "\" is no scope; there are view, submit, work, operate and admin" + where};
        may.push_back(*one);
    }
    if (may.empty())
        throw usage_error{"tokens: no scope is given; there are view, submit, work, operate and admin" +
                          where};
    return may;
}

// @param digest its bytes
request_count read_rate(std::string_view text, std::string_view digest, const std::string& where) {
    constexpr duration longest = std::chrono::days{366};
    const auto rate = read_pace(text);
    if (!rate || rate->count < 1 || rate->per.count() < 1 || rate->per > longest)
        throw usage_error{"tokens: \"" + std::string{text} +
                          "\" is no rate: N/TIME, as 100/s, 1000/min or 50/30s; a year at most" + where};
    // Another time is another count: what is over by the one may count by the other, as while the files of two servers differ.
    return {.name = "token-" + to_hex(digest) + '-' + std::to_string(rate->per.count()),
            .most = rate->count,
            .per = rate->per};
}

// Throws usage_error that ends with `where`.
std::vector<std::string> read_queues(std::string_view text, const std::vector<scope>& may,
                                     const std::string& where) {
    constexpr std::size_t longest = 255;
    constexpr std::size_t most = 100;
    std::vector<std::string> queues;
    for (auto word = take_word(text, ","); !word.empty(); word = take_word(text, ",")) {
        auto name = percent_decoded(word);
        if (!name || name->size() > longest)
            throw usage_error{"tokens: \"" + std::string{word} +
                              "\" is no name of a queue: 1 to 255 bytes, as a path writes them" + where};
        queues.push_back(std::move(*name));
    }
    std::ranges::sort(queues);
    queues.erase(std::ranges::unique(queues).begin(), queues.end());
    if (queues.empty() || queues.size() > most)
        throw usage_error{"tokens: a token is for 1 to 100 queues, or for all when none is said" + where};
    const auto is_of_all = [](scope one) { return one == scope::operate || one == scope::admin; };
    if (std::ranges::any_of(may, is_of_all))
        throw usage_error{"tokens: operate and admin are of all queues: a token for some has view, submit or "
                          "work alone" +
                          where};
    return queues;
}

[[noreturn]] void refuse_line(const std::string& where) {
    throw usage_error{
        "tokens: a line is NAME SCOPES SHA256, and rate=N/TIME, expires=TIME and queues=NAME,… where there are any, as "
        "`errand token` writes it" +
        where};
}

token_holder read_line(std::string_view line, const std::string& where) {
    constexpr std::string_view blanks = " \t\r";
    token_holder one;
    one.name = take_word(line, blanks);
    if (!is_name(one.name)) throw usage_error{"tokens: a name has 1 to 64 letters, digits and -_." + where};
    one.may = read_scopes(take_word(line, blanks), where);
    const auto digest = from_hex(take_word(line, blanks));
    if (!digest || digest->size() != one.digest.size()) refuse_line(where);
    for (auto word = take_word(line, blanks); !word.empty(); word = take_word(line, blanks)) {
        constexpr std::string_view rate = "rate=";
        constexpr std::string_view expires = "expires=";
        constexpr std::string_view queues = "queues=";
        if (word.starts_with(rate) && !one.counted) {
            one.counted = read_rate(word.substr(rate.size()), *digest, where);
        } else if (word.starts_with(expires) && !one.expires) {
            one.expires = parse_instant(word.substr(expires.size()));
            if (!one.expires)
                throw usage_error{"tokens: \"" + std::string{word} +
                                  "\" is no time, as expires=2027-01-01T00:00:00Z" + where};
        } else if (word.starts_with(queues) && one.queues.empty()) {
            one.queues = read_queues(word.substr(queues.size()), one.may, where);
        } else {
            refuse_line(where);
        }
    }
    std::ranges::transform(*digest, one.digest.begin(), [](char c) { return static_cast<unsigned char>(c); });
    return one;
}

// What stands in a line besides its end and what is said behind a "#".
std::string_view words_of(std::string_view line) { return line.substr(0, line.find_first_of("#\n")); }

// The line at the front with its end, which is taken away.
std::string_view take_line(std::string_view& text) {
    const auto line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    return line;
}

// `read` gets the words of each line that has any, and its number as an error says it.
template <class Read>
void for_each_line(std::string_view text, Read read) {
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto words = words_of(take_line(text));
        if (words.find_first_not_of(" \t\r") == words.npos) continue;
        read(words, " (line " + std::to_string(number) + ')');
    }
}

// How many there were.
template <class Meant>
std::size_t take_out_those(std::string& list, Meant meant) {
    std::size_t taken = 0;
    std::string left;
    std::string_view rest{list};
    while (!rest.empty()) {
        const auto line = take_line(rest);
        if (meant(words_of(line))) {
            ++taken;
        } else {
            left += line;
        }
    }
    list = std::move(left);
    return taken;
}

}  // namespace

bool token_holder::may_use(scope what) const noexcept {
    if (what == scope::open) return true;
    const auto is_of_tasks = [](scope one) { return one != scope::admin; };
    if (what == scope::view && std::ranges::any_of(may, is_of_tasks)) return true;
    // Who may pause a queue may cancel a task.
    if (what == scope::submit && std::ranges::find(may, scope::operate) != may.end()) return true;
    return std::ranges::find(may, what) != may.end();
}

std::vector<token_holder> read_token_list(std::string_view text) {
    std::vector<token_holder> all;
    for_each_line(text, [&](std::string_view words, const std::string& where) {
        all.push_back(read_line(words, where));
    });
    return all;
}

std::vector<token_holder> read_token_list(std::string_view text, std::vector<unread_line>& passed_over) {
    std::vector<token_holder> all;
    for_each_line(text, [&](std::string_view words, const std::string& where) {
        try {
            all.push_back(read_line(words, where));
        } catch (const usage_error& why) {
            passed_over.push_back({.name = percent_encoded(take_word(words, " \t\r")), .why = why.what()});
        }
    });
    return all;
}

std::string token_line(const std::string& name, const std::vector<std::string>& scopes,
                       std::string_view token, const token_terms& terms) {
    std::string words;
    for (const auto& one : scopes) words += (words.empty() ? "" : ",") + one;
    const auto digest = sha256(token);
    const std::string_view bytes{reinterpret_cast<const char*>(digest.data()), digest.size()};
    auto line = name + ' ' + words + ' ' + to_hex(bytes);
    if (!terms.rate.empty()) line += " rate=" + terms.rate;
    if (!terms.expires.empty()) line += " expires=" + terms.expires;
    for (const auto& one : terms.queues)
        line += (&one == &terms.queues.front() ? " queues=" : ",") + percent_encoded(one);
    read_line(line, "");
    return line + '\n';
}

bool is_token_id(std::string_view text) noexcept {
    return text.starts_with(id_front) && text.size() == id_front.size() + id_digits;
}

std::string token_id(const token_holder& of) {
    const std::string_view bytes{reinterpret_cast<const char*>(of.digest.data()), of.digest.size()};
    return std::string{id_front} + to_hex(bytes).substr(0, id_digits);
}

namespace {

// Whether the id is that of a line with these words; what is no line of a list has none.
bool has_id(std::string_view words, std::string_view id) {
    constexpr std::string_view blanks = " \t\r";
    take_word(words, blanks);
    take_word(words, blanks);
    const auto digest = from_hex(take_word(words, blanks));
    return digest && std::string{id_front} + to_hex(*digest).substr(0, id_digits) == id;
}

}  // namespace

std::size_t take_out(std::string& list, std::string_view name) {
    if (is_token_id(name))
        return take_out_those(list, [&](std::string_view words) { return has_id(words, name); });
    const auto named =
        take_out_those(list, [&](std::string_view words) { return take_word(words, " \t\r") == name; });
    if (named > 0) return named;
    // As a line that cannot be read is told of.
    return take_out_those(list, [&](std::string_view words) {
        return percent_encoded(take_word(words, " \t\r")) == name;
    });
}

std::size_t take_out_expired(std::string& list, time_point by) {
    return take_out_those(list, [&](std::string_view words) {
        std::vector<unread_line> passed_over;
        const auto one = read_token_list(words, passed_over);
        return !one.empty() && one.front().expires && *one.front().expires <= by;
    });
}

const token_holder* holder_of(const std::vector<token_holder>& all, std::string_view token) {
    const auto digest = sha256(token);
    const token_holder* found = nullptr;
    for (const auto& one : all) {
        unsigned different = 0;
        for (std::size_t i = 0; i < digest.size(); ++i)
            different |= static_cast<unsigned>(digest[i] ^ one.digest[i]);
        if (different == 0) found = &one;
    }
    return found;
}

}  // namespace errand::web
