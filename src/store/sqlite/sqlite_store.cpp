// The seam: each method is one call of the ledger.
#include "store/sqlite/sqlite_store.hpp"

#include <errand/error.hpp>

#include "store/inside.hpp"
#include "store/sqlite/audit.hpp"
#include "store/sqlite/engine_client.hpp"

namespace errand::sqlite {
namespace {

constexpr bool reads = true;

class sqlite_store final : public store_inside {
public:
    sqlite_store(boost::asio::io_context& on, const store_settings& settings, std::shared_ptr<engine> at)
        : client_{on, settings, std::move(at)} {}

    awaitable<void> open() override {
        return done({"open"}, [](ledger&) {});
    }
    void close() override { client_.close(); }
    void listen(store_listener* to) override { client_.listen(to); }
    void committed() override { client_.committed(); }
    const std::string& name() const override { return client_.name(); }
    time_point now() const override { return client_.now(); }

    awaitable<std::vector<submit_answer>> submit(std::size_t, std::span<const submission_item> items,
                                                 submit_mode mode) override {
        return client_.ask({.name = "submit", .adds = true, .tasks = items.size()},
                           [=](ledger& in) { return in.submit(items, mode); });
    }
    awaitable<void> forget(std::span<const delivered_task> tasks) override {
        return done({"forget"}, [=](ledger& in) { in.forget(tasks); });
    }
    awaitable<work_answer> work(const work_call& call) override {
        return client_.ask({.name = "work", .tasks = call.reports.size() + call.claim.limit},
                           [&call](ledger& in) { return in.work(call); });
    }
    awaitable<void> busy(std::span<const std::string> queues) override {
        return done({"busy", reads}, [=](ledger& in) { in.busy(queues); });
    }
    awaitable<extend_answer> extend(const extend_call& call) override {
        return client_.ask({"extend"}, [&call](ledger& in) { return in.extend(call); });
    }
    awaitable<report_verdict> note(const task_id& id, claim_number claim, std::string notes) override {
        return client_.ask({.name = "note", .adds = true},
                           [=, notes = std::move(notes)](ledger& in) { return in.note(id, claim, notes); });
    }
    awaitable<report_verdict> stage(const task_id& id, claim_number claim, incarnation life,
                                    std::string record) override {
        return client_.ask({"stage"}, [=, record = std::move(record)](ledger& in) {
            return in.stage(id, claim, life, record);
        });
    }
    awaitable<stages_answer> stages(const task_id& id, claim_number claim) override {
        return client_.ask({"stages", reads}, [=](ledger& in) { return in.stages(id, claim); });
    }
    awaitable<promote_answer> promote(std::span<const std::string> queues, std::size_t limit,
                                      std::string_view expired) override {
        return client_.ask({"promote"}, [=](ledger& in) { return in.promote(queues, limit, expired); });
    }
    awaitable<adopt_answer> adopt(const adopt_call& call) override {
        return client_.ask({"adopt"}, [&call](ledger& in) { return in.adopt(call); });
    }
    awaitable<recover_answer> recover(std::size_t limit, duration lease) override {
        return client_.ask({"recover"}, [=](ledger& in) { return in.recover(limit, lease); });
    }
    awaitable<std::size_t> clean(std::size_t limit) override {
        return client_.ask({"clean"}, [=](ledger& in) { return in.clean(limit); });
    }
    awaitable<std::size_t> trim(std::size_t most, std::size_t limit) override {
        return client_.ask({"trim"}, [=](ledger& in) { return in.trim(most, limit); });
    }
    awaitable<cancel_answer> cancel(const task_id& id, incarnation life, std::string_view outcome) override {
        return client_.ask({"cancel"}, [=](ledger& in) { return in.cancel(id, life, outcome); });
    }
    awaitable<std::optional<found_task>> find(const task_id& id) override {
        return client_.ask({"find", reads}, [=](ledger& in) { return in.find(id); });
    }
    awaitable<watch_answer> watch(std::span<const watched_task> tasks) override {
        return client_.ask({"watch"}, [=](ledger& in) { return in.watch(tasks); });
    }
    awaitable<enrol_answer> enrol(const task_id& id, incarnation life,
                                  std::span<const parent_task> parents) override {
        return client_.ask({.name = "enrol", .adds = true},
                           [=](ledger& in) { return in.enrol(id, life, parents); });
    }
    awaitable<std::vector<standing>> depend(const task_id& child, depend_mode mode,
                                            std::span<const task_id> parents) override {
        return client_.ask({"depend"}, [=](ledger& in) { return in.depend(child, mode, parents); });
    }
    awaitable<confirm_verdict> confirm(const task_id& id, incarnation life, bool walked) override {
        return client_.ask({"confirm"}, [=](ledger& in) { return in.confirm(id, life, walked); });
    }
    awaitable<void> withdraw(const task_id& id, incarnation life) override {
        return done({"withdraw"}, [=](ledger& in) { in.withdraw(id, life); });
    }
    awaitable<std::vector<links_page>> links(link kind, std::span<const links_from> from,
                                             bool of_waiting) override {
        return client_.ask({"links", reads}, [=](ledger& in) { return in.links(kind, from, of_waiting); });
    }
    awaitable<news_answer> take_news(std::size_t limit, duration lease) override {
        return client_.ask({"news"}, [=](ledger& in) { return in.take_news(limit, lease); });
    }
    awaitable<std::vector<std::vector<task_id>>> resolve(std::span<const resolution> all,
                                                         std::string_view gathered) override {
        return client_.ask({"resolve"}, [=](ledger& in) { return in.resolve(all, gathered); });
    }
    awaitable<void> delivered(std::span<const delivery> all) override {
        return done({"delivered"}, [=](ledger& in) { in.delivered(all); });
    }
    awaitable<bool> revive(const task_id& id, incarnation life, time_point finished_at,
                           std::string_view notes) override {
        return client_.ask({"revive"}, [=](ledger& in) { return in.revive(id, life, finished_at, notes); });
    }
    awaitable<overview_answer> overview() override {
        return client_.ask({"overview", reads}, [](ledger& in) { return in.overview(); });
    }
    awaitable<totals_answer> happened() override {
        return client_.ask({"totals", reads}, [](ledger& in) { return in.happened(); });
    }
    awaitable<std::vector<worker_card>> workers() override {
        return client_.ask({"workers", reads}, [](ledger& in) { return in.workers(); });
    }
    awaitable<std::vector<task_list>> lists(state where, std::string_view queue) override {
        return client_.ask({"list", reads}, [=](ledger& in) { return in.lists(where, queue); });
    }
    awaitable<list_answer> list(const list_call& call) override {
        return client_.ask({"list", reads}, [&call](ledger& in) { return in.list(call); });
    }
    awaitable<bool> pause(std::string_view queue) override {
        return client_.ask({"pause"}, [=](ledger& in) { return in.pause(queue); });
    }
    awaitable<bool> resume(std::string_view queue) override {
        return client_.ask({"resume"}, [=](ledger& in) { return in.resume(queue); });
    }
    awaitable<edit_verdict> edit(const edit_call& call) override {
        return client_.ask({.name = "edit", .adds = true}, [&call](ledger& in) { return in.edit(call); });
    }
    awaitable<remove_verdict> remove(const task_id& id, std::string_view outcome) override {
        return client_.ask({"remove"}, [=](ledger& in) { return in.remove(id, outcome); });
    }
    std::unique_ptr<auditor> audit(bool repair) override { return make_audit(client_, repair); }
    awaitable<beat_answer> beat(std::string_view card, duration ttl,
                                std::span<const std::string> queues) override {
        return client_.ask({"beat"}, [=](ledger& in) { return in.beat(card, ttl, queues); });
    }
    awaitable<void> leave(std::span<const std::string> queues) override {
        return done({"leave"}, [=](ledger& in) { in.leave(queues); });
    }

private:
    template <class Work>
    awaitable<void> done(call_options how, Work work) {
        co_await client_.ask(how, [&](ledger& in) {
            work(in);
            return true;
        });
    }

    engine_client client_;
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
