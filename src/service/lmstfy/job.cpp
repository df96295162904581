#include "service/lmstfy/job.hpp"

#include <errand/error.hpp>

#include "core/base64.hpp"
#include "core/job_rules.hpp"
#include "core/json_elements.hpp"
#include "core/utf8.hpp"
#include "service/lmstfy/job_id.hpp"
#include "service/refusal.hpp"

#include <algorithm>

namespace errand::lmstfy {
namespace {

// No attribute has it: those are in small letters.
const std::string version_header = "Job-Version";
constexpr std::size_t most_attributes = 16;
constexpr std::size_t longest_attribute_name = 32;
constexpr std::size_t longest_attribute = 128;

std::string small(std::string_view text) {
    std::string out{text};
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

// Whole ones, to the nearest; never 0, which says for ever.
std::int64_t seconds_left(time_point until, time_point now) {
    return std::max<std::int64_t>(std::chrono::round<std::chrono::seconds>(until - now).count(), 1);
}

// The argument is one string of base64, in which nothing is escaped; what another program has submitted may be another.
std::string data_of(const task_body& body) {
    try {
        const auto all = json_elements(body.args);
        if (all.size() == 1 && all[0].size() >= 2 && all[0].front() == '"' &&
            all[0].find('\\') == all[0].npos) {
            return std::string{all[0].substr(1, all[0].size() - 2)};
        }
    } catch (const bad_data&) {
        // It is shown as it is.
    }
    return padded_base64(body.args);
}

std::int64_t tries_left(const seen_job& one) {
    if (one.where == state::dead) return 0;
    const auto most = std::int64_t{one.body->max_retry.value_or(0)} + 1;
    const bool held = one.taken || one.where == state::working;
    return std::max<std::int64_t>(most - one.notes->attempts - (held ? 1 : 0), 0);
}

}  // namespace

void read_attributes(const web::request& in, job_terms& into) {
    constexpr std::string_view front = "Job-Attr-";
    const auto* version = in.find_header("Enable-Job-Version");
    if (!version || !web::same_header_name(*version, "YES")) return;
    into.versioned = true;
    for (const auto& one : in.headers) {
        if (one.name.size() <= front.size() || one.value.empty() ||
            !web::same_header_name(std::string_view{one.name}.substr(0, front.size()), front)) {
            continue;
        }
        auto name = small(std::string_view{one.name}.substr(front.size())).substr(0, longest_attribute_name);
        auto value = repaired_utf8(utf8_prefix(one.value, longest_attribute));
        into.attributes.try_emplace(std::move(name), std::move(value));
    }
    if (into.attributes.size() > most_attributes)
        throw web::bad_request("too many attributes: a job has at most 16");
}

prepared_submission job_of(prepared_submission draft, const job_terms& terms, std::string_view data) {
    auto& body = draft.body;
    body.args = "[\"" + padded_base64(data) + "\"]";
    body.max_retry = terms.tries - 1;
    // What has ended by itself, or was acknowledged, leaves nothing; of dead ones core/job_rules.hpp says.
    body.retention = draft.retention = duration{0};
    body.policy_retains = body.policy_expires = false;
    body.headers = terms.attributes;
    if (terms.versioned) body.headers[version_header] = "1";
    const duration delay = std::chrono::seconds{terms.delay};
    draft.delay.reset();
    if (terms.delay > 0) draft.delay = delay;
    body.expires_after.reset();
    if (terms.ttl > 0) {
        // From when it is due; one that ends with its delay is never delivered.
        const duration ttl = std::chrono::seconds{terms.ttl};
        body.expires_after = std::max(ttl - delay, duration{1});
    }
    draft.expires_after = body.expires_after;
    return draft;
}

bool is_versioned(const task_body& body) { return body.headers.contains(version_header); }

boost::json::object json_of_job(const std::string& name_space, const seen_job& one, time_point now) {
    boost::json::value attributes;
    boost::json::object all;
    for (const auto& [name, value] : one.body->headers) {
        if (name != version_header) all[name] = value;
    }
    if (!all.empty()) attributes = std::move(all);
    const auto ends_at = one.where == state::dead ? std::nullopt : end_of_job(*one.body, *one.notes);
    const auto elapsed = std::max(now - one.body->submitted_at(), duration{0});
    return {{"namespace", name_space},
            {"queue", one.queue},
            {"job_id", job_text(one.id, is_versioned(*one.body))},
            {"data", data_of(*one.body)},
            {"ttl", ends_at ? seconds_left(*ends_at, now) : 0},
            {"elapsed_ms", elapsed.count()},
            {"remain_tries", tries_left(one)},
            {"attributes", std::move(attributes)}};
}

}  // namespace errand::lmstfy
