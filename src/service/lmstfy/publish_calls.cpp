// Publishing jobs: one, many as one step, and one in place of another.
#include "core/json_elements.hpp"
#include "service/lmstfy/answers.hpp"
#include "service/lmstfy/job_calls.hpp"
#include "service/lmstfy/job_id.hpp"
#include "service/lmstfy/jobs.hpp"
#include "service/lmstfy/names.hpp"

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <limits>

namespace errand::lmstfy {

namespace json = boost::json;

namespace {

constexpr std::size_t most_jobs_of_bulk = 64;
// One step carries them all, in base64.
constexpr std::size_t most_bytes_of_bulk = std::size_t{22} * 1024 * 1024;
constexpr std::uint64_t most_seconds = std::numeric_limits<std::uint32_t>::max();

job_terms read_terms(const web::call& c) {
    const auto& usual = office_of(c.at.shared()).options();
    const query_reader query{c.in};
    job_terms terms;
    terms.delay = static_cast<std::uint32_t>(query.number("delay", usual.delay, 0, most_seconds));
    terms.ttl = static_cast<std::uint32_t>(query.number("ttl", usual.ttl, 0, most_seconds));
    terms.tries = static_cast<std::uint16_t>(query.number("tries", usual.tries, 1,
                                                          std::numeric_limits<std::uint16_t>::max()));
    if (terms.ttl > 0 && terms.ttl < terms.delay)
        throw web::bad_request("invalid ttl: it ends before the delay does");
    read_attributes(c.in, terms);
    return terms;
}

std::optional<std::string> read_key(const web::request& in) {
    constexpr auto name = "Idempotency-Key";
    constexpr std::size_t longest = 255;
    const auto* key = in.find_header(name);
    if (!key) return std::nullopt;
    const bool plain = std::ranges::all_of(*key, [](char c) { return c > 0x20 && c < 0x7f; });
    if (!key->empty() && key->size() <= longest && plain && in.count_headers(name) == 1) return *key;
    throw web::bad_request("an Idempotency-Key is one text of 1 to 255 printable characters of ASCII", name);
}

void check_size(std::size_t bytes) {
    if (bytes > most_job_bytes) throw web::refusal{413, "too_large", "body too large"};
}

publication read_publication(const web::call& c) {
    publication what;
    what.queue = c.part("queue");
    what.terms = read_terms(c);
    what.key = read_key(c.in);
    return what;
}

awaitable<std::vector<std::string>> publish_for(const web::call& c, publication what) {
    const auto& who = badge_of(c);
    const place_of_queue where{who.of->pool(), who.of->name_space(), what.queue};
    const auto jobs = what.data.size();
    auto ids = co_await on_tenant(who.of, [what = std::move(what)](tenant& of) mutable {
        return publish(of, std::move(what));
    });
    office_of(c.at.shared()).figures().published(where, jobs);
    co_return ids;
}

// Each as it is written, and nothing but an array of them.
std::vector<std::string> read_elements(const std::string& body) {
    // It is looked at for its form alone.
    json::monotonic_resource memory;
    json::parse_options options;
    options.max_depth = 10'000;
    options.allow_invalid_utf8 = true;
    boost::system::error_code ec;
    const auto document = json::parse(body, ec, &memory, options);
    if (ec || !document.is_array()) throw web::bad_request("the body is to be an array of JSON");
    const auto count = document.get_array().size();
    if (count == 0 || count > most_jobs_of_bulk)
        throw web::bad_request("the body is to be an array of 1 to 64 jobs");
    std::vector<std::string> all;
    std::size_t bytes = 0;
    for (const auto one : json_elements(body)) {
        check_size(one.size());
        bytes += one.size();
        all.emplace_back(one);
    }
    if (bytes > most_bytes_of_bulk) {
        throw web::refusal{413, "too_large",
                           "body too large: the jobs of one bulk have at most 22 MiB together"};
    }
    return all;
}

json::object published(const std::string& id) { return {{"msg", "published"}, {"job_id", id}}; }

}  // namespace

awaitable<web::answer> publish_job(web::call& c) {
    auto what = read_publication(c);
    check_size(c.in.body.size());
    what.data.push_back(c.in.body);
    const auto ids = co_await publish_for(c, std::move(what));
    co_return json_text(published(ids.front()), 201);
}

awaitable<web::answer> publish_bulk(web::call& c) {
    auto what = read_publication(c);
    what.data = read_elements(c.in.body);
    const auto ids = co_await publish_for(c, std::move(what));
    json::array all(ids.begin(), ids.end());
    co_return json_text(json::object{{"msg", "published"}, {"job_ids", std::move(all)}}, 201);
}

awaitable<web::answer> republish_job(web::call& c) {
    auto what = read_publication(c);
    check_size(c.in.body.size());
    what.data.push_back(c.in.body);
    what.instead_of = read_job_id(c.part("id"));
    const auto ids = co_await publish_for(c, std::move(what));
    co_return json_text(published(ids.front()), 201);
}

}  // namespace errand::lmstfy
