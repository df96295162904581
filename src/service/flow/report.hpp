// What a worker says of a task that it holds, and what follows from it. Pure but for the clock that is handed in.
#pragma once

#include "service/attempt.hpp"
#include "service/flow/claim_text.hpp"
#include "service/flow/task_view.hpp"
#include "service/values.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace errand::flow {

struct said {
    flow_claim claim{};
    flow_outcome outcome = flow_outcome::done;
    std::optional<std::string> stage{};
    std::optional<std::string> content{};       // JSON text
    std::optional<boost::json::value> merge{};  // RFC 7396
    std::string result{};                       // JSON text
    std::string error{};
    std::optional<duration> in{};
    std::string trace{};
    std::optional<duration> cost{};
};

extern const web::fields report_fields;
// Throws refusal.
flow_claim claim_in(const web::members& given);
said read_said(const web::members& given, std::size_t max_result);

// What is reported of an attempt at this time. Throws refusal for a stage or a content that the type does not allow.
web::judged judge(const detail::app_core& app, const flow_type& type, web::opened_attempt of,
                  const web::attempt& one, const said& what, time_point now, const std::string& path);

// {"status", "state", "stage", "due_at", "version"}
boost::json::object answer_to(const flow_run& run);
// The report that was made under this claim; null: none was that is known.
const flow_run* run_of(const task_notes& notes, const web::ticket& by);

}  // namespace errand::flow
