// Waiting for several tasks in one request.
#include <errand/all.hpp>
#include <errand/error.hpp>

#include "core/policy_rules.hpp"
#include "runtime/each_at_once.hpp"
#include "service/calls.hpp"
#include "service/info_json.hpp"
#include "service/refusal.hpp"
#include "service/values.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace errand::web {

namespace json = boost::json;

namespace {

constexpr std::size_t most_awaited = 500;
constexpr std::int64_t longest_joint_wait = 60'000;
// Results beyond this are left out of an answer.
constexpr std::size_t most_result_bytes = std::size_t{16} * 1024 * 1024;
// So many are held at a time with all that they carry.
constexpr std::size_t seen_at_once = 8;

constexpr std::array wait_members{
    field{"ids", kind::texts, "1 to 500 tasks", true},
    field{
        "until", kind::text,
        "`all`: all have ended with success, or one has not; `any`: one has ended with success, or all have ended (`all`)"},
    field{"wait_ms", kind::integer, "0 to 60000: the answer waits so long for that (0)"},
};

enum class wait_aim : bool { all, any };

struct awaited_tasks {
    std::vector<std::size_t> places{};  // of the tasks that are there, each once
    std::vector<detail::task_ref> tasks{};
    bool some_missing = false;
    bool settled = false;
    std::optional<std::size_t> first{};
};

// What it throws is told by the look that follows.
awaitable<void> wait_jointly(std::shared_ptr<awaited_tasks> what, wait_aim until, duration within) {
    const await_options how{.within = within};
    try {
        if (until == wait_aim::all) {
            co_await detail::wait_for_all(what->tasks, how);
        } else {
            const auto first = co_await detail::wait_for_any(what->tasks, how);
            what->first = what->places[first.at];
        }
        what->settled = true;
    } catch (const timed_out&) {
        // Nothing is known yet.
    } catch (const store_error&) {
        // Nor here.
    } catch (const error&) {
        what->settled = true;
    }
}

json::object json_of_awaited(const std::optional<task_info>& task, const std::string& id,
                             std::size_t& bytes) {
    if (!task)
        return {{"id", id},
                {"error", json_of(not_found("no task has this id: it never was, or is no longer kept"))}};
    const auto all = json_of(*task);
    json::object one{{"id", id}, {"state", all.at("state")}};
    const auto& result = all.at("result");
    bytes += json::serialize(result).size();
    one["result"] = bytes <= most_result_bytes ? result : json::value{};
    if (bytes > most_result_bytes) one["left_out"] = true;
    const auto& errors = all.at("errors").as_array();
    one["last_error"] = errors.empty() ? json::value{} : errors.back();
    return one;
}

// Of a token that is for some queues, what is in others is not there.
awaitable<bool> is_shown(call& c, std::string id) {
    if (c.in.only_queues.empty()) co_return true;
    const auto found = co_await c.at.app().find(id);
    co_return found&& c.in.may_use_queue(found->queue);
}

awaitable<std::shared_ptr<awaited_tasks>> find_tasks(call& c, const std::vector<std::string>& ids) {
    std::vector<std::optional<detail::task_ref>> found(ids.size());
    co_await each_at_once(ids.size(), [&](std::size_t i) -> awaitable<void> {
        if (!co_await is_shown(c, ids[i])) co_return;
        if (const auto one = co_await c.at.app().find<json::value>(ids[i])) found[i] = one->ref();
    });
    const auto what = std::make_shared<awaited_tasks>();
    std::set<std::string_view> known;
    for (std::size_t i = 0; i < found.size(); ++i) {
        what->some_missing = what->some_missing || !found[i];
        if (!found[i] || !known.insert(ids[i]).second) continue;
        what->places.push_back(i);
        what->tasks.push_back(std::move(*found[i]));
    }
    co_return what;
}

// What is read of the store to be left out is held no longer than it takes.
awaitable<json::array> tell_all(call& c, const std::vector<std::string>& ids) {
    json::array tasks;
    std::size_t bytes = 0;
    for (std::size_t from = 0; from < ids.size(); from += seen_at_once) {
        std::vector<std::optional<task_info>> seen(std::min(seen_at_once, ids.size() - from));
        const bool full = bytes > most_result_bytes;
        co_await each_at_once(seen.size(), [&](std::size_t i) -> awaitable<void> {
            seen[i] = co_await c.at.app().find(ids[from + i]);
            if (seen[i] && !c.in.may_use_queue(seen[i]->queue)) seen[i].reset();
            if (seen[i] && !full) co_await add_results(c.at.app(), c.in, *seen[i]);
        });
        for (std::size_t i = 0; i < seen.size(); ++i)
            tasks.emplace_back(json_of_awaited(seen[i], ids[from + i], bytes));
    }
    co_return tasks;
}

}  // namespace

const fields wait_fields{wait_members};

awaitable<answer> wait_for_tasks(call& c) {
    constexpr std::array<std::string_view, 2> untils{"all", "any"};
    const parameters none{c.in, {}};
    const auto body = body_object(c.in);
    const members given{body, wait_members};
    const auto ids = given.texts("ids");
    if (ids.empty() || ids.size() > most_awaited)
        throw bad_request("\"ids\" is to be an array of 1 to 500 ids", "ids");
    const auto until =
        choice_of(given.text("until").value_or("all"), untils, "until") == 0 ? wait_aim::all : wait_aim::any;
    const duration within{given.integer("wait_ms", 0, longest_joint_wait).value_or(0)};
    const auto what = co_await find_tasks(c, ids);
    // One that is not there will not succeed any more.
    what->settled = what->tasks.empty() || (until == wait_aim::all && what->some_missing);
    if (!what->settled) co_await wait_jointly(what, until, duration{0});
    if (!what->settled && within > duration{0}) co_await c.at.wait(wait_jointly(what, until, within));
    auto tasks = co_await tell_all(c, ids);
    co_return json_answer(json::object{
        {"settled", what->settled},
        {"first", what->first ? json::value{ids[*what->first]} : json::value{}},
        {"tasks", std::move(tasks)}});
}

}  // namespace errand::web
