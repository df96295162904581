-- The tables of a SQLite file as format 1 had them.
CREATE TABLE name_space(
    k INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    claim INTEGER NOT NULL DEFAULT 0,
    back INTEGER NOT NULL DEFAULT 0,
    front INTEGER NOT NULL DEFAULT 0,
    token INTEGER NOT NULL DEFAULT 0,
    layout INTEGER NOT NULL DEFAULT 0,
    clock INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE queue(
    k INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL,
    name TEXT NOT NULL,
    paused INTEGER,
    success INTEGER NOT NULL DEFAULT 0,
    dead INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    expired INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    UNIQUE(ns, name)
);
CREATE TABLE list(
    k INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    retention INTEGER NOT NULL,
    size INTEGER NOT NULL DEFAULT 0,
    UNIQUE(queue, kind, retention)
);
CREATE TABLE body(n INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE task(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    list INTEGER NOT NULL,
    place INTEGER,
    claim INTEGER,
    body INTEGER NOT NULL,
    life INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    expires INTEGER,
    notes BLOB,
    outcome BLOB,
    PRIMARY KEY(ns, id)
) WITHOUT ROWID;
CREATE INDEX task_place ON task(list, place) WHERE place IS NOT NULL;
CREATE INDEX task_expires ON task(ns, expires) WHERE expires IS NOT NULL;
CREATE TABLE claim(
    ns INTEGER NOT NULL,
    number INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    engine INTEGER NOT NULL,
    worker TEXT NOT NULL,
    tasks BLOB NOT NULL,
    PRIMARY KEY(ns, number)
) WITHOUT ROWID;
CREATE INDEX claim_ends ON claim(ns, ends);
CREATE TABLE waiting(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    phase TEXT NOT NULL,
    rule TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY(ns, id)
) WITHOUT ROWID;
CREATE TABLE link(
    ns INTEGER NOT NULL,
    kind TEXT NOT NULL,
    of BLOB NOT NULL,
    other BLOB NOT NULL,
    PRIMARY KEY(ns, kind, of, other)
) WITHOUT ROWID;
CREATE TABLE news(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    what TEXT NOT NULL,
    at INTEGER NOT NULL,
    token INTEGER,
    PRIMARY KEY(ns, id, what)
) WITHOUT ROWID;
CREATE INDEX news_at ON news(ns, at);
CREATE TABLE stage(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    place INTEGER NOT NULL,
    name BLOB NOT NULL,
    life INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY(ns, id, place)
) WITHOUT ROWID;
CREATE TABLE watched(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    engine INTEGER NOT NULL,
    watcher TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY(ns, id, engine, watcher)
) WITHOUT ROWID;
CREATE TABLE mail(
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
CREATE INDEX mail_engine ON mail(engine);
CREATE TABLE worker(
    ns INTEGER NOT NULL,
    name TEXT NOT NULL,
    until INTEGER NOT NULL,
    card TEXT NOT NULL,
    PRIMARY KEY(ns, name)
) WITHOUT ROWID;
CREATE TABLE tally(
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
