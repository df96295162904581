// The seam: each method is one operation.
#include "store/sqlite/sqlite_store.hpp"

#include <errand/error.hpp>

#include "store/inside.hpp"
#include "store/sqlite/engine_client.hpp"
#include "store/sqlite/operations.hpp"
#include "store/sqlite/stepwise_audit.hpp"

#include <chrono>

namespace errand::sqlite {
namespace {

constexpr bool only_reads = true;

constexpr int steps_of_untangling = 20;
constexpr std::chrono::milliseconds longest_untangling{2000};

class sqlite_store final : public store_inside {
public:
    sqlite_store(boost::asio::io_context& on, const store_settings& settings, std::shared_ptr<engine> at)
        : client_{on, settings, std::move(at)} {}

    awaitable<void> open() override {
        const bool any = co_await client_.ask({"open"}, [](operations& in) { return in.settings.any(); });
        any_settings_ = any;
    }
    void close() override { client_.close(); }
    void listen(store_listener* to) override { client_.listen(to); }
    void committed() override { client_.committed(); }
    const std::string& name() const override { return client_.name(); }
    time_point now() const override { return client_.now(); }

    awaitable<std::vector<submit_answer>> submit(std::size_t, std::span<const submission_item> items,
                                                 submit_mode mode) override {
        auto got = co_await client_.ask({.name = "submit", .adds = true, .tasks = items.size()},
                                        [=](operations& in) {
                                            auto one = in.submission.submit(items, mode);
                                            if (mode != submit_mode::ask)
                                                in.change.end_others(items, one.answers);
                                            return one;
                                        });
        // Some steps: who is busy asks again.
        try {
            auto steps = got.wrote ? 1 : steps_of_untangling;
            const auto until = std::chrono::steady_clock::now() + longest_untangling;
            for (const auto& id : got.tangled) {
                for (bool all = false; !all && steps > 0 && std::chrono::steady_clock::now() < until;
                     --steps) {
                    all = co_await client_.ask({"untangle"},
                                               [=](operations& in) { return in.submission.untangle(id); });
                }
            }
        } catch (const error&) {
            // What was submitted is, and the next one goes on with what is left.
        }
        co_return std::move(got.answers);
    }
    awaitable<void> forget(std::span<const delivered_task> tasks) override {
        return done({"forget"}, [=](operations& in) { in.submission.forget(tasks); });
    }
    awaitable<work_answer> work(const work_call& call) override {
        return client_.ask({.name = "work", .tasks = call.reports.size() + call.claim.limit},
                           [&call](operations& in) { return in.claim.work(call); });
    }
    awaitable<void> busy(std::span<const std::string> queues) override {
        return done({"busy", only_reads}, [=](operations& in) { in.places.busy(queues); });
    }
    awaitable<extend_answer> extend(const extend_call& call) override {
        return client_.ask({"extend"}, [&call](operations& in) { return in.claim.extend(call); });
    }
    awaitable<std::vector<yield_verdict>> yield_gates(std::span<const yield_wish> wishes) override {
        return client_.ask({.name = "yield gates", .tasks = wishes.size()},
                           [=](operations& in) { return in.claim.yield_gates(wishes); });
    }
    awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) override {
        return client_.ask({.name = "note", .adds = true}, [=, notes = std::move(notes)](operations& in) {
            return in.claim.note(id, claim, notes);
        });
    }
    awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                    std::string record) override {
        return client_.ask({"stage"}, [=, record = std::move(record)](operations& in) {
            return in.claim.stage(id, claim, life, record);
        });
    }
    awaitable<stages_answer> stages(const task_id& id, claim_number claim) override {
        return client_.ask({"stages", only_reads},
                           [=](operations& in) { return in.claim.stages(id, claim); });
    }
    awaitable<bundle_page> bundle(const task_id& carrier, const std::optional<task_id>& after) override {
        return client_.ask({"bundle"}, [=](operations& in) { return in.bundle.page(carrier, after); });
    }
    awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                      std::string_view expired) override {
        return client_.ask({"promote"},
                           [=](operations& in) { return in.maintain.promote(queues, limit, expired); });
    }
    awaitable<adopt_answer> adopt(const adopt_call& call) override {
        return client_.ask({"adopt"}, [&call](operations& in) { return in.claim.adopt(call); });
    }
    awaitable<recover_answer> recover(std::size_t limit, duration lease) override {
        return client_.ask({"recover"}, [=](operations& in) { return in.claim.recover(limit, lease); });
    }
    awaitable<std::size_t> clean(std::size_t limit) override {
        return client_.ask({"clean"}, [=](operations& in) { return in.maintain.clean(limit); });
    }
    awaitable<std::size_t> trim(std::size_t most, std::size_t limit) override {
        return client_.ask({"trim"}, [=](operations& in) { return in.maintain.trim(most, limit); });
    }
    awaitable<cancel_answer> cancel(const task_id& id, incarnation life, std::string_view outcome) override {
        return client_.ask({"cancel"}, [=](operations& in) { return in.change.cancel(id, life, outcome); });
    }
    awaitable<std::optional<found_task>> find(const task_id& id) override {
        return client_.ask({"find", only_reads}, [=](operations& in) { return in.inspect.find(id); });
    }
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override {
        return client_.ask({"watch"}, [=](operations& in) { return in.inspect.watch(tasks); });
    }
    awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                  std::span<const parent_task> parents) override {
        return client_.ask({.name = "enrol", .adds = true},
                           [=](operations& in) { return in.dependency.enrol(id, life, parents); });
    }
    awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                            std::span<const task_id> parents) override {
        return client_.ask({"depend"},
                           [=](operations& in) { return in.dependency.depend(child, mode, parents); });
    }
    awaitable<confirm_verdict> confirm(const task_id& id, incarnation life, bool walked) override {
        return client_.ask({"confirm"},
                           [=](operations& in) { return in.dependency.confirm(id, life, walked); });
    }
    awaitable<void> withdraw(const task_id& id, incarnation life) override {
        for (bool all = false; !all;) {
            all = co_await client_.ask({"withdraw"},
                                       [=](operations& in) { return in.dependency.withdraw(id, life); });
        }
    }
    awaitable<std::vector<links_page>> links(link kind, std::span<const links_from> from,
                                             bool of_waiting) override {
        return client_.ask({"links", only_reads},
                           [=](operations& in) { return in.dependency.links(kind, from, of_waiting); });
    }
    awaitable<news_answer> take_news(std::size_t limit, duration lease) override {
        return client_.ask({"news"}, [=](operations& in) { return in.dependency.take_news(limit, lease); });
    }
    awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                         std::string_view gathered) override {
        return client_.ask({"resolve"}, [=](operations& in) { return in.dependency.resolve(all, gathered); });
    }
    awaitable<void> delivered(std::span<const delivery> all) override {
        return done({"delivered"}, [=](operations& in) { in.dependency.delivered(all); });
    }
    awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                           std::string_view notes, std::string_view other_body) override {
        return client_.ask({"revive"}, [=](operations& in) {
            return in.dependency.revive(id, life, finished_at, notes, other_body);
        });
    }
    awaitable<overview_answer> overview() override {
        return client_.ask({"overview", only_reads}, [](operations& in) { return in.inspect.overview(); });
    }
    awaitable<totals_answer> happened(int /*days: it gives all*/) override {
        return client_.ask({"totals", only_reads}, [](operations& in) { return in.inspect.happened(); });
    }
    awaitable<std::vector<worker_card>> workers() override {
        return client_.ask({"workers", only_reads}, [](operations& in) { return in.inspect.workers(); });
    }
    awaitable<std::vector<task_list>> lists(state where, std::string_view queue) override {
        return client_.ask({"list", only_reads},
                           [=](operations& in) { return in.inspect.lists(where, queue); });
    }
    awaitable<list_answer> list(const list_call& call) override {
        return client_.ask({"list", only_reads}, [&call](operations& in) { return in.inspect.list(call); });
    }
    awaitable<std::vector<std::optional<time_point>>> heads(std::span<const list_call> calls) override {
        return client_.ask({"list", only_reads}, [calls](operations& in) { return in.inspect.heads(calls); });
    }
    awaitable<bool> pause(std::string_view queue) override {
        return client_.ask({"pause"}, [=](operations& in) { return in.places.pause(queue); });
    }
    awaitable<bool> resume(std::string_view queue) override {
        return client_.ask({"resume"}, [=](operations& in) { return in.places.resume(queue); });
    }
    awaitable<edit_verdict> edit(const edit_call& call) override {
        return client_.ask({.name = "edit", .adds = true},
                           [&call](operations& in) { return in.change.edit(call); });
    }
    awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) override {
        for (bool began = false;; began = true) {
            const auto end = co_await client_.ask({"remove"}, [=](operations& in) {
                return in.change.remove(id, outcome);
            });
            // Meanwhile it may have been deleted like all that nothing is kept of.
            if (end) co_return began && *end == remove_verdict::unknown ? remove_verdict::removed : *end;
        }
    }
    std::unique_ptr<auditor> audit(bool repair) override { return make_audit(client_, repair); }
    awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                std::span<const std::string> queues) override {
        return client_.ask({"beat"}, [=](operations& in) { return in.maintain.beat(card, ttl, queues); });
    }
    awaitable<void> leave(std::span<const std::string> queues) override {
        return done({"leave"}, [=](operations& in) {
            in.places.leave(queues);
            in.schedule.leave();
        });
    }

    awaitable<schedules_answer> due_schedules(std::size_t limit) override {
        return client_.ask({"due schedules", only_reads},
                           [=](operations& in) { return in.schedule.due(limit); });
    }
    awaitable<schedules_answer> find_schedules(std::span<const task_id> ids) override {
        return client_.ask({"find schedules", only_reads},
                           [=](operations& in) { return in.schedule.find(ids); });
    }
    awaitable<std::vector<step_verdict>> step_schedules(std::span<const schedule_step> steps) override {
        return client_.ask({.name = "step schedules", .tasks = steps.size()},
                           [=](operations& in) { return in.schedule.step(steps); });
    }
    awaitable<schedule_list> list_schedules(std::string after, std::size_t limit) override {
        return client_.ask({"list schedules", only_reads}, [=, after = std::move(after)](operations& in) {
            return in.schedule.list(after, limit);
        });
    }

    awaitable<void> declare_limits(std::span<const named_limit> limits) override {
        return done({"declare limits"}, [=](operations& in) { in.limit.declare(limits); });
    }
    awaitable<void> set_limit(const std::string& name, std::optional<limit_rule> rule) override {
        return done({"set limit"}, [&name, rule](operations& in) { in.limit.set(name, rule); });
    }
    awaitable<std::vector<limit_state>> limits() override {
        return client_.ask({"limits", only_reads}, [](operations& in) { return in.limit.list(); });
    }
    awaitable<std::vector<gate_waiters>> waiting_at(std::string name, std::size_t most) override {
        return client_.ask({"limits", only_reads}, [number = limit_number(name), most](operations& in) {
            return in.group.waiters_at(number, most);
        });
    }
    bool any_settings() const override { return any_settings_; }
    awaitable<settings_of_shards> settings() override {
        return client_.ask({"settings", only_reads}, [](operations& in) {
            settings_of_shards got;
            got.push_back(in.settings.all());
            return got;
        });
    }
    awaitable<std::string> find_settings(std::string handler) override {
        return client_.ask({"settings", only_reads}, [handler = std::move(handler)](operations& in) {
            return in.settings.find(handler);
        });
    }
    awaitable<bool> set_settings(settings_step step) override {
        return client_.ask({.name = "set settings", .adds = true},
                           [step = std::move(step)](operations& in) { return in.settings.set(step); });
    }
    awaitable<void> add_figures(std::span<const handler_count> counts) override {
        return done({.name = "add figures", .adds = true}, [=](operations& in) { in.figure.add(counts); });
    }
    awaitable<figures_answer> figures() override {
        return client_.ask({"figures", only_reads}, [](operations& in) { return in.figure.all(); });
    }
    awaitable<quota_answer> take_quota(quota_ask ask) override {
        return client_.ask({.name = "take quota", .adds = true},
                           [ask = std::move(ask)](operations& in) { return in.quota.take(ask); });
    }
    awaitable<request_answer> count_request(request_count of) override {
        return client_.ask({.name = "count request", .adds = true},
                           [of = std::move(of)](operations& in) { return in.request.count(of); });
    }
    awaitable<void> take_back_request(request_count of, std::int64_t mark) override {
        return done({"take back request"},
                    [of = std::move(of), mark](operations& in) { in.request.take_back(of, mark); });
    }

private:
    template <class Work>
    awaitable<void> done(call_options how, Work work) {
        co_await client_.ask(how, [&](operations& in) {
            work(in);
            return true;
        });
    }

    engine_client client_;
    bool any_settings_ = false;
};

}  // namespace
}  // namespace errand::sqlite

namespace errand {

std::unique_ptr<store> make_sqlite_store(boost::asio::io_context& on, store_settings settings) {
    return std::make_unique<sqlite::sqlite_store>(on, settings, sqlite::engine::of(settings));
}

std::unique_ptr<store_inside> open_inside(boost::asio::io_context& on, store_settings settings,
                                          ::sqlite3* connection) {
    // Whoever is in the way stays there for as long as the transaction lasts.
    settings.patience = duration{0};
    return std::make_unique<sqlite::sqlite_store>(on, settings, sqlite::engine::inside(settings, connection));
}

}  // namespace errand
