// A job as a task, and back: what is said of it at its publication, and what its consumers are told. Pure.
//
// Its argument is what was published in base64, so that programs of all kinds can read it; attributes are its headers.
#pragma once

#include "client/prepared_submission.hpp"
#include "core/record.hpp"
#include "service/message.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace errand::lmstfy {

// Bytes of one job.
inline constexpr std::size_t most_job_bytes = std::size_t{1024} * 1024;

struct job_terms {
    std::uint32_t delay = 0;  // seconds
    std::uint32_t ttl = 0;    // seconds; 0: for ever
    std::uint16_t tries = 1;
    bool versioned = false;  // it spoke of job versions
    std::map<std::string, std::string> attributes{};
};

// What Job-Attr-<name> headers say, if Enable-Job-Version is there. Throws refusal (400) when they are too many.
void read_attributes(const web::request& in, job_terms& into);

// @param draft what the app's own rules have made of an empty submission to its queue
prepared_submission job_of(prepared_submission draft, const job_terms& terms, std::string_view data);

// A task that is a job.
struct seen_job {
    task_id id;
    std::string queue;
    state where = state::ready;
    const task_body* body = nullptr;
    const task_notes* notes = nullptr;
    bool taken = false;  // this is the delivery
};
bool is_versioned(const task_body& body);
// {"namespace", "queue", "job_id", "data", "ttl", "elapsed_ms", "remain_tries", "attributes"}
boost::json::object json_of_job(const std::string& name_space, const seen_job& one, time_point now);

}  // namespace errand::lmstfy
