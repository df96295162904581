-- The shelf in a SQLite file.
-- {space}, {day}: of which namespace and day; {ids}: as many ? as there are ids; {rows}, {triples}: as many rows of four
-- or three ? as there are.

-- name: make_spaces
-- Namespaces by a number, by which all else knows them; what tells whether shelf and store belong together; and the format of the rows.
CREATE TABLE IF NOT EXISTS errand_shelf(
    name_space TEXT NOT NULL PRIMARY KEY,
    space INTEGER NOT NULL UNIQUE,
    format INTEGER NOT NULL,
    mark INTEGER NOT NULL)

-- name: make_keys
-- Tasks whose id may be submitted again: one of each is on the shelf, and this says when it is due, and so where it is.
CREATE TABLE IF NOT EXISTS errand_shelf_key(
    due_at INTEGER NOT NULL,
    life INTEGER NOT NULL,
    space INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY(id, space)) WITHOUT ROWID

-- name: make_notes
-- Rows that are brought out of turn, since when: whoever dies over it leaves a row that the store may have already.
CREATE TABLE IF NOT EXISTS errand_shelf_brought(
    noted_at INTEGER NOT NULL,
    space INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY(id, space)) WITHOUT ROWID

-- name: make_arrived
-- What may be put there again, when it was submitted, and its life: until it is forgotten.
CREATE TABLE IF NOT EXISTS errand_shelf_arrived(
    came_at INTEGER NOT NULL,
    life INTEGER NOT NULL,
    space INTEGER NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY(id, space, life)) WITHOUT ROWID

-- name: make_day
-- What is due on one day, in ms since 1970, in one namespace.
CREATE TABLE IF NOT EXISTS errand_shelf_{space}_d{day}(
    due_at INTEGER NOT NULL,
    id BLOB NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY(id)) WITHOUT ROWID

-- name: make_index
CREATE INDEX IF NOT EXISTS errand_shelf_{space}_d{day}_due ON errand_shelf_{space}_d{day}(due_at)

-- name: enter
INSERT INTO errand_shelf(name_space, space, format, mark)
SELECT ?, coalesce(max(space), 0) + 1, ?, ? FROM errand_shelf WHERE true ON CONFLICT DO NOTHING

-- name: days
SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'errand|_shelf|_{space}|_d%' ESCAPE '|'

-- name: take
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} WHERE id IN ({ids})

-- name: choose
-- As take, but that a long body stays where it is: its length says whether there is room for it.
SELECT id, due_at, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_{space}_d{day} WHERE id IN ({ids})

-- name: take_due
SELECT id, due_at, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_{space}_d{day}
WHERE due_at < ? AND due_at >= ? AND (due_at > ? OR id > ?) ORDER BY due_at, id LIMIT ?

-- name: after
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} WHERE due_at >= ? AND (due_at > ? OR id > ?)
ORDER BY due_at, id LIMIT ?

-- name: before
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} WHERE due_at <= ? AND (due_at < ? OR id < ?)
ORDER BY due_at DESC, id DESC LIMIT ?
