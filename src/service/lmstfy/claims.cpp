#include "service/lmstfy/claims.hpp"

#include "core/job_rules.hpp"
#include "service/lmstfy/job.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace errand::lmstfy {

namespace asio = boost::asio;

namespace {

web::claim_wish claim_wish_of(const job_wish& wish) {
    web::claim_wish asked;
    asked.worker = wish.worker;
    // By falling weight: the first one that was named is looked at first.
    int weight = static_cast<int>(wish.queues.size());
    for (const auto& queue : wish.queues) asked.queues.emplace(queue, weight--);
    asked.strict = true;
    asked.handlers = std::vector<std::string>{std::string{job_handler}};
    asked.limit = wish.count;
    asked.lease = std::max<duration>(wish.ttr, duration{1});
    // Nobody extends a lease by this API, so nobody keeps another one's.
    asked.claims_with = "lmstfy";
    return asked;
}

}  // namespace

job_claim::~job_claim() { give_back(*of_, got_); }

void job_claim::give_back(tenant& of, std::shared_ptr<contents> what) {
    if (!what) return;
    asio::dispatch(of.home().executor(), [what] {
        if (what->order) what->from->leave(what->order);
        what->order.reset();
        if (what->from) what->from->give_back(what->all);
        what->all.clear();
    });
}

awaitable<bool> job_claim::begin(job_wish wish) {
    return on_tenant(of_, [got = got_, asked = claim_wish_of(wish)](tenant& of) -> awaitable<bool> {
        got->from = co_await of.work();
        got->order = got->from->order(asked);
        co_await got->from->looked_for(got->order);
        if (!got->order->got.empty() || got->order->failure) co_return true;
        // What is due in a queue where nobody waited is not ready yet.
        std::vector<std::string> queues;
        for (const auto& [queue, weight] : asked.queues) queues.push_back(queue);
        // Whoever else made it so since the first look was not seen by that: so one looks again in either case.
        co_await got->from->make_due_ready(std::move(queues));
        // Where something became ready the first order may be served by now, or is about to be.
        const auto first = got->order;
        first->changed.expires_at(asio::steady_timer::time_point::max());
        while (first->under_way) co_await first->changed.async_wait(asio::as_tuple(asio::use_awaitable));
        if (!first->got.empty() || first->failure) co_return true;
        got->from->leave(got->order);
        got->order = got->from->order(asked);
        co_await got->from->looked_for(got->order);
        co_return !got->order->got.empty() || got->order->failure;
    });
}

awaitable<void> job_claim::wait(duration longest) {
    return on_tenant(of_, [got = got_, longest](tenant&) -> awaitable<void> {
        co_await got->from->wait_for(got->order, longest);
    });
}

awaitable<std::vector<job_claim::taken_job>> job_claim::take() {
    return on_tenant(of_, [got = got_](tenant& of) -> awaitable<std::vector<taken_job>> {
        got->all = co_await got->from->take(got->order);
        std::vector<taken_job> jobs;
        for (const auto& one : got->all) {
            const auto opened = web::open_attempt(of.core(), one.task);
            const seen_job seen{.id = one.task.id,
                                .queue = one.task.queue,
                                .where = state::working,
                                .body = &opened.body,
                                .notes = &opened.notes,
                                .taken = true};
            auto text = json_of_job(of.name_space(), seen, one.at);
            jobs.push_back({.queue = one.task.queue,
                            .elapsed = one.at - opened.body.submitted_at(),
                            .text = std::move(text)});
        }
        co_return jobs;
    });
}

std::function<void()> job_claim::let_travel() {
    return [of = of_, what = std::exchange(got_, nullptr)] { give_back(*of, what); };
}

}  // namespace errand::lmstfy
