-- The shelf in PostgreSQL. {day}: of which day; {ids}: as many ? as there are ids; {rows}, {notes}: as many rows of ? as there are.

-- name: make_spaces
-- Namespaces by a number, which stands in each row; what tells whether shelf and store belong together; and the format of the rows.
CREATE TABLE IF NOT EXISTS errand_shelf(
    name_space text PRIMARY KEY,
    space integer NOT NULL UNIQUE,
    format integer NOT NULL,
    mark bigint NOT NULL)

-- name: make_keys
-- Tasks whose id may be submitted again: one of each is on the shelf, and this says when it is due, and so where it is.
CREATE TABLE IF NOT EXISTS errand_shelf_key(
    due_at bigint NOT NULL,
    life bigint NOT NULL,
    space integer NOT NULL,
    id bytea NOT NULL,
    PRIMARY KEY(id, space))

-- name: make_notes
-- Rows that are brought out of turn, since when: whoever dies over it leaves a row that the store may have already.
CREATE TABLE IF NOT EXISTS errand_shelf_brought(
    noted_at bigint NOT NULL,
    space integer NOT NULL,
    id bytea NOT NULL,
    PRIMARY KEY(id, space))

-- name: make_arrived
-- What may be put there again, when it was submitted, and its life: until it is forgotten.
CREATE TABLE IF NOT EXISTS errand_shelf_arrived(
    came_at bigint NOT NULL,
    life bigint NOT NULL,
    space integer NOT NULL,
    id bytea NOT NULL,
    PRIMARY KEY(id, space, life))

-- name: make_day
-- What is due on one day, in ms since 1970. The order of columns is that which wastes nothing.
CREATE TABLE IF NOT EXISTS errand_shelf_d{day}(
    due_at bigint NOT NULL,
    space integer NOT NULL,
    id bytea NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY(id, space))

-- name: make_index
CREATE INDEX IF NOT EXISTS errand_shelf_d{day}_due ON errand_shelf_d{day}(space, due_at, id)

-- name: enter
INSERT INTO errand_shelf(name_space, space, format, mark)
SELECT ?::text, coalesce(max(space), 0) + 1, ?::integer, ?::bigint FROM errand_shelf ON CONFLICT DO NOTHING

-- name: days
SELECT tablename FROM pg_catalog.pg_tables
WHERE schemaname = ANY(current_schemas(false)) AND tablename LIKE 'errand\_shelf\_d%'

-- name: take
SELECT id, due_at, body FROM errand_shelf_d{day} WHERE space = ? AND id IN ({ids}) FOR UPDATE

-- name: choose
-- As take, but that a long body stays where it is: its length says whether there is room for it.
SELECT id, due_at, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_d{day} WHERE space = ? AND id IN ({ids}) FOR UPDATE

-- name: take_due
-- What others have is theirs. A page begins in the index, also where very many fall due at one time.
SELECT id, due_at, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_d{day}
WHERE space = ? AND due_at <= ? AND due_at >= ? AND (due_at, id) > (?, ?) ORDER BY due_at, id LIMIT ?
FOR UPDATE SKIP LOCKED

-- name: bound
-- Whoever has rows and is heard of no more, as when his machine lost its power, has them no longer.
SET LOCAL idle_in_transaction_session_timeout = '60s'

-- name: after
SELECT id, due_at, body FROM errand_shelf_d{day} WHERE space = ? AND due_at >= ? AND (due_at, id) > (?, ?)
ORDER BY due_at, id LIMIT ?

-- name: before
SELECT id, due_at, body FROM errand_shelf_d{day} WHERE space = ? AND due_at <= ? AND (due_at, id) < (?, ?)
ORDER BY due_at DESC, id DESC LIMIT ?

-- name: shut
-- Nobody else has it until the transaction ends. Not now where somebody has: all who look would wait behind who waits for it.
LOCK TABLE errand_shelf_d{day} IN ACCESS EXCLUSIVE MODE NOWAIT
