// What may be said to a route: the members of a body, the parameters of a query. One description, from which requests are
// read and the reference is written.
#pragma once

#include <span>
#include <string_view>

namespace errand::web {

enum class kind : unsigned char {
    text,
    integer,
    boolean,
    instant,     // RFC 3339 with its zone
    array,       // of any values
    texts,       // an array of strings
    text_map,    // an object whose members are strings
    number,      // also with a fraction
    any,         // any JSON
    object,      // with members of its own
    objects,     // an array of those
    weights,     // an object whose members are whole numbers
    submission,  // an array of objects as POST tasks takes them
    planned,     // an array of those that know each other
};

struct field {
    std::string_view name;
    kind type = kind::text;
    std::string_view meaning;
    bool required = false;
};

using fields = std::span<const field>;

}  // namespace errand::web
