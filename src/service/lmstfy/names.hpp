// What lmstfy's requests name: namespaces, queues, pools, tokens, numbers. Pure.
#pragma once

#include "service/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace errand::lmstfy {

inline constexpr std::string_view default_pool = "default";

// 1 to 255 bytes of [-_0-9A-Za-z].
bool is_namespace_name(std::string_view name) noexcept;
bool is_pool_name(std::string_view name) noexcept;
// The same, and not with a "_" at its beginning.
bool is_queue_name(std::string_view name) noexcept;

// "pool:token", of which the pool may be left out.
struct pool_token {
    std::string pool{default_pool};
    std::string token{};
    bool names_pool = false;
};
pool_token read_pool_token(std::string_view text);

// The parts between commas, each once, without empty ones.
std::vector<std::string> read_queue_list(std::string_view text);

// Parameters of a query: the first of each name counts, and those that nobody knows are passed over.
class query_reader {
public:
    // Throws refusal (400) when it cannot be decoded.
    explicit query_reader(const web::request& in);

    const std::string* text(std::string_view name) const noexcept;
    // Decimal digits alone. Throws refusal (400).
    std::uint64_t number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                         std::uint64_t most) const;

private:
    std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace errand::lmstfy
