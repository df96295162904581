#include "service/lmstfy/names.hpp"

#include "core/whole_number.hpp"
#include "service/refusal.hpp"
#include "service/target.hpp"

#include <algorithm>

namespace errand::lmstfy {
namespace {

constexpr std::size_t longest_name_of_lmstfy = 255;

bool is_name_char(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

bool is_namespace_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= longest_name_of_lmstfy && std::ranges::all_of(name, is_name_char);
}

bool is_pool_name(std::string_view name) noexcept { return is_namespace_name(name); }

bool is_queue_name(std::string_view name) noexcept { return is_namespace_name(name) && name.front() != '_'; }

pool_token read_pool_token(std::string_view text) {
    pool_token got;
    const auto colon = text.find(':');
    if (colon != text.npos) {
        got.pool = text.substr(0, colon);
        got.names_pool = true;
        text.remove_prefix(colon + 1);
    }
    got.token = text;
    return got;
}

std::vector<std::string> read_queue_list(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        const auto one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!one.empty() && std::ranges::find(all, one) == all.end()) all.emplace_back(one);
    }
    return all;
}

query_reader::query_reader(const web::request& in) {
    auto all = web::query_values(in.query);
    if (!all) throw web::bad_request("the query cannot be decoded: %XX are bytes of UTF-8");
    values_ = std::move(*all);
}

const std::string* query_reader::text(std::string_view name) const noexcept {
    const auto at = std::ranges::find(values_, name, &std::pair<std::string, std::string>::first);
    return at == values_.end() ? nullptr : &at->second;
}

std::uint64_t query_reader::number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                                   std::uint64_t most) const {
    const auto* given = text(name);
    if (!given) return otherwise;
    const auto value = whole_number<std::uint64_t>(*given);
    if (value && *value >= least && *value <= most) return *value;
    throw web::bad_request("invalid " + std::string{name} + ": it is to be a whole number from " +
                           std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace errand::lmstfy
