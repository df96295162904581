// All that can be done to one database, by subject, over the transaction that they share. What changes stands below what
// decides; each member knows only those that stand before it.
//
// Belongs to its engine's thread.
#pragma once

#include "store/sqlite/audit.hpp"
#include "store/sqlite/bundles.hpp"
#include "store/sqlite/changes.hpp"
#include "store/sqlite/claims.hpp"
#include "store/sqlite/dependencies.hpp"
#include "store/sqlite/figures.hpp"
#include "store/sqlite/handler_settings.hpp"
#include "store/sqlite/inspection.hpp"
#include "store/sqlite/limits.hpp"
#include "store/sqlite/maintenance.hpp"
#include "store/sqlite/quotas.hpp"
#include "store/sqlite/request_counts.hpp"
#include "store/sqlite/schedules.hpp"
#include "store/sqlite/submissions.hpp"

namespace errand::sqlite {

struct operations {
    operations(connection& on, idle_workers& of, clock_function clock, std::int64_t process, bool inside)
        : tx{on, of, std::move(clock), process, inside} {}
    operations(const operations&) = delete;
    operations& operator=(const operations&) = delete;

    // A call is made between these two.
    void enter(caller& by);
    void leave();

    // Looks for what others of this process wait for. Outside of a call; true: there is mail to be fetched.
    bool look_around();
    bool fetch_mail();

    transaction tx;

    gates gate{tx};
    groups group{tx, gate};
    task_rows tasks{tx, group};
    queues places{tx, group};
    edges links{tx, tasks};
    endings ends{tx, tasks, links};
    aside_tasks aside{tx, tasks};
    bundles bundle{tx, tasks, places, links, ends};

    submissions submission{tx, tasks, places, links};
    claims claim{tx, tasks, places, ends, aside, gate, group, bundle};
    dependencies dependency{tx, tasks, places, links, ends, aside, bundle};
    changes change{tx, tasks, places, links, ends, aside};
    maintenance maintain{tx, tasks, places, links, ends, aside, gate, group};
    inspection inspect{tx, tasks, links, gate};
    limits limit{tx, gate, group};
    schedules schedule{tx, places, submission};
    handler_settings settings{tx};
    quotas quota{tx};
    request_counts request{tx};
    figures figure{tx};
    audit checks{tx, tasks, places, links, aside, gate, group};
};

}  // namespace errand::sqlite
