// Looking at tasks: one, now or when it has changed; many, by page.
#include <errand/error.hpp>
#include <errand/handle.hpp>

#include "client/listing.hpp"
#include "service/calls.hpp"
#include "service/checks.hpp"
#include "service/flow/age_list.hpp"
#include "service/flow/calls.hpp"
#include "service/flow/places.hpp"
#include "service/hub.hpp"
#include "service/instant.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>

namespace errand::flow {

namespace json = boost::json;
using web::field;
using web::kind;

namespace {

constexpr std::int64_t most_listed = 1000;
// What others change nobody tells of: it is looked for, at first often.
constexpr std::chrono::milliseconds first_look{10};
constexpr std::chrono::milliseconds last_look{250};

constexpr std::array look_parameters{
    field{"wait_ms", kind::integer, "0 to 60000: the answer waits so long for what `until` says (0)"},
    field{"after_version", kind::integer,
          "The version that is known: what is newer is answered at once (the one that is there)"},
    field{"until", kind::text, "`changed` or `finished` (`changed`)"},
    field{"fields", kind::text, "Names of members with commas between: only these are shown"},
};

constexpr std::array list_parameters{
    field{"type", kind::text, "Only of this one"},
    field{"status", kind::text, "`pending`, `processing`, `success`, `failed`, or 1 to 4 for these"},
    field{
        "state", kind::text,
        "`waiting`, `delayed`, `ready`, `retry`, `working`, `success`, `dead`, `cancelled` or `expired`. Not together with `status`"},
    field{"stage", kind::text, "Only those that are at this one"},
    field{"user", kind::text, "Only those of this one"},
    field{"created_after", kind::instant, "Only those that were created at this time or later"},
    field{"created_before", kind::instant, "Only those that were created before this time"},
    field{"limit", kind::integer, "1 to 1000 tasks (100)"},
    field{"cursor", kind::text, "`next` of the page before"},
    field{"fields", kind::text, "Names of members with commas between: only these are shown"},
};

// ---- waiting ----

// Until it has another version, or is not there any more, or the time is over. The store is not asked under what may be
// cancelled.
awaitable<void> wait_for_change(web::call& c, office at, std::string type, std::string id, std::int64_t known,
                                duration longest) {
    using steady = std::chrono::steady_clock;
    const auto end = steady::now() + longest;
    for (auto next = first_look; steady::now() < end && !c.at.stopping();
         next = std::min(next * 3 / 2, last_look)) {
        const auto left = std::chrono::duration_cast<duration>(end - steady::now());
        co_await c.at.wait(pause_for(std::min(left, duration{next})));
        const auto now = co_await find_task(at, type, id);
        if (!now || version_of(*now) > known || is_end(now->task.where)) co_return;
    }
}

awaitable<void> wait_for_end(handle<json::value> task, duration within) {
    try {
        co_await task.result(within);
    } catch (const error&) {
        // Ended otherwise, gone, not yet: the look that follows tells it.
    }
}

// ---- lists ----

using states = std::vector<state>;

constexpr std::array every_state{state::waiting, state::delayed,   state::ready,
                                 state::retry,   state::working,   state::success,
                                 state::dead,    state::cancelled, state::expired};
constexpr std::array<std::string_view, 8> status_names{"pending", "processing", "success", "failed",
                                                       "1",       "2",          "3",       "4"};

states of_status(std::size_t which) {
    switch (which % 4) {
    case 0: return {state::waiting, state::delayed, state::ready, state::retry};
    case 1: return {state::working};
    case 2: return {state::success};
    default: return {state::dead, state::cancelled, state::expired};
    }
}

states read_states(const web::parameters& given) {
    const auto status = given.text("status");
    const auto in = given.text("state");
    if (status && in) throw web::bad_request("give one of \"status\" and \"state\"", "state");
    if (status) return of_status(web::choice_of(*status, status_names, "status"));
    if (!in) return {every_state.begin(), every_state.end()};
    std::vector<std::string_view> names;
    for (const auto one : every_state) names.push_back(to_string(one));
    return {every_state[web::choice_of(*in, names, "state")]};
}

std::optional<time_point> read_time(const web::parameters& given, std::string_view name) {
    const auto text = given.text(name);
    if (!text) return std::nullopt;
    const auto at = parse_instant(*text);
    if (!at) {
        throw web::bad_request("\"" + std::string{name} +
                                   "\" is to be a point in time with its zone, such as 2026-12-01T08:00:00Z",
                               std::string{name});
    }
    return at;
}

struct list_asked {
    states in{};
    task_filter which{};
    std::string stage{};
    time_point from{time_point::min()};
    time_point to{time_point::max()};
    std::size_t limit = 100;
    shown_fields shown{};
};

bool fits(const list_asked& asked, const seen_task& one) {
    const auto created = one.body.submitted_at();
    if (created < asked.from || created >= asked.to) return false;
    return asked.stage.empty() || stage_of(one.body, one.notes) == asked.stage;
}

bool is_of(const task_filter& which, const task_body& body) {
    if (body.queue != which.queue || body.handler != which.handler) return false;
    return which.tag.empty() || std::ranges::find(body.tags, which.tag) != body.tags.end();
}

// "2.5.<cursor>": of which of the states, how many of that page were given, and where it begins.
struct list_cursor {
    std::size_t state = 0;
    std::size_t given = 0;
    std::string page{};
};

std::string text_of(const list_cursor& at) {
    return std::to_string(at.state) + '.' + std::to_string(at.given) + '.' + at.page;
}

list_cursor read_cursor(const std::string& text, std::size_t states) {
    list_cursor at;
    const auto first = text.find('.');
    const auto second = first == text.npos ? first : text.find('.', first + 1);
    const auto number = [&](std::size_t from, std::size_t to, std::size_t& into) {
        const auto [stop, error] = std::from_chars(text.data() + from, text.data() + to, into);
        return error == std::errc{} && stop == text.data() + to;
    };
    const bool read =
        second != text.npos && number(0, first, at.state) && number(first + 1, second, at.given);
    if (!read || at.state >= states) refuse_cursor();
    at.page = text.substr(second + 1);
    return at;
}

struct list_page_of_flow {
    std::vector<seen_task> tasks{};
    std::optional<list_cursor> next{};
};

awaitable<list_page_of_flow> list_some(office at, const list_asked& asked, list_cursor from) {
    // A page that finds little says so, rather than keep who asks waiting.
    constexpr int most_pages = 40;
    list_page_of_flow got;
    for (int pages = 0; pages < most_pages; ++pages) {
        auto which = asked.which;
        which.state = asked.in[from.state];
        auto page =
            co_await list_page(at.home.tasks(), which, from.page, asked.limit, list_order::newest_first);
        std::size_t place = 0;
        for (; place < page.tasks.size() && got.tasks.size() < asked.limit; ++place) {
            if (place < from.given) continue;
            auto one = seen(std::move(page.tasks[place]));
            if (one && fits(asked, *one)) got.tasks.push_back(std::move(*one));
        }
        if (place < page.tasks.size()) {
            from.given = place;
        } else if (!page.next.empty()) {
            from = {.state = from.state, .given = 0, .page = std::move(page.next)};
        } else {
            from = {.state = from.state + 1, .given = 0, .page = {}};
        }
        if (from.state >= asked.in.size()) co_return got;
        if (got.tasks.size() >= asked.limit) break;
    }
    got.next = std::move(from);
    co_return got;
}

web::answer page_answer(web::call& c, office at, const list_asked& asked, const std::vector<seen_task>& all,
                        std::string next) {
    json::array tasks;
    for (const auto& one : all) {
        // Of others, which are no flow's, nothing is told here.
        if (asked.which.handler.empty() && !find_type(at.core, one.body.handler)) continue;
        const auto& work = c.at.shared().work;
        const auto* held = work ? work->held(one.task.id) : nullptr;
        tasks.emplace_back(json_of(at.core, one, held, asked.shown));
    }
    return web::json_answer(json::object{
        {"tasks", std::move(tasks)}, {"next", next.empty() ? json::value{} : json::value{std::move(next)}}});
}

// "n." and what the list says: a cursor of one that is by age.
constexpr std::string_view by_age = "n.";

struct aged_page {
    std::vector<seen_task> tasks{};
    std::string next{};
};

awaitable<aged_page> list_by_age(office at, const list_asked& asked, std::string cursor) {
    // A page that finds little says so, rather than keep who asks waiting.
    constexpr std::size_t looked_at_per_task = 40;
    constexpr std::size_t most_read_ahead = 200;
    age_list all{at.home.tasks(), asked.which.queue, std::min(asked.limit, most_read_ahead)};
    co_await all.open(asked.in, std::move(cursor));
    aged_page got;
    for (std::size_t looks = 0; looks < asked.limit * looked_at_per_task; ++looks) {
        if (got.tasks.size() >= asked.limit) break;
        auto task = co_await all.next();
        if (!task) break;
        auto one = seen(std::move(*task));
        if (one && is_of(asked.which, one->body) && fits(asked, *one)) got.tasks.push_back(std::move(*one));
    }
    got.next = all.cursor();
    if (!got.next.empty()) got.next.insert(0, by_age);
    co_return got;
}

}  // namespace

const web::fields look_query{look_parameters};
const web::fields list_query{list_parameters};

awaitable<web::answer> look_at_task(web::call& c) {
    constexpr std::array<std::string_view, 2> untils{"changed", "finished"};
    const web::parameters given{c.in, look_parameters};
    const auto wait = duration{given.integer("wait_ms", 0, longest_wait).value_or(0)};
    const auto known = given.integer("after_version", 0, std::numeric_limits<std::int64_t>::max());
    const bool till_end = web::choice_of(given.text("until").value_or("changed"), untils, "until") == 1;
    const auto shown = read_shown(given.text("fields").value_or(""));
    const auto at = office_of(c);
    const auto type = c.part("type");
    const auto id = c.part("id");
    auto task = co_await need_task(at, type, id);
    const bool over = is_end(task.task.where) || (!till_end && known && version_of(task) > *known);
    if (wait > duration{0} && !over) {
        if (till_end) {
            if (const auto handle = co_await c.at.app().find<json::value>(to_text(task.task.id)))
                co_await c.at.wait(wait_for_end(*handle, wait));
        } else {
            co_await wait_for_change(c, at, type, id, known.value_or(version_of(task)), wait);
        }
        task = co_await need_task(at, type, id);
    }
    const auto& work = c.at.shared().work;
    const auto* held = work ? work->held(task.task.id) : nullptr;
    auto out = web::json_answer(json_of(at.core, task, held, shown));
    out.headers.push_back({"ETag", '"' + std::to_string(version_of(task)) + '"'});
    co_return out;
}

awaitable<web::answer> list_flow_tasks(web::call& c) {
    const web::parameters given{c.in, list_parameters};
    list_asked asked{.in = read_states(given)};
    if (const auto type = given.text("type")) {
        check_name(*type, "type", "type");
        asked.which.queue = asked.which.handler = *type;
    }
    if (const auto user = given.text("user")) asked.which.tag = user_tag(*user);
    asked.stage = given.text("stage").value_or("");
    asked.from = read_time(given, "created_after").value_or(time_point::min());
    asked.to = read_time(given, "created_before").value_or(time_point::max());
    asked.limit = static_cast<std::size_t>(given.integer("limit", 1, most_listed).value_or(100));
    asked.shown = read_shown(given.text("fields").value_or(""));
    const auto cursor = given.text("cursor");
    const auto at = office_of(c);
    if (!c.in.only_queues.empty() && asked.which.queue.empty())
        throw web::refusal{403, "forbidden", "this token is for some types: name one of those", "type"};
    if (!asked.which.queue.empty()) web::need_queue(c.in, asked.which.queue, "type");
    co_await at.home.ready();
    if (!asked.which.handler.empty()) {
        if (cursor && !cursor->starts_with(by_age)) refuse_cursor();
        auto got = co_await list_by_age(at, asked, cursor ? cursor->substr(by_age.size()) : std::string{});
        co_return page_answer(c, at, asked, got.tasks, std::move(got.next));
    }
    const auto from = cursor ? read_cursor(*cursor, asked.in.size()) : list_cursor{};
    const auto got = co_await list_some(at, asked, from);
    co_return page_answer(c, at, asked, got.tasks, got.next ? text_of(*got.next) : std::string{});
}

}  // namespace errand::flow
