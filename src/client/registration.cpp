#include "client/registration.hpp"

#include <errand/error.hpp>

#include "core/random.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace errand {

namespace asio = boost::asio;

namespace {

constexpr std::size_t asked_per_call = 100;
constexpr std::size_t named_on_a_cycle = 20;

// From a task through what it waits for, breadth first, until it is met again or all has been seen.
class cycle_search {
public:
    cycle_search(store& in, const task_id& start) : in_{in}, start_{start} {}

    // The tasks on the cycle, the first one at the front; empty when there is none.
    awaitable<std::vector<task_id>> run() {
        reach(start_);
        for (std::size_t kind = 0; !open_[0].empty() || !open_[1].empty(); kind = 1 - kind) {
            if (open_[kind].empty()) continue;
            if (const auto last = co_await look(kind)) co_return way_to(*last);
        }
        co_return std::vector<task_id>{};
    }

private:
    // Failed ones count: a task may wait for their return, and they for what it would bring about.
    static constexpr std::array kinds{link::needs, link::failed};

    void reach(const task_id& id) {
        for (auto& of_kind : open_) of_kind.push_back({id, std::nullopt});
    }

    // One call. Returns the last task before the start, when that is met.
    awaitable<std::optional<task_id>> look(std::size_t kind) {
        auto& open = open_[kind];
        const auto n = std::min(open.size(), asked_per_call);
        const std::vector<links_from> asked(open.end() - static_cast<std::ptrdiff_t>(n), open.end());
        open.resize(open.size() - n);
        const auto pages = co_await in_.links(kinds[kind], asked, true);
        for (std::size_t at = 0; at < asked.size(); ++at) {
            if (at >= pages.size()) {
                open.push_back(asked[at]);
                continue;
            }
            const auto child = asked[at].of;
            for (const auto& parent : pages[at].others) {
                if (parent == start_) co_return child;
                if (came_from_.try_emplace(parent, child).second) reach(parent);
            }
            if (pages[at].more) open.push_back({child, pages[at].others.back()});
        }
        co_return std::nullopt;
    }

    std::vector<task_id> way_to(task_id last) const {
        std::vector<task_id> way{last};
        while (way.back() != start_) way.push_back(came_from_.at(way.back()));
        std::ranges::reverse(way);
        return way;
    }

    store& in_;
    task_id start_;
    std::array<std::vector<links_from>, 2> open_;  // of each kind
    std::unordered_map<task_id, task_id> came_from_;
};

awaitable<std::string> stored_name(store& in, task_id id) {
    const auto found = co_await in.find(id);
    if (!found) co_return to_text(id);
    const auto body = decode_body(found->body);
    co_return name_of(id, body.handler, body.biz_id);
}

}  // namespace

std::string name_of(const task_id& id, const std::string& handler, const std::optional<std::string>& biz_id) {
    auto text = handler + ' ' + to_text(id);
    if (biz_id) text += " (biz_id \"" + *biz_id + "\")";
    return text;
}

awaitable<void> pause_for_other(loop& there) {
    asio::steady_timer timer{there.executor(),
                             std::chrono::milliseconds{5 + static_cast<int>(random_unit() * 20)}};
    co_await timer.async_wait(asio::use_awaitable);
}

awaitable<submit_answer> settled(loop& there, submission_item item, submit_answer first) {
    auto answer = std::move(first);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{70};
    while (answer.verdict == submit_verdict::busy) {
        if (std::chrono::steady_clock::now() > until) {
            throw store_error{"task " + to_text(item.id) +
                              " was not submitted: another submission of its biz_id is not coming to an end"};
        }
        co_await pause_for_other(there);
        answer = co_await there.submissions().submit(item);
    }
    if (answer.verdict == submit_verdict::registering) co_return co_await completed(there, item);
    co_return answer;
}

awaitable<submit_answer> completed(loop& there, const submission_item& item) {
    auto& in = there.tasks();
    const auto life = incarnation_of(item.body);
    const task_id id = item.id;
    const std::span parents{item.after};
    for (auto at = store::parents_per_call; at < parents.size(); at += store::parents_per_call) {
        const auto part = parents.subspan(at, std::min(store::parents_per_call, parents.size() - at));
        const auto got = co_await in.enrol(id, life, part);
        if (!got.mine) break;
        if (!got.gone) continue;
        co_await in.withdraw(id, life);
        co_return submit_answer{submit_verdict::gone, 0, {*got.gone}};
    }
    for (bool walked = false;; walked = true) {
        const auto verdict = co_await in.confirm(id, life, walked);
        if (verdict == confirm_verdict::accepted) co_return submit_answer{submit_verdict::accepted, life};
        if (verdict == confirm_verdict::lost) break;
        auto cycle = co_await cycle_search{in, id}.run();
        if (cycle.empty()) continue;
        co_await in.withdraw(id, life);
        co_return submit_answer{submit_verdict::cycle, 0, std::move(cycle)};
    }
    throw store_error{"task " + to_text(id) +
                      " was not submitted: its registration took too long and was given up; submit it again"};
}

awaitable<std::exception_ptr> dependency_refusal(loop& there, submit_answer answer, task_names known) {
    auto& in = there.tasks();
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
