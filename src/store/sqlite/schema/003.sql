-- Submissions that may come again, from the outbox of a database, and have come.
CREATE TABLE arrived(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    life INTEGER NOT NULL,
    at INTEGER NOT NULL,                -- ms
    PRIMARY KEY(ns, id, life)
) WITHOUT ROWID;
