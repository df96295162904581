PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE errand_format(number INTEGER NOT NULL);
INSERT INTO errand_format VALUES(9);
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
INSERT INTO errand_name_space VALUES(1,'default',1795432826900001,5,0,0,7,1795432826900000,0,1795521803900101);
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
INSERT INTO errand_queue VALUES(1,1,'default',NULL,1,0,1,0,0);
CREATE TABLE errand_list(
    k INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    retention INTEGER NOT NULL,
    size INTEGER NOT NULL DEFAULT 0,
    UNIQUE(queue, kind, retention)
);
INSERT INTO errand_list VALUES(1,1,2,0,2);
INSERT INTO errand_list VALUES(2,1,3,0,1);
INSERT INTO errand_list VALUES(3,1,5,3283200000000,1);
INSERT INTO errand_list VALUES(4,1,0,0,1);
INSERT INTO errand_list VALUES(5,1,7,3283200000000,1);
INSERT INTO errand_list VALUES(6,1,1,0,1);
CREATE TABLE errand_body(n INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
INSERT INTO errand_body VALUES(1,X'010000000643706cbd30040764656661756c7404746573745b22787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878787878225d');
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
INSERT INTO errand_task VALUES(1,1,X'ebc87a09e78587f5a1f7538abcbe9024',3,1795432826900,NULL,0,1763000000000001,0,NULL,NULL,X'7300000000000002de413530000000000000000000003432',X'010000000643706cbd30010764656661756c7404746573745b305d',NULL);
INSERT INTO errand_task VALUES(2,1,X'5919aaf7af9a8b5d92ff5fb21fa7118f',2,NULL,1795432826900001,0,1763000000000002,0,NULL,NULL,NULL,X'010000000643706cbd30020764656661756c7404746573745b315d',NULL);
INSERT INTO errand_task VALUES(3,1,X'e88be02cdce48b7d836fa99671aadcd0',1,684547143360315395,NULL,0,1763000000000003,0,NULL,NULL,NULL,X'010000000643706cbd30030764656661756c7404746573745b325d',NULL);
INSERT INTO errand_task VALUES(4,1,X'60eaadc5289b8189a36e2114ee849722',1,684547143360315396,NULL,1,1763000000000004,0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO errand_task VALUES(5,1,X'e2118e30d03e8d3ca0a1f6d46782dc48',4,1795432826900,NULL,0,1763000000000005,0,NULL,NULL,NULL,X'020000000643706cbd30050764656661756c74047465737400025919aaf7af9a8b5d92ff5fb21fa7118ff9b2a400258e8007acfdb6621b7288995b335d',NULL);
INSERT INTO errand_task VALUES(6,1,X'f9b2a400258e8007acfdb6621b728899',5,1795432826900,NULL,0,1763000000000006,0,NULL,NULL,X'6300000000000002de41353000000000000000000000',X'010000000643706cbd30060764656661756c7404746573745b345d',NULL);
INSERT INTO errand_task VALUES(7,1,X'071691d5dc398ddf9c50882d0a38b91c',6,4916600000000,NULL,0,1763000000000007,0,NULL,NULL,NULL,X'010000000643706cbd30070764656661756c7404746573745b355d',NULL);
CREATE TABLE errand_claim(
    ns INTEGER NOT NULL,
    number INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    engine INTEGER NOT NULL,            -- of the process that the worker is in
    worker TEXT NOT NULL,
    tasks BLOB NOT NULL,                -- the ids, one after the other
    PRIMARY KEY(ns, number)
) WITHOUT ROWID;
INSERT INTO errand_claim VALUES(1,1795432826900001,1795432826901,9144543274462309546,'w',X'5919aaf7af9a8b5d92ff5fb21fa7118f');
CREATE TABLE errand_waiting(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    phase TEXT NOT NULL,
    rule TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY(ns, id)
) WITHOUT ROWID;
INSERT INTO errand_waiting VALUES(1,X'e2118e30d03e8d3ca0a1f6d46782dc48','w','c',0);
CREATE TABLE errand_link(
    ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    of BLOB NOT NULL,
    other BLOB NOT NULL,
    PRIMARY KEY(ns, kind, of, other)
) WITHOUT ROWID;
INSERT INTO errand_link VALUES(1,'c',X'5919aaf7af9a8b5d92ff5fb21fa7118f',X'e2118e30d03e8d3ca0a1f6d46782dc48');
INSERT INTO errand_link VALUES(1,'c',X'f9b2a400258e8007acfdb6621b728899',X'e2118e30d03e8d3ca0a1f6d46782dc48');
INSERT INTO errand_link VALUES(1,'n',X'e2118e30d03e8d3ca0a1f6d46782dc48',X'5919aaf7af9a8b5d92ff5fb21fa7118f');
INSERT INTO errand_link VALUES(1,'n',X'e2118e30d03e8d3ca0a1f6d46782dc48',X'f9b2a400258e8007acfdb6621b728899');
CREATE TABLE errand_news(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    what TEXT NOT NULL,
    at INTEGER NOT NULL,
    token INTEGER,
    schedule BLOB,
    PRIMARY KEY(ns, id, what)
) WITHOUT ROWID;
INSERT INTO errand_news VALUES(1,X'f9b2a400258e8007acfdb6621b728899','c',1795432826900,NULL,NULL);
CREATE TABLE errand_stage(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    place INTEGER NOT NULL,
    name BLOB NOT NULL,
    life INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY(ns, id, place)
) WITHOUT ROWID;
CREATE TABLE errand_watched(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    engine INTEGER NOT NULL,
    watcher TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY(ns, id, engine, watcher)
) WITHOUT ROWID;
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
CREATE TABLE errand_worker(
    ns INTEGER NOT NULL,
    name TEXT NOT NULL,
    until INTEGER NOT NULL,
    card TEXT NOT NULL,
    PRIMARY KEY(ns, name)
) WITHOUT ROWID;
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
INSERT INTO errand_schedule VALUES(1,X'00112233445566778899aabbccddeeff',X'680a6b65790a',4916600000000,X'0102030405060708000000000000000000000000000000000101');
CREATE TABLE errand_limit(
    ns INTEGER NOT NULL,
    number BLOB NOT NULL,               -- 8 bytes of a hash of its name
    name TEXT NOT NULL,
    declared TEXT,                      -- by the worker that started last
    chosen TEXT, waits_since INTEGER, waited INTEGER NOT NULL DEFAULT 0,                        -- at run time; goes before
    PRIMARY KEY(ns, number)
) WITHOUT ROWID;
INSERT INTO errand_limit VALUES(1,X'00d8d3f11739d2f3','mail','2 -','1 -',NULL,0);
CREATE TABLE errand_gate(
    ns INTEGER NOT NULL,
    gate BLOB NOT NULL,
    running INTEGER NOT NULL,
    kept INTEGER NOT NULL,              -- of its rate, ns
    PRIMARY KEY(ns, gate)
) WITHOUT ROWID;
CREATE TABLE errand_slot(
    ns INTEGER NOT NULL,
    claim INTEGER NOT NULL,
    id BLOB NOT NULL,
    gates BLOB NOT NULL,                -- with their kinds, one after the other
    PRIMARY KEY(ns, claim, id)
) WITHOUT ROWID;
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
CREATE TABLE errand_waiter(
    list INTEGER NOT NULL,
    grp INTEGER NOT NULL,
    place INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY(list, grp, place, id)
) WITHOUT ROWID;
CREATE TABLE errand_stop(
    ns INTEGER NOT NULL,
    gate BLOB NOT NULL,
    queue INTEGER NOT NULL,
    opens INTEGER,                      -- closed by its rate until then, ms
    let_go INTEGER NOT NULL,            -- a group that has not had its turn yet
    PRIMARY KEY(ns, gate, queue)
) WITHOUT ROWID;
CREATE TABLE errand_turn(
    queue INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    present INTEGER NOT NULL,
    plain INTEGER NOT NULL,
    PRIMARY KEY(queue, rank)
) WITHOUT ROWID;
CREATE TABLE errand_settings(
    ns INTEGER NOT NULL,
    handler BLOB NOT NULL,
    record BLOB NOT NULL,
    UNIQUE(ns, handler)
);
INSERT INTO errand_settings VALUES(1,X'6b657074',X'01da2afbcf733c010102086f70657261746f72f8d983d7c16801010106');
CREATE TABLE errand_bundle(
    ns INTEGER NOT NULL,
    key BLOB NOT NULL,                  -- 16 bytes of a hash of handler, queue and key
    carrier BLOB NOT NULL,
    begun INTEGER NOT NULL,             -- ms
    joined INTEGER NOT NULL,            -- items so far
    bytes INTEGER NOT NULL,             -- of their arguments
    PRIMARY KEY(ns, key)
) WITHOUT ROWID;
CREATE TABLE errand_quota(
    ns INTEGER PRIMARY KEY,
    tokens INTEGER NOT NULL,            -- of its bucket, millionths of a task
    filled INTEGER NOT NULL,            -- when that was so, us
    queued INTEGER NOT NULL,            -- as counted, and taken since
    counted INTEGER NOT NULL            -- when, us
);
CREATE TABLE errand_figure(
    ns INTEGER NOT NULL,
    period INTEGER NOT NULL,            -- since 1970
    handler BLOB NOT NULL,
    what INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY(ns, period, handler, what)
) WITHOUT ROWID;
CREATE TABLE errand_line(
    ns INTEGER NOT NULL,
    gate BLOB NOT NULL,                 -- as in errand_gate
    since INTEGER NOT NULL,             -- the order
    claim INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY(ns, gate, since)
) WITHOUT ROWID;
CREATE INDEX errand_task_place ON errand_task(list, place, id) WHERE place IS NOT NULL;
CREATE INDEX errand_task_expires ON errand_task(ns, expires) WHERE expires IS NOT NULL;
CREATE INDEX errand_claim_ends ON errand_claim(ns, ends);
CREATE INDEX errand_news_at ON errand_news(ns, at);
CREATE INDEX errand_mail_engine ON errand_mail(engine);
CREATE INDEX errand_schedule_look ON errand_schedule(ns, look) WHERE look IS NOT NULL;
CREATE INDEX errand_schedule_name ON errand_schedule(ns, name);
CREATE INDEX errand_group_turn ON errand_group(queue, rank, turn, since) WHERE gate IS NULL;
CREATE INDEX errand_group_parked ON errand_group(queue, gate, rank, since) WHERE gate IS NOT NULL;
CREATE INDEX errand_stop_opens ON errand_stop(queue, opens) WHERE opens IS NOT NULL;
CREATE INDEX errand_bundle_carrier ON errand_bundle(ns, carrier);
CREATE INDEX errand_line_task ON errand_line(ns, claim, id);
COMMIT;
