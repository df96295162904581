// Taking and acknowledging jobs, looking at queues, and dead letters.
#include "service/lmstfy/answers.hpp"
#include "service/lmstfy/claims.hpp"
#include "service/lmstfy/dead_letters.hpp"
#include "service/lmstfy/job_calls.hpp"
#include "service/lmstfy/job_id.hpp"
#include "service/lmstfy/jobs.hpp"
#include "service/lmstfy/names.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <limits>

namespace errand::lmstfy {

namespace json = boost::json;

namespace {

constexpr std::uint64_t most_jobs_taken = 100;
constexpr std::uint64_t longest_wish = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_of_all = std::numeric_limits<std::int64_t>::max();

struct consume_asked {
    job_wish wish;
    duration timeout{0};
};

consume_asked read_consume(const web::call& c) {
    const auto& usual = office_of(c.at.shared()).options();
    const query_reader query{c.in};
    consume_asked asked;
    asked.wish.queues = read_queue_list(c.part("queue"));
    asked.wish.count = query.number("count", 1, 1, most_jobs_taken);
    asked.wish.ttr = std::chrono::seconds{query.number("ttr", usual.ttr, 0, longest_wish)};
    asked.timeout = std::chrono::seconds{query.number("timeout", usual.timeout, 0, longest_wish)};
    asked.wish.worker = "lmstfy " + c.in.peer;
    return asked;
}

json::object size_text(const web::call& c, std::size_t size) {
    return {{"namespace", c.part("namespace")}, {"queue", c.part("queue")}, {"size", size}};
}

// What `what` answers on the tenant of who asks: awaitable<T>(tenant&, queue).
template <class What>
auto on_queue(const web::call& c, What what) {
    return on_tenant(badge_of(c).of, [queue = c.part("queue"), what = std::move(what)](tenant& of) {
        return what(of, queue);
    });
}

std::int64_t read_limit(const query_reader& query) {
    return static_cast<std::int64_t>(query.number("limit", 1, 1, most_of_all));
}

}  // namespace

awaitable<web::answer> consume_jobs(web::call& c) {
    auto asked = read_consume(c);
    const bool many = asked.wish.count > 1;
    const auto who = badge_of(c).of;
    const auto claim = std::make_shared<job_claim>(who);
    const bool found = co_await claim->begin(std::move(asked.wish));
    if (!found && asked.timeout > duration{0}) co_await c.at.wait(claim->wait(asked.timeout));
    auto jobs = co_await claim->take();
    if (jobs.empty()) co_return json_text(json::object{{"msg", "no job available"}}, 404);
    json::array all;
    auto& figures = office_of(c.at.shared()).figures();
    for (auto& one : jobs) {
        figures.consumed({who->pool(), who->name_space(), one.queue}, one.elapsed);
        one.text["msg"] = "new job";
        all.emplace_back(std::move(one.text));
    }
    auto out = json_text(many ? json::value{std::move(all)} : std::move(all.front()));
    out.unsent = claim->let_travel();
    co_return out;
}

awaitable<web::answer> acknowledge_job(web::call& c) {
    const auto id = read_job_id(c.part("id"));
    if (!id) co_return no_content();
    const auto held = co_await on_queue(c, [id](tenant& of, const std::string& queue) {
        return acknowledge(of, queue, *id);
    });
    const auto& of = *badge_of(c).of;
    if (held)
        office_of(c.at.shared()).figures().acknowledged({of.pool(), of.name_space(), c.part("queue")}, *held);
    co_return no_content();
}

awaitable<web::answer> show_head(web::call& c) {
    auto job =
        co_await on_queue(c, [](tenant& of, const std::string& queue) { return peek_head(of, queue); });
    if (!job) throw web::not_found("the queue is empty");
    co_return json_text(*job);
}

awaitable<web::answer> show_job(web::call& c) {
    const web::refusal none = web::not_found("job not found");
    const auto id = read_job_id(c.part("id"));
    if (!id) throw none;
    auto job =
        co_await on_queue(c, [id](tenant& of, const std::string& queue) { return peek_job(of, queue, *id); });
    if (!job) throw none;
    co_return json_text(*job);
}

awaitable<web::answer> show_size(web::call& c) {
    const auto sizes =
        co_await on_queue(c, [](tenant& of, const std::string& queue) { return sizes_of(of, queue); });
    co_return json_text(size_text(c, sizes.ready));
}

awaitable<web::answer> destroy_queue(web::call& c) {
    co_await on_queue(c, [](tenant& of, const std::string& queue) { return destroy(of, queue); });
    co_return no_content();
}

awaitable<web::answer> show_dead(web::call& c) {
    const auto sizes =
        co_await on_queue(c, [](tenant& of, const std::string& queue) { return sizes_of(of, queue); });
    std::string head;
    if (sizes.dead > 0)
        head =
            co_await on_queue(c, [](tenant& of, const std::string& queue) { return oldest_dead(of, queue); });
    co_return json_text(json::object{{"namespace", c.part("namespace")},
                                     {"queue", c.part("queue")},
                                     {"deadletter_size", sizes.dead},
                                     {"deadletter_head", head}});
}

awaitable<web::answer> show_dead_size(web::call& c) {
    const auto sizes =
        co_await on_queue(c, [](tenant& of, const std::string& queue) { return sizes_of(of, queue); });
    co_return json_text(size_text(c, sizes.dead));
}

awaitable<web::answer> respawn_dead(web::call& c) {
    const query_reader query{c.in};
    const auto limit = read_limit(query);
    const auto usual = office_of(c.at.shared()).options().ttl;
    const auto ttl = static_cast<std::int64_t>(query.number("ttl", usual, 0, most_of_all));
    const auto count = co_await on_queue(c, [limit, ttl](tenant& of, const std::string& queue) {
        return respawn(of, queue, limit, ttl);
    });
    office_of(c.at.shared()).figures().respawned(badge_of(c).of->pool(), count);
    co_return json_text(json::object{{"msg", "respawned"}, {"count", count}});
}

awaitable<web::answer> drop_dead(web::call& c) {
    const query_reader query{c.in};
    const auto limit = read_limit(query);
    co_await on_queue(c, [limit](tenant& of, const std::string& queue) {
        return delete_dead(of, queue, limit);
    });
    co_return no_content();
}

}  // namespace errand::lmstfy
