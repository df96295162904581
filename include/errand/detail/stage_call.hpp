// From the function of a stage to JSON text and back: the templates around what errand's own sources do with it.
#pragma once

#include <errand/awaitable.hpp>
#include <errand/detail/signature.hpp>
#include <errand/detail/supported.hpp>
#include <errand/detail/wire.hpp>
#include <errand/error.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace errand::detail {

// Runs the function of a stage once: its result as JSON text, empty for void. `returned` becomes true when the function
// has returned: what fails after that fails again however often it is tried.
using stage_body = std::function<awaitable<std::string>(bool& returned)>;

[[noreturn]] void refuse_stage_data(std::string_view name, const bad_data& why);
[[noreturn]] void refuse_empty_stage(std::string_view name);

// Of a function that is at fault: its one message stays alone.
struct no_stage {
    using type = void;
};

template <class F>
constexpr auto read_stage() {
    if constexpr (!std::is_invocable_v<F&>) {
        static_assert(supported<F>, "errand: a stage must be a callable without arguments that returns "
                                    "errand::awaitable<Result>");
        return no_stage{};
    } else if constexpr (!requires { typename awaited_result<std::invoke_result_t<F&>>::type; }) {
        static_assert(supported<F>, "errand: a stage must return errand::awaitable<Result> "
                                    "(errand::awaitable<void> when there is no result): write the lambda's "
                                    "return type");
        return no_stage{};
    } else {
        return awaited_result<std::invoke_result_t<F&>>{};
    }
}

template <class F>
using stage_signature = decltype(read_stage<F>());

// What a stage yields; void as well when a sentence above has been said of F.
template <class F>
using stage_result = typename stage_signature<F>::type;

template <class T, class F>
awaitable<std::string> run_stage_function(F& fn, const std::string& name, bool& returned) {
    auto work = fn();
    if (!work.valid()) refuse_empty_stage(name);
    if constexpr (std::is_void_v<T>) {
        co_await std::move(work);
        returned = true;
        co_return std::string{};
    } else {
        const T value = co_await std::move(work);
        returned = true;
        try {
            co_return encode_result(value);
        } catch (const bad_data& e) {
            refuse_stage_data(name, e);
        }
    }
}

template <class T>
T decode_stage(const std::string& name, std::string_view text) {
    try {
        return decode_result<T>(text);
    } catch (const bad_data& e) {
        refuse_stage_data(name, e);
    }
}

}  // namespace errand::detail
