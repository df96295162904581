#include "client/settle_submission.hpp"

#include <errand/error.hpp>

#include "client/batch_weight.hpp"
#include "client/cross_shard_batch.hpp"
#include "core/random.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace errand {

namespace asio = boost::asio;

namespace {

constexpr std::size_t named_on_a_cycle = 20;
[[noreturn]] void throw_busy(const task_id& id) {
    throw store_error{
        "task " + to_text(id) +
        " was not submitted: another submission of its biz_id is not coming to an end, or no worker runs "
        "that could tell others of the last one's success"};
}

awaitable<std::string> stored_name(store& in, task_id id) {
    const auto found = co_await in.find(id);
    if (!found) co_return to_text(id);
    const auto body = decode_body(found->body);
    co_return name_of(id, body.handler, body.biz_id);
}

// Before an id that another submission holds is tried again.
awaitable<void> pause_for_other(loop& there) {
    asio::steady_timer timer{there.executor(),
                             std::chrono::milliseconds{5 + static_cast<int>(random_unit() * 20)}};
    co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace

std::string name_of(const task_id& id, const std::string& handler, const std::optional<std::string>& biz_id) {
    auto text = handler + ' ' + to_text(id);
    if (biz_id) text += " (biz_id \"" + *biz_id + "\")";
    return text;
}

namespace {

awaitable<submitter::group_answer> answered_once(loop& there, std::vector<submission_item> items,
                                                 submit_mode mode) {
    if (crosses_shards(there.tasks(), items)) return submit_over_shards(there, std::move(items), mode);
    return there.submissions().submit_group(std::move(items), mode);
}

// The first answer in which nothing is busy.
awaitable<submitter::group_answer> answered_whole(loop& there, std::vector<submission_item> items,
                                                  submit_mode mode) {
    const auto until = std::chrono::steady_clock::now() + busy_for;
    for (;;) {
        auto got = co_await answered_once(there, std::move(items), mode);
        if (!got.failures.empty()) std::rethrow_exception(got.failures.front());
        const auto busy = std::ranges::find(got.answers, submit_verdict::busy, &submit_answer::verdict);
        if (busy == got.answers.end()) co_return got;
        const auto at = static_cast<std::size_t>(busy - got.answers.begin());
        if (std::chrono::steady_clock::now() > until) throw_busy(got.items[at].id);
        items = std::move(got.items);
        co_await pause_for_other(there);
    }
}

}  // namespace

awaitable<submitter::group_answer> ask_whole(loop& there, std::vector<submission_item> items) {
    check_weight(items);
    co_return co_await answered_whole(there, std::move(items), submit_mode::ask);
}

awaitable<submitter::group_answer> submit_whole(loop& there, std::vector<submission_item> items) {
    auto got = co_await answered_whole(there, std::move(items), submit_mode::all_or_nothing);
    for (std::size_t i = 0; i < got.items.size(); ++i) {
        auto& one = got.items[i];
        if (got.answers[i].verdict == submit_verdict::registering)
            got.answers[i] =
                co_await complete_dependencies(there.tasks(), one.id, incarnation_of(one.body), one.after);
    }
    co_return got;
}

bool is_unsettled(const submit_answer& answer) {
    return answer.verdict == submit_verdict::busy || answer.verdict == submit_verdict::registering ||
           !answer.others.empty();
}

awaitable<submit_answer> settle_submission(loop& there, submission_item item, submit_answer first,
                                           std::chrono::milliseconds most_busy) {
    auto answer = std::move(first);
    const auto until = std::chrono::steady_clock::now() + most_busy;
    while (answer.verdict == submit_verdict::busy) {
        if (std::chrono::steady_clock::now() > until) throw_busy(item.id);
        co_await pause_for_other(there);
        answer = co_await there.submissions().submit(submission_item{item});
    }
    if (answer.verdict == submit_verdict::registering)
        co_return co_await complete_dependencies(there.tasks(), item.id, incarnation_of(item.body),
                                                 item.after);
    co_return answer;
}

awaitable<std::exception_ptr> dependency_refusal(store& in, submit_answer answer, task_names known) {
    std::vector<std::string> names;
    for (const auto& id : answer.others) {
        if (names.size() == named_on_a_cycle) break;
        const auto at = known.find(id);
        names.push_back(at != known.end() ? at->second : co_await stored_name(in, id));
    }
    if (answer.verdict == submit_verdict::gone) {
        co_return std::make_exception_ptr(result_gone{
            "a task cannot be submitted after task " + names.at(0) +
            ", which has ended and is no longer kept: whether it succeeded is not known any more"});
    }
    std::string text = "the submission would close a cycle of tasks that wait for each other: ";
    for (const auto& name : names) text += name + " waits for ";
    if (names.size() < answer.others.size()) {
        text += std::to_string(answer.others.size() - names.size()) + " more, which wait for ";
    }
    co_return std::make_exception_ptr(dependency_cycle{text + names.at(0)});
}

}  // namespace errand
