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
