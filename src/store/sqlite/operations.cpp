#include "store/sqlite/operations.hpp"

namespace errand::sqlite {

namespace {
// As many as `mail` reads (sql/watch.sql).
constexpr std::size_t letters_at_once = 1000;
}  // namespace

void operations::enter(caller& by) {
    tx.enter(by);
    gate.enter();
    group.enter();
    places.enter();
    aside.enter();
}

void operations::leave() {
    group.settle();
    places.wake_freed();
    places.wake_let_go();
    if (group.take_opened()) aside.tell_adopters_of_opened();
    gate.write();
    group.write();
    aside.tell_adopters_of_new();
    tx.leave();
}

bool operations::look_around() {
    for (const auto& [ns, queue] : tx.idle.waited_for()) {
        tx.open_namespace(ns);
        auto* known = tx.cache().find_queue(queue);
        if (!known || known->paused) continue;
        const auto first = places.earliest(*known);
        const auto keeper = tx.idle.timekeepers.find({ns, queue});
        const bool sooner = first && (keeper == tx.idle.timekeepers.end() || *first < keeper->second.due);
        if (sooner || places.any_ready(known)) places.wake(queue, 1);
    }
    std::set<std::int64_t> of_adopters;
    for (const auto& one : tx.idle.adopters()) of_adopters.insert(one.who->ns);
    for (const auto ns : of_adopters) {
        tx.open_namespace(ns);
        aside.tell_adopters();
    }
    std::set<std::int64_t> of_schedules;
    for (const auto& one : tx.idle.schedule_watchers()) of_schedules.insert(one.who->ns);
    for (const auto ns : of_schedules) {
        tx.open_namespace(ns);
        schedule.tell_of_others();
    }
    for (const auto ns : tx.idle.news_waited_for()) {
        tx.open_namespace(ns);
        auto rows = tx.sql.any_news_due(ns, tx.now());
        if (!rows.next()) continue;
        if (auto* one = tx.idle.take_resolver(ns)) tx.notify(*one, notice::kind::news);
    }
    return tx.sql.mail(tx.process).next();
}

bool operations::fetch_mail() {
    std::int64_t last = 0;
    std::size_t letters = 0;
    for (auto rows = tx.sql.mail(tx.process); rows.next();) {
        ++letters;
        last = rows.number(0);
        auto* to = tx.idle.find(rows.number(1), rows.bytes(2));
        if (!to) continue;
        const auto what = rows.bytes(3);
        tx.notify(*to,
                  what == "e"   ? notice::kind::ended
                  : what == "g" ? notice::kind::may_go_on
                                : notice::kind::cancelled,
                  {.id = *task_id::from_bytes(rows.bytes(4)),
                   .life = static_cast<incarnation>(rows.number(5)),
                   .finished_at = time_point{duration{rows.number(6)}},
                   .outcome = std::string{rows.bytes(7)}});
    }
    tx.sql.drop_mail.run(tx.process, last);
    return letters == letters_at_once;
}

}  // namespace errand::sqlite
