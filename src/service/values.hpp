// Reading what a request says, member by member: what is not described is refused, and what does not fit is refused with its
// path. Pure. Everything throws refusal.
#pragma once

#include <errand/time.hpp>

#include "service/field.hpp"
#include "service/message.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace errand::web {

// The body as one JSON object.
boost::json::object body_object(const request& in);

// Members of an object. A null is as good as a member that is not there.
class members {
public:
    // Refuses members that are not among these, and those that are required and not there. `from` outlives this.
    members(const boost::json::object& from, fields known, std::string path = {});

    bool has(std::string_view name) const { return find(name) != nullptr; }
    // Refuses that it is not there.
    void need(std::string_view name) const;
    // "tasks[3].priority"
    std::string path_of(std::string_view name) const;

    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most) const;
    std::optional<bool> flag(std::string_view name) const;
    // Milliseconds from 0 on.
    std::optional<duration> length(std::string_view name) const;
    // Milliseconds until something is due: negative counts as none.
    std::optional<duration> delay(std::string_view name) const;
    std::optional<time_point> instant(std::string_view name) const;
    const boost::json::array* array(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    std::map<std::string, std::string> text_map(std::string_view name) const;
    // Whatever it is; null: it is not there.
    const boost::json::value* any(std::string_view name) const { return find(name); }
    const boost::json::object* object(std::string_view name) const;
    // A number from 0 to 1.
    std::optional<double> part(std::string_view name) const;
    std::map<std::string, int> weights(std::string_view name, int least, int most) const;

private:
    const boost::json::value* find(std::string_view name) const;
    [[noreturn]] void refuse(std::string_view name, const std::string& expected) const;

    const boost::json::object& from_;
    std::string path_;
};

// Parameters of the query.
class parameters {
public:
    // Refuses those that are not among these, that come twice or cannot be decoded.
    parameters(const request& in, fields known);

    std::optional<std::string> text(std::string_view name) const;
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most) const;

private:
    std::map<std::string, std::string, std::less<>> values_;
};

// The one of these that a text names. Refuses others, listing what there is.
std::size_t choice_of(std::string_view text, std::span<const std::string_view> names,
                      const std::string& path);

}  // namespace errand::web
