-- The shelf in PostgreSQL.
-- {space}, {day}: of which namespace and day; {begin}: when that begins, {place}: as below; {ids}: as many ? as there are ids; {rows}, {triples}: as many rows of four
-- or three ? as there are.

-- name: make_spaces
-- Namespaces by a number, by which all else knows them; what tells whether shelf and store belong together; and the format of the rows.
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

-- name: place
-- Where a row stands among those of its day: one number for the time and two bytes of the id, so that a page begins in the index also where
-- very many fall due at one time. An index of it is as small as one of the time alone, and less than half of one with the whole id.
((due_in::bigint << 16) + (get_byte(uuid_send(id), 6) << 8) + get_byte(uuid_send(id), 7))

-- name: make_day
-- What is due on one day in one namespace, in ms since the day began. Neither the order nor the types of the columns waste anything.
CREATE TABLE IF NOT EXISTS errand_shelf_{space}_d{day}(
    due_in integer NOT NULL,
    id uuid NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY(id))

-- name: make_index
CREATE INDEX IF NOT EXISTS errand_shelf_{space}_d{day}_due ON errand_shelf_{space}_d{day}({place})

-- name: enter
INSERT INTO errand_shelf(name_space, space, format, mark)
SELECT ?::text, coalesce(max(space), 0) + 1, ?::integer, ?::bigint FROM errand_shelf ON CONFLICT DO NOTHING

-- name: days
SELECT tablename FROM pg_catalog.pg_tables
WHERE schemaname = ANY(current_schemas(false)) AND tablename LIKE 'errand\_shelf\_{space}\_d%'

-- name: put
INSERT INTO errand_shelf_{space}_d{day}(id, due_in, body) VALUES {triples} ON CONFLICT DO NOTHING

-- name: where
SELECT id, due_in + {begin}::bigint FROM errand_shelf_{space}_d{day} WHERE id IN ({ids})

-- name: find
SELECT id, due_in + {begin}::bigint, body FROM errand_shelf_{space}_d{day} WHERE id IN ({ids})

-- name: count
SELECT count(*), min(due_in) + {begin}::bigint FROM errand_shelf_{space}_d{day}

-- name: take
SELECT id, due_in + {begin}::bigint, body FROM errand_shelf_{space}_d{day} WHERE id IN ({ids}) FOR UPDATE

-- name: choose
-- As take, but that a long body stays where it is: its length says whether there is room for it.
SELECT id, due_in + {begin}::bigint, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_{space}_d{day} WHERE id IN ({ids}) FOR UPDATE

-- name: take_due
-- What others have is theirs. Who looks behind a place may name more or less than an id, which is no UUID.
SELECT id, due_in + {begin}::bigint, CASE WHEN length(body) <= 4000 THEN body END, length(body)
FROM errand_shelf_{space}_d{day}
WHERE {place} < ? AND {place} >= ? AND ({place}, uuid_send(id)) > (?, ?) ORDER BY {place}, id LIMIT ?
FOR UPDATE SKIP LOCKED

-- name: bound
-- Whoever has rows and is heard of no more, as when his machine lost its power, has them no longer. And where a table has grown since it was
-- counted, the planner would read and sort all that is due for each page: what is read in the order of the index it sorts by parts still.
-- Version 12 knows no parts, and would only take what it must do for dearer than it is.
SELECT set_config('idle_in_transaction_session_timeout', '60s', true),
    set_config('enable_sort', CASE WHEN current_setting('server_version_num')::integer >= 130000 THEN 'off' ELSE 'on' END, true)

-- name: after
SELECT id, due_in + {begin}::bigint, body FROM errand_shelf_{space}_d{day} WHERE {place} >= ? AND ({place}, uuid_send(id)) > (?, ?)
ORDER BY {place}, id LIMIT ?

-- name: before
SELECT id, due_in + {begin}::bigint, body FROM errand_shelf_{space}_d{day} WHERE {place} <= ? AND ({place}, uuid_send(id)) < (?, ?)
ORDER BY {place} DESC, id DESC LIMIT ?

-- name: shut
-- Nobody else has it until the transaction ends. Not now where somebody has: all who look would wait behind who waits for it.
LOCK TABLE errand_shelf_{space}_d{day} IN ACCESS EXCLUSIVE MODE NOWAIT
