// The sentences with which a type that cannot travel as JSON is refused at compile time: one for each reason.
#pragma once

#include <errand/detail/json_traits.hpp>
#include <errand/detail/supported.hpp>

namespace errand::detail {

/// Stops the compiler with the one sentence that fits.
template <class T, json_form Form>
consteval void refuse_type() {
    if constexpr (Form == json_form::pointer) {
        static_assert(supported<T>,
                      "errand: a pointer cannot travel as JSON: use a value, std::optional or std::string");
    } else if constexpr (Form == json_form::reference) {
        static_assert(supported<T>, "errand: a reference cannot travel as JSON: use a value");
    } else if constexpr (Form == json_form::c_array || Form == json_form::with_c_array) {
        static_assert(supported<T>,
                      "errand: a C array cannot travel as JSON: use std::array, std::vector or std::string");
    } else if constexpr (Form == json_form::keyed_otherwise) {
        static_assert(supported<T>, "errand: a map travels as a JSON object: its keys must be std::string");
    } else if constexpr (Form == json_form::union_type) {
        static_assert(supported<T>, "errand: a union cannot travel as JSON: use std::variant");
    } else if constexpr (Form == json_form::wide_integer) {
        static_assert(supported<T>,
                      "errand: an integer of more than 64 bits cannot travel as JSON: use std::string");
    } else if constexpr (Form == json_form::with_base) {
        static_assert(
            supported<T>,
            "errand: an aggregate with a base class cannot travel as JSON: make the base a member, or give "
            "the type a tag_invoke for boost::json::value_from_tag and value_to_tag");
    } else if constexpr (Form == json_form::without_default) {
        static_assert(
            supported<T>,
            "errand: this aggregate cannot be made as T{}, which missing members are taken from: give each "
            "member a default, or the type a tag_invoke for boost::json::value_from_tag and value_to_tag");
    } else if constexpr (Form == json_form::text_view) {
        static_assert(
            supported<T>,
            "errand: a std::string_view can be sent but not received, nobody would own the text: use "
            "std::string");
    } else {
        static_assert(
            supported<T>,
            "errand: this type cannot travel as JSON: make it an aggregate of types that can, or give it a "
            "tag_invoke for boost::json::value_from_tag and value_to_tag");
    }
}

}  // namespace errand::detail
