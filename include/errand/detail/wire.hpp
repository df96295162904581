// Arguments and results of handlers as JSON text: what proxies send, what workers hand to `perform`.
#pragma once

#include <errand/detail/json_decode.hpp>
#include <errand/detail/json_encode.hpp>
#include <errand/detail/signature.hpp>
#include <errand/detail/supported.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace errand::detail {

/// By which a task is limited; empty: by none of its own.
struct limit_keys {
    std::string concurrency{};
    std::string rate{};
};

/// What the handler's own concurrency_key and rate_key say. @throws what they throw
template <class H, class... A>
[[nodiscard]] limit_keys limit_keys_of(const A&... args) {
    limit_keys keys;
    if constexpr (has_concurrency_key<H>()) keys.concurrency = H::concurrency_key(args...);
    if constexpr (has_rate_key<H>()) keys.rate = H::rate_key(args...);
    return keys;
}

/// The arguments of one submission.
struct encoded_call {
    std::string args;                   ///< a JSON array
    std::optional<std::string> biz_id;  ///< from the handler's own biz_id, when it has one
    std::optional<limit_keys> keys;     ///< when it has any; empty ones while an argument is not known
    bool item = false;                  ///< of a list, and by what it is gathered
    std::string collect_key{};
};

/// Values as the text of a JSON array. Paths in errors begin with `args`.
template <class... T>
[[nodiscard]] std::string encode_args_text(const std::tuple<T...>& values) {
    std::string text;
    text.reserve(100);  // of most calls: growing would allocate three times
    encode_tuple(text, values, json_path{"args"});
    return text;
}

/// Names the place and both types in the compiler's notes.
template <std::size_t Argument, class Given, class Wanted>
consteval bool check_argument() {
    if constexpr (form_of<Wanted> == json_form::text_view) {
        refuse_type<Wanted, json_form::text_view>();
        return false;
    } else if constexpr (!std::is_convertible_v<Given, Wanted>) {
        static_assert(
            supported<Given, Wanted>,
            "errand: an argument does not convert to the parameter of `perform` in its place (the types, "
            "given and wanted, stand beside this sentence)");
        return false;
    } else {
        return true;
    }
}

/// True when the integer type Wanted has the number itself, not one that was cut or wrapped.
template <class Wanted, class Given>
constexpr bool holds(Given number) noexcept {
    using limits = std::numeric_limits<Wanted>;
    if constexpr (std::is_floating_point_v<Given>) {
        // One above the largest value: a power of two, which is exact in Given where the largest value may
        // not be.
        constexpr Given end = static_cast<Given>(limits::max() / 2 + 1) * 2;
        return number >= static_cast<Given>(limits::min()) && number < end &&
               static_cast<Given>(static_cast<Wanted>(number)) == number;
    } else {
        const auto cut = static_cast<Wanted>(number);
        return static_cast<Given>(cut) == number && (cut < Wanted{}) == (number < Given{});
    }
}

/// The argument as it is passed on: numbers in the parameter's type, everything else as it was given.
/// @throws bad_data when an integer parameter does not hold the number
template <class Wanted, class Given>
constexpr decltype(auto) as_parameter(Given&& given, std::size_t index) {
    using given_type = std::remove_cvref_t<Given>;
    if constexpr (!std::is_arithmetic_v<given_type> || !std::is_arithmetic_v<Wanted>) {
        return std::forward<Given>(given);
    } else {
        if constexpr (std::is_integral_v<Wanted> && !std::is_same_v<Wanted, bool>) {
            if (!holds<Wanted>(given)) refuse_argument(index, std::to_string(given));
        }
        return static_cast<Wanted>(given);
    }
}

/// Stands for a handler whose first argument is not known yet, and so neither is what its biz_id and its keys would say.
struct open_call {};

/// The submission of a handler whose `perform` takes these types.
template <class H, class Args>
struct call_encoder;

template <class H, class... P>
struct call_encoder<H, std::tuple<P...>> {
    /// True when the types given fit; otherwise stops the compiler with one sentence.
    template <class... Given>
    static consteval bool check() {
        if constexpr (sizeof...(Given) != sizeof...(P)) {
            static_assert(supported<H, std::tuple<P...>>,
                          "errand: the number of arguments is not that of the parameters of `perform`");
            return false;
        } else {
            return check_each<Given...>(std::index_sequence_for<P...>{});
        }
    }

    template <std::size_t... I, class... Given>
    static encoded_call encode_given(std::index_sequence<I...>, Given&&... given) {
        return encode(as_parameter<P>(std::forward<Given>(given), I)...);
    }

private:
    /// Takes the converted values: an argument of exactly the parameter's type is not copied.
    static encoded_call encode(const P&... values) {
        encoded_call call;
        if constexpr (std::is_same_v<H, open_call>) {
            call.keys.emplace();
        } else {
            if constexpr (has_biz_id<H>()) call.biz_id.emplace(H::biz_id(values...));
            if constexpr (has_limit_keys<H>()) call.keys.emplace(limit_keys_of<H>(values...));
        }
        call.args = encode_args_text(std::tuple<const P&...>(values...));
        return call;
    }

    template <class... Given, std::size_t... I>
    static consteval bool check_each(std::index_sequence<I...>) {
        return (check_argument<I, Given, P>() && ...);
    }
};

/// The arguments of `perform` as JSON, each converted to the parameter's type first: what biz_id sees and
/// what is sent is what `perform` will see. Wrong numbers and types of arguments are refused at compile time.
/// @throws bad_data naming the path (`args[0].cents`), and what the handler's biz_id throws
template <class H, class... Given>
[[nodiscard]] encoded_call encode_call(Given&&... given) {
    using encoder = call_encoder<H, args_of<H>>;
    if constexpr (encoder::template check<Given...>()) {
        return encoder::encode_given(std::index_sequence_for<Given...>{}, std::forward<Given>(given)...);
    } else {
        return {};
    }
}

/// One item of the list that `perform` takes.
/// @throws bad_data naming the path, and what the handler's biz_id and collect_key throw
template <class H, class Given>
[[nodiscard]] encoded_call encode_item(Given&& given) {
    using item = typename list_of<H>::item;
    if constexpr (!check_argument<0, Given, item>()) {
        return {};
    } else {
        const item& value = as_parameter<item>(std::forward<Given>(given), 0);
        encoded_call call;
        call.item = true;
        if constexpr (has_item_biz_id<H>()) call.biz_id.emplace(H::biz_id(value));
        if constexpr (has_collect_key<H>()) call.collect_key = H::collect_key(value);
        call.args = encode_args_text(std::tuple<const item&>(value));
        return call;
    }
}

/// By what the item is gathered of which these are the arguments. @throws bad_data when they are not one
template <class H>
[[nodiscard]] std::string key_of_item(const boost::json::array& array) {
    using item = std::tuple<typename list_of<H>::item>;
    const json_path root{"args"};
    if (array.size() != 1) refuse_arity(root, 1, array.size());
    [[maybe_unused]] const auto values = decode_elements<item>(array, root, std::index_sequence<0>{});
    if constexpr (has_collect_key<H>()) {
        return H::collect_key(std::get<0>(values));
    } else {
        return {};
    }
}

template <class Args>
struct without_first;
template <class First, class... Rest>
struct without_first<std::tuple<First, Rest...>> {
    using first = First;
    using rest = std::tuple<Rest...>;
};

/// The arguments of `perform` but the first.
/// @throws bad_data naming the path
template <class H, class... Given>
[[nodiscard]] encoded_call encode_open_call(Given&&... given) {
    using encoder = call_encoder<open_call, typename without_first<args_of<H>>::rest>;
    if constexpr (encoder::template check<Given...>()) {
        return encoder::encode_given(std::index_sequence_for<Given...>{}, std::forward<Given>(given)...);
    } else {
        return {};
    }
}

/// The arguments of `perform`, from the array that encode_call has written.
/// @throws bad_data naming the path
template <class H>
[[nodiscard]] args_of<H> decode_args(const boost::json::array& array) {
    using args = args_of<H>;
    constexpr std::size_t size = std::tuple_size_v<args>;
    const json_path root{"args"};
    if (array.size() != size) refuse_arity(root, size, array.size());
    return decode_elements<args>(array, root, std::make_index_sequence<size>{});
}

/// A result as JSON text. Paths in errors begin with `result`.
template <class T>
[[nodiscard]] std::string encode_result(const T& value) {
    std::string text;
    encode(text, value, json_path{"result"});
    return text;
}

/// The result from its text; of a handler that returns void, which has none, the value null. @throws bad_data naming the path
template <class T>
[[nodiscard]] T decode_result(std::string_view text) {
    if constexpr (std::is_same_v<T, boost::json::value>) {
        if (text.empty()) return nullptr;
    }
    return decode<T>(parse_json(text, "result"), json_path{"result"});
}

}  // namespace errand::detail
