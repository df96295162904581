// Where in a JSON document a value stands: a list on the stack, from the value up to its root. It costs a few
// stores on the way down and becomes text only in an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace errand::detail {

class json_path {
public:
    /// The root, by the name that errors begin with.
    constexpr explicit json_path(std::string_view root) noexcept : name_{root} {}
    /// A member of the object at `up`, which must outlive this.
    constexpr json_path(const json_path& up, std::string_view member) noexcept
        : up_{&up}, name_{member}, depth_{up.depth_ + 1} {}
    /// An element of the array at `up`, which must outlive this.
    constexpr json_path(const json_path& up, std::size_t index) noexcept
        : up_{&up}, index_{index}, depth_{up.depth_ + 1} {}

    json_path(const json_path&) = delete;
    json_path& operator=(const json_path&) = delete;

    /// How many arrays and objects stand around the value.
    [[nodiscard]] constexpr int depth() const noexcept { return depth_; }

    /// `args[0].cents`; a member that is no identifier is quoted: `args[0]["two words"]`.
    [[nodiscard]] std::string text() const;

private:
    static constexpr std::size_t no_index = static_cast<std::size_t>(-1);

    const json_path* up_ = nullptr;
    std::string_view name_{};
    std::size_t index_ = no_index;
    int depth_ = 0;
};

/// Throws bad_data: `args[0].cents: expected an integer, got string "9x"`.
[[noreturn]] void refuse(const json_path& at, const std::string& what);

/// Throws bad_data with the text of the exception being handled, std::bad_alloc excepted: it goes on as it
/// is.
[[noreturn]] void refuse_current_exception(const json_path& at);

}  // namespace errand::detail
