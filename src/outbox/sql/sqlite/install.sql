-- The tables that errand keeps in a user's database.

-- name: outbox
-- What was committed and is not yet known to the store, a row a task or declared schedule. A batch is what one
-- transaction submitted, its name
-- is a UUID that begins with the time; head and args together are the task.
CREATE TABLE IF NOT EXISTS errand_outbox(
    name_space TEXT NOT NULL,
    batch TEXT NOT NULL,
    place INTEGER NOT NULL,      -- in the batch
    written_at INTEGER NOT NULL, -- ms since 1970, by this database's clock
    format INTEGER NOT NULL,
    task TEXT NOT NULL,          -- its id
    handler TEXT NOT NULL,
    queue TEXT NOT NULL,
    biz_id TEXT,
    due_at INTEGER,              -- ms since 1970; NULL: at once
    conflict TEXT NOT NULL,      -- what happens when the id is held: keep, replace, reject or adopt
    known TEXT,                  -- of each task it depends on: 1 when that had been accepted
    head BLOB NOT NULL,          -- everything else that was submitted
    args TEXT NOT NULL,          -- JSON
    PRIMARY KEY(name_space, batch, place)
) WITHOUT ROWID

-- name: inbox
-- Effects that have happened: a task says so once, in the transaction of its own writes.
CREATE TABLE IF NOT EXISTS errand_inbox(
    name_space TEXT NOT NULL,
    task TEXT NOT NULL,          -- its id
    life INTEGER NOT NULL,       -- which of the lives of that id
    expires_at INTEGER NOT NULL, -- ms since 1970: not kept for longer, unless the task can still run
    PRIMARY KEY(name_space, task, life)
) WITHOUT ROWID

-- name: inbox_index
CREATE INDEX IF NOT EXISTS errand_inbox_expires ON errand_inbox(name_space, expires_at)
