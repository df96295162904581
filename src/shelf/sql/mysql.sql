-- The shelf in MariaDB and MySQL.
-- {space}, {day}: of which namespace and day; {ids}: as many ? as there are ids; {rows}, {triples}: as many rows of four
-- or three ? as there are.

-- name: make_spaces
-- Namespaces by a number, by which all else knows them; what tells whether shelf and store belong together; and the format of the rows.
CREATE TABLE IF NOT EXISTS errand_shelf(
    name_space VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    space INT NOT NULL UNIQUE,
    format INT NOT NULL,
    mark BIGINT NOT NULL) ENGINE = InnoDB

-- name: make_keys
-- Tasks whose id may be submitted again: one of each is on the shelf, and this says when it is due, and so where it is.
CREATE TABLE IF NOT EXISTS errand_shelf_key(
    due_at BIGINT NOT NULL,
    life BIGINT NOT NULL,
    space INT NOT NULL,
    id BINARY(16) NOT NULL,
    PRIMARY KEY(id, space)) ENGINE = InnoDB

-- name: make_notes
-- Rows that are brought out of turn, since when: whoever dies over it leaves a row that the store may have already.
CREATE TABLE IF NOT EXISTS errand_shelf_brought(
    noted_at BIGINT NOT NULL,
    space INT NOT NULL,
    id BINARY(16) NOT NULL,
    PRIMARY KEY(id, space)) ENGINE = InnoDB

-- name: make_arrived
-- What may be put there again, when it was submitted, and its life: until it is forgotten.
CREATE TABLE IF NOT EXISTS errand_shelf_arrived(
    came_at BIGINT NOT NULL,
    life BIGINT NOT NULL,
    space INT NOT NULL,
    id BINARY(16) NOT NULL,
    PRIMARY KEY(id, space, life)) ENGINE = InnoDB

-- name: make_day
-- What is due on one day, in ms since 1970, in one namespace.
CREATE TABLE IF NOT EXISTS errand_shelf_{space}_d{day}(
    due_at BIGINT NOT NULL,
    id BINARY(16) NOT NULL,
    body LONGBLOB NOT NULL,
    PRIMARY KEY(id),
    INDEX errand_shelf_due(due_at)) ENGINE = InnoDB

-- name: enter
INSERT IGNORE INTO errand_shelf(name_space, space, format, mark)
SELECT ?, coalesce(max(space), 0) + 1, ?, ? FROM errand_shelf

-- name: days
SELECT table_name FROM information_schema.tables
WHERE table_schema = database() AND table_name LIKE 'errand|_shelf|_{space}|_d%' ESCAPE '|'

-- name: put
INSERT IGNORE INTO errand_shelf_{space}_d{day}(id, due_at, body) VALUES {triples}

-- name: put_keys
INSERT IGNORE INTO errand_shelf_key(id, space, due_at, life) VALUES {rows}

-- name: keys
SELECT id, due_at, life FROM errand_shelf_key FORCE INDEX (PRIMARY) WHERE space = ? AND id IN ({ids})

-- name: arrived
SELECT id, life FROM errand_shelf_arrived FORCE INDEX (PRIMARY) WHERE space = ? AND id IN ({ids})

-- name: where
SELECT id, due_at FROM errand_shelf_{space}_d{day} FORCE INDEX (PRIMARY) WHERE id IN ({ids})

-- name: find
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} FORCE INDEX (PRIMARY) WHERE id IN ({ids})

-- name: take
-- By another way it would wait for rows that it does not want.
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} FORCE INDEX (PRIMARY) WHERE id IN ({ids}) FOR UPDATE

-- name: choose
-- As take, but that a long body stays where it is: its length says whether there is room for it.
SELECT id, due_at, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_{space}_d{day} FORCE INDEX (PRIMARY) WHERE id IN ({ids}) FOR UPDATE

-- name: take_due
-- What others have is theirs. In the order of the index, or all that is due would be locked.
SELECT id, due_at, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_{space}_d{day} FORCE INDEX (errand_shelf_due)
WHERE due_at < ? AND due_at >= ? AND (due_at > ? OR id > ?) ORDER BY due_at, id LIMIT ?
FOR UPDATE SKIP LOCKED

-- name: bound
-- Whoever has rows and is heard of no more, as when his machine lost its power, has them no longer; MySQL knows no such limit.
SET /*M!100300 SESSION idle_transaction_timeout = 60, */ @errand_bound = 1

-- name: put_notes
INSERT INTO errand_shelf_brought(id, space, noted_at) VALUES {triples}
ON DUPLICATE KEY UPDATE noted_at = VALUES(noted_at)

-- name: strike
-- Of this and the next ones the optimizer would read a whole table that it takes for a small one, and lock what others write there. Only
-- this form of a deletion is told an index, and MariaDB does what it is told only where the condition has a column that is not of it.
DELETE d FROM errand_shelf_{space}_d{day} d FORCE INDEX (PRIMARY) WHERE d.due_at IS NOT NULL AND d.id IN ({ids})

-- name: strike_keys
DELETE k FROM errand_shelf_key k FORCE INDEX (PRIMARY) WHERE k.life IS NOT NULL AND k.space = ? AND k.id IN ({ids})

-- name: strike_notes
DELETE n FROM errand_shelf_brought n FORCE INDEX (PRIMARY) WHERE n.noted_at IS NOT NULL AND n.space = ? AND n.id IN ({ids})

-- name: drop_notes
-- Nobody has noted it anew since.
DELETE n FROM errand_shelf_brought n FORCE INDEX (PRIMARY) WHERE n.space = ? AND n.noted_at <= ? AND n.id IN ({ids})

-- name: forget
-- Not by the lives in the key: of two lists there would be as many ways into it as there are pairs.
DELETE a FROM errand_shelf_arrived a FORCE INDEX (PRIMARY)
WHERE a.came_at IS NOT NULL AND a.space = ? AND a.id IN ({ids}) AND a.life + 0 IN ({ids})

-- name: after
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} FORCE INDEX (errand_shelf_due) WHERE due_at >= ? AND (due_at > ? OR id > ?)
ORDER BY due_at, id LIMIT ?

-- name: before
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} FORCE INDEX (errand_shelf_due) WHERE due_at <= ? AND (due_at < ? OR id < ?)
ORDER BY due_at DESC, id DESC LIMIT ?
