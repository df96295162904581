-- The tables that errand keeps in a user's database.

-- name: outbox
-- What was committed and is not yet known to the store, a row a task or declared schedule. A batch is what one
-- transaction submitted, its name
-- is a UUID that begins with the time; head and args together are the task.
CREATE TABLE IF NOT EXISTS errand_outbox(
    name_space VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    batch CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    place BIGINT NOT NULL,       -- in the batch
    written_at BIGINT NOT NULL,  -- ms since 1970, by this database's clock
    format BIGINT NOT NULL,
    task CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    handler TEXT CHARACTER SET utf8mb4 NOT NULL,
    queue TEXT CHARACTER SET utf8mb4 NOT NULL,
    biz_id TEXT CHARACTER SET utf8mb4,
    due_at BIGINT,               -- ms since 1970; NULL: at once
    conflict VARCHAR(8) NOT NULL, -- what happens when the id is held: keep, replace, reject or adopt
    known LONGTEXT,              -- of each task it depends on: 1 when that had been accepted
    head LONGBLOB NOT NULL,      -- everything else that was submitted
    args LONGTEXT CHARACTER SET utf8mb4 NOT NULL, -- JSON
    PRIMARY KEY(name_space, batch, place)
) ENGINE = InnoDB

-- name: inbox
-- Effects that have happened: a task says so once, in the transaction of its own writes.
CREATE TABLE IF NOT EXISTS errand_inbox(
    name_space VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    task CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    life BIGINT NOT NULL,        -- which of the lives of that id
    expires_at BIGINT NOT NULL,  -- ms since 1970: not kept for longer, unless the task can still run
    PRIMARY KEY(name_space, task, life),
    INDEX errand_inbox_expires(name_space, expires_at)
) ENGINE = InnoDB
