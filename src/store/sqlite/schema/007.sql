-- Limits: the gates of tasks, who holds them, and who waits for them.

ALTER TABLE errand_name_space ADD COLUMN slots INTEGER NOT NULL DEFAULT 0;
ALTER TABLE errand_task ADD COLUMN grp INTEGER;

CREATE TABLE errand_limit(
    ns INTEGER NOT NULL,
    number BLOB NOT NULL,               -- 8 bytes of a hash of its name
    name TEXT NOT NULL,
    declared TEXT,                      -- by the worker that started last
    chosen TEXT,                        -- at run time; goes before
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

ALTER TABLE errand_name_space ADD COLUMN settings INTEGER NOT NULL DEFAULT 0;

CREATE TABLE errand_settings(
    ns INTEGER NOT NULL,
    handler BLOB NOT NULL,
    record BLOB NOT NULL,
    UNIQUE(ns, handler)
);
