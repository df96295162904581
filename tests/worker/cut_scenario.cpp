#include "worker/cut_scenario.hpp"

#include "runtime/app_core.hpp"

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace cut_test {

using namespace std::chrono_literals;
using errand::awaitable;

namespace {

errand::options named(const std::string& name) { return {.biz_id = name}; }

awaitable<void> pause_once(errand::task_context& self) {
    bool first = false;
    co_await self.stage("slept", [&]() -> awaitable<void> {
        first = true;
        co_return;
    });
    if (first) throw errand::snooze{1ms};
}

awaitable<void> in_stages(errand::task_context& self, const errand::proxy<act>& more) {
    for (const auto* name : {"one", "two"}) {
        co_await self.stage(name, [&, name]() -> awaitable<void> {
            book->add(name, self.id());
            co_return;
        });
    }
    co_await self.stage("child", [&]() -> awaitable<void> { co_await more.perform_async("plain"); });
}

awaitable<void> commit_two(errand::app& app, const errand::proxy<act>& more) {
    co_await errand::transaction(app, [&]() -> awaitable<void> {
        co_await more.with(named("held back 1")).perform_async("plain");
        co_await more.with(named("held back 2")).perform_async("plain");
    });
}

}  // namespace

awaitable<int> act::perform(std::string what) {
    auto& self = co_await errand::this_task();
    book->add("ran", self.id());
    if (what == "fails" && self.attempt() == 1) throw std::runtime_error{"no route to host"};
    if (what == "dies") throw errand::discard{"no such host"};
    if (what == "snoozes") co_await pause_once(self);
    if (what == "stages") co_await in_stages(self, more);
    if (what == "awaits") co_await co_await more.with(named("awaited")).perform_async("plain");
    if (what == "cancels") co_await app.inspect().cancel(more.ref("victim").id());
    if (what == "commits") co_await commit_two(app, more);
    co_return 1;
}

const std::vector<expected>& all_expected() {
    static const std::vector<expected> all{
        {"plain"},
        {"urgent"},
        {"most urgent"},
        {"delayed"},
        {"fails", state::success, 2, true},
        {"dies", state::dead},
        {"snoozes", state::success, 2, true},
        {"stages"},
        {"awaits"},
        {"awaited"},
        {"cancels"},
        {"victim", state::cancelled, 0},
        {"commits"},
        {"held back 1"},
        {"held back 2"},
        {"after a failure"},
        {"after a death", state::cancelled, 0},
        {"after that", state::cancelled, 0},
        {"whatever comes"},
        {"member 1"},
        {"member 2", state::success, 2, true},
        {"after the group"},
        {"together 1"},
        {"together 2"},
    };
    return all;
}

std::string id_of(errand::app& app, const std::string& name) { return app.handler<act>().ref(name).id(); }

void submit_all(errand::app& app) {
    const auto to = app.handler<act>();
    const auto add = [&](const std::string& name, const std::string& what, errand::options extra = {}) {
        extra.biz_id = name;
        app.block_on(to.with(std::move(extra)).perform_async(what));
    };
    // Those that depend come first: what they wait for does not exist yet.
    add("after a failure", "plain", {.after = {to.ref("fails"), to.ref("snoozes")}});
    add("after a death", "plain", {.after = {to.ref("plain"), to.ref("dies")}});
    add("after that", "plain", {.after = {to.ref("after a death")}});
    add("whatever comes", "plain", {.after = {to.ref("dies")}, .on_failed_dependency = errand::run});
    for (const auto* what : {"plain", "fails", "dies", "snoozes", "stages", "awaits", "cancels", "commits"})
        add(what, what);
    add("urgent", "plain", {.priority = 3});
    add("most urgent", "plain", {.priority = 9});
    add("delayed", "plain", {.delay = 20ms});
    add("victim", "plain", {.delay = 1h});
    const std::vector members{to.with(named("member 1")).plan("plain"),
                              to.with(named("member 2")).plan("fails")};
    app.block_on(
        errand::chain(errand::group(members), to.with(named("after the group")).plan("plain")).submit());
    app.block_on(errand::transaction(app, [&]() -> awaitable<void> {
        co_await to.with(named("together 1")).perform_async("plain");
        co_await to.with(named("together 2")).perform_async("plain");
    }));
}

std::map<std::string, int> counted(const std::string& what) {
    std::map<std::string, int> all;
    std::ifstream file{book->path()};
    for (std::string line; std::getline(file, line);) {
        std::string word;
        std::string id;
        std::istringstream{line} >> word >> id;
        if (word == what) ++all[id];
    }
    return all;
}

void scissors::attach(errand::app& app) {
    if (kills_) {
        errand::detail::core_of(app).events.subscribe([](const errand::event& what) {
            if (what.kind == errand::event_kind::report_accepted) book->add("done", what.task);
        });
    }
    app.around_perform([this](errand::task_context& self, errand::next_step next) {
        return around(self, std::move(next));
    });
}

awaitable<void> scissors::around(errand::task_context& self, errand::next_step next) {
    if (where_ == place::before_the_handler) co_await pass();
    book->add("begun", self.id());
    std::exception_ptr failure;
    try {
        co_await next();
    } catch (...) {
        failure = std::current_exception();
    }
    if (where_ == place::after_the_handler) co_await pass();
    // A worker that stops delivers its reports; of one that is killed only those count that the store has accepted.
    // Who is told to stop may have got to its end all the same.
    if (!kills_ && (!failure || !self.cancelled())) book->add("done", self.id());
    if (failure) std::rethrow_exception(failure);
}

awaitable<void> scissors::pass() {
    if (++passed_ < at_) co_return;
    if (kills_) ::_exit(0);
    reached_ = true;
    co_await worker_test::sleep(1h);  // until the worker stops
}

}  // namespace cut_test

ERRAND_DEFINE_HANDLER(cut_test::act)
