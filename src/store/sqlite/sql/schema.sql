-- What a file holds, format 10. A task is one row; the list it stands in says its state. All names begin with errand_, so
-- that tables of a user may stand in the same file.

CREATE TABLE errand_format(number INTEGER NOT NULL); -- of these tables; one row

CREATE TABLE errand_name_space(
    k INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    claim INTEGER NOT NULL DEFAULT 0,   -- the last claim number
    back INTEGER NOT NULL DEFAULT 0,    -- how many places were given at the ends of ready lists
    front INTEGER NOT NULL DEFAULT 0,   -- and before their heads
    token INTEGER NOT NULL DEFAULT 0,   -- of the news that were taken last
    layout INTEGER NOT NULL DEFAULT 0,  -- grows with every change of queues and lists
    clock INTEGER NOT NULL DEFAULT 0,   -- the latest time at which anything was written, us
    slots INTEGER NOT NULL DEFAULT 0,   -- how many hold gates
    settings INTEGER NOT NULL DEFAULT 0 -- another one after each change of what is set of handlers
);

CREATE TABLE errand_queue(
    k INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL,
    name TEXT NOT NULL,
    paused INTEGER,                     -- since then, ms
    success INTEGER NOT NULL DEFAULT 0, -- how often what happened so far
    dead INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    expired INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    UNIQUE(ns, name)
);

-- The tasks of a queue in one state; of an ended one for each length of retention. `kind` is the number of the state,
-- 9 of what is left of a success that still holds its biz_id. Of delayed tasks that stand aside until somebody comes who
-- knows their handler there is a list for each handler and priority: its `retention` is a number made of these. Of the
-- two lists of ready tasks that of `retention` 1 holds those that have gates.
CREATE TABLE errand_list(
    k INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    retention INTEGER NOT NULL,
    size INTEGER NOT NULL DEFAULT 0,
    UNIQUE(queue, kind, retention)
);

-- Large ones: written once, apart from what changes, so that they are not copied when their tasks move.
CREATE TABLE errand_body(n INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

CREATE TABLE errand_task(
    n INTEGER PRIMARY KEY,              -- by which it is found while this process works on it
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    list INTEGER NOT NULL,
    place INTEGER,                      -- its order in the list; null while it works
    claim INTEGER,                      -- while it works
    body INTEGER NOT NULL,              -- 0: it is small, and stands here
    life INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    expires INTEGER,                    -- ms, while it may expire
    notes BLOB,
    outcome BLOB,                       -- when it has ended
    small BLOB,                         -- its body, unless that is large
    grp INTEGER,                        -- of those with the same gates in its queue; null: it has none
    UNIQUE(ns, id)
);
CREATE INDEX errand_task_place ON errand_task(list, place, id) WHERE place IS NOT NULL;
CREATE INDEX errand_task_expires ON errand_task(ns, expires) WHERE expires IS NOT NULL;

-- One lease for all that a call claimed.
CREATE TABLE errand_claim(
    ns INTEGER NOT NULL,
    number INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    engine INTEGER NOT NULL,            -- of the process that the worker is in
    worker TEXT NOT NULL,
    tasks BLOB NOT NULL,                -- the ids, one after the other
    PRIMARY KEY(ns, number)
) WITHOUT ROWID;
CREATE INDEX errand_claim_ends ON errand_claim(ns, ends);

-- Tasks that depend on others, until they are free to run; phase: r registering, w waits, f cancelled because of one
-- they depend on. rule: c w r g; b: an item, in a bundle.
CREATE TABLE errand_waiting(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    phase TEXT NOT NULL,
    rule TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY(ns, id)
) WITHOUT ROWID;

-- Edges by the end from which they are looked for. n: child needs parent; f: parent ended otherwise than child needs;
-- c: parent is to tell child; s: parent has told child.
CREATE TABLE errand_link(
    ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    of BLOB NOT NULL,
    other BLOB NOT NULL,
    PRIMARY KEY(ns, kind, of, other)
) WITHOUT ROWID;

-- What has become of tasks that others depend on, to be told from `at` on; token: of whoever is telling it. what r: a run
-- of this schedule has ended.
CREATE TABLE errand_news(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    what TEXT NOT NULL,
    at INTEGER NOT NULL,
    token INTEGER,
    schedule BLOB,
    PRIMARY KEY(ns, id, what)
) WITHOUT ROWID;
CREATE INDEX errand_news_at ON errand_news(ns, at);

CREATE TABLE errand_stage(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    place INTEGER NOT NULL,
    name BLOB NOT NULL,
    life INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY(ns, id, place)
) WITHOUT ROWID;

-- Who hears of a task's end.
CREATE TABLE errand_watched(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    engine INTEGER NOT NULL,
    watcher TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY(ns, id, engine, watcher)
) WITHOUT ROWID;

-- What is to be told in other processes. what: e a watched task ended, c a task that its worker runs was cancelled.
CREATE TABLE errand_mail(
    k INTEGER PRIMARY KEY,
    engine INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    name TEXT NOT NULL,
    what TEXT NOT NULL,
    id BLOB NOT NULL,
    life INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome BLOB
);
CREATE INDEX errand_mail_engine ON errand_mail(engine);

CREATE TABLE errand_worker(
    ns INTEGER NOT NULL,
    name TEXT NOT NULL,
    until INTEGER NOT NULL,
    card TEXT NOT NULL,
    PRIMARY KEY(ns, name)
) WITHOUT ROWID;

-- The counters of queues as they stood in a minute (unit m) or at the end of a day (d), since 1970.
CREATE TABLE errand_tally(
    ns INTEGER NOT NULL,
    unit TEXT NOT NULL,
    at INTEGER NOT NULL,
    queue TEXT NOT NULL,
    success INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    expired INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY(ns, unit, at, queue)
) WITHOUT ROWID;

-- Submissions that may come again, from the outbox of a database, and have come.
CREATE TABLE errand_arrived(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    life INTEGER NOT NULL,
    at INTEGER NOT NULL,                -- ms
    PRIMARY KEY(ns, id, life)
) WITHOUT ROWID;

CREATE TABLE errand_schedule(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    name BLOB NOT NULL,                 -- its place in lists
    look INTEGER,                       -- when somebody is to look at it, ms
    record BLOB NOT NULL,
    UNIQUE(ns, id)
);
CREATE INDEX errand_schedule_look ON errand_schedule(ns, look) WHERE look IS NOT NULL;
CREATE INDEX errand_schedule_name ON errand_schedule(ns, name);

CREATE TABLE errand_limit(
    ns INTEGER NOT NULL,
    number BLOB NOT NULL,               -- 8 bytes of a hash of its name
    name TEXT NOT NULL,
    declared TEXT,                      -- by the worker that started last
    chosen TEXT,                        -- at run time; goes before
    waits_since INTEGER,                -- since when tasks wait because of it, ms; NULL: none does
    waited INTEGER NOT NULL DEFAULT 0,  -- how long some have before, ms
    PRIMARY KEY(ns, number)
) WITHOUT ROWID;

-- Limit and key, 16 bytes; only those that say more than one that nobody has passed.
CREATE TABLE errand_gate(
    ns INTEGER NOT NULL,
    gate BLOB NOT NULL,
    running INTEGER NOT NULL,
    kept INTEGER NOT NULL,              -- of its rate, ns
    PRIMARY KEY(ns, gate)
) WITHOUT ROWID;

-- The gates that a task holds, from its start until its claim lets go of it.
CREATE TABLE errand_slot(
    ns INTEGER NOT NULL,
    claim INTEGER NOT NULL,
    id BLOB NOT NULL,
    gates BLOB NOT NULL,                -- with their kinds, one after the other
    PRIMARY KEY(ns, claim, id)
) WITHOUT ROWID;

-- Ready tasks of a queue with the same gates. Each takes turns, or is parked at a gate.
CREATE TABLE errand_group(
    queue INTEGER NOT NULL,
    grp INTEGER NOT NULL,
    rank INTEGER NOT NULL,              -- of its first task: 9 - priority
    turn INTEGER NOT NULL,              -- virtual time
    since INTEGER NOT NULL,             -- the order among equals, and of those that are parked
    gate BLOB,                          -- at which it is parked, with its kind
    via BLOB,                           -- that has let it go, until it has had its turn
    PRIMARY KEY(queue, grp)
) WITHOUT ROWID;
CREATE INDEX errand_group_turn ON errand_group(queue, rank, turn, since) WHERE gate IS NULL;
CREATE INDEX errand_group_parked ON errand_group(queue, gate, rank, since) WHERE gate IS NOT NULL;

-- Its tasks, in their order. A table of its own, so that tasks without gates do not pay for an index.
CREATE TABLE errand_waiter(
    list INTEGER NOT NULL,
    grp INTEGER NOT NULL,
    place INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY(list, grp, place, id)
) WITHOUT ROWID;

-- Gates at which groups of a queue are parked: closed, or one of them was let go.
CREATE TABLE errand_stop(
    ns INTEGER NOT NULL,
    gate BLOB NOT NULL,
    queue INTEGER NOT NULL,
    opens INTEGER,                      -- closed by its rate until then, ms
    let_go INTEGER NOT NULL,            -- a group that has not had its turn yet
    PRIMARY KEY(ns, gate, queue)
) WITHOUT ROWID;
CREATE INDEX errand_stop_opens ON errand_stop(queue, opens) WHERE opens IS NOT NULL;

-- Virtual time of the groups of a priority, and where tasks without gates stand in it.
CREATE TABLE errand_turn(
    queue INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    present INTEGER NOT NULL,
    plain INTEGER NOT NULL,
    PRIMARY KEY(queue, rank)
) WITHOUT ROWID;
-- What is set of handlers at run time.
CREATE TABLE errand_settings(
    ns INTEGER NOT NULL,
    handler BLOB NOT NULL,
    record BLOB NOT NULL,
    UNIQUE(ns, handler)
);

-- Open bundles: the items of a key that are run together. A bundle is open until it is full or its carrier is claimed: as long
-- as that is delayed or ready, and has never run. Its items stand in `errand_waiting` with the rule b, and their place where others have their due time.
CREATE TABLE errand_bundle(
    ns INTEGER NOT NULL,
    key BLOB NOT NULL,                  -- 16 bytes of a hash of handler, queue and key
    carrier BLOB NOT NULL,
    begun INTEGER NOT NULL,             -- ms
    joined INTEGER NOT NULL,            -- items so far
    bytes INTEGER NOT NULL,             -- of their arguments
    PRIMARY KEY(ns, key)
) WITHOUT ROWID;
CREATE INDEX errand_bundle_carrier ON errand_bundle(ns, carrier);

-- What the quota of a namespace has let through.
CREATE TABLE errand_quota(
    ns INTEGER PRIMARY KEY,
    tokens INTEGER NOT NULL,            -- of its bucket, millionths of a task
    filled INTEGER NOT NULL,            -- when that was so, us
    queued INTEGER NOT NULL,            -- as counted, and taken since
    counted INTEGER NOT NULL            -- when, us
);

-- What became of the attempts of handlers in a period of ten minutes: how often what (core/attempt_figures.cpp).
CREATE TABLE errand_figure(
    ns INTEGER NOT NULL,
    period INTEGER NOT NULL,            -- since 1970
    handler BLOB NOT NULL,
    what INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY(ns, period, handler, what)
) WITHOUT ROWID;

-- Attempts that have waited for other tasks and go on as soon as their gates have room: before all that have not started. They
-- hold their gates in errand_slot already.
CREATE TABLE errand_line(
    ns INTEGER NOT NULL,
    gate BLOB NOT NULL,                 -- as in errand_gate
    since INTEGER NOT NULL,             -- the order
    claim INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY(ns, gate, since)
) WITHOUT ROWID;
CREATE INDEX errand_line_task ON errand_line(ns, claim, id);

-- Requests that are counted by a name, as those of a token with a rate.
CREATE TABLE errand_request(
    ns INTEGER NOT NULL,
    name BLOB NOT NULL,
    till INTEGER NOT NULL,              -- the last us of a time
    times INTEGER NOT NULL,             -- how many it had
    kept_until INTEGER NOT NULL,        -- us
    PRIMARY KEY(ns, name, till)
) WITHOUT ROWID;
CREATE INDEX errand_request_kept ON errand_request(ns, kept_until);
