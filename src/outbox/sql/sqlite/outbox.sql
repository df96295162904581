-- What is done with errand_outbox.

-- name: write
INSERT INTO errand_outbox(name_space, batch, place, written_at, format, task, handler, queue, biz_id, due_at, conflict,
    known, head, args) VALUES

-- name: row
-- A row of write.
(?, ?, ?, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: take
-- Those that were left behind: older than so many ms, in order, after this one (batch; batch, place).
SELECT batch, place, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - written_at AS age, format, task, due_at, conflict, known, head, args
FROM errand_outbox
WHERE name_space = $1 AND written_at <= CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - $2
AND batch >= $3 AND (batch, place) > ($4, $5) ORDER BY batch, place LIMIT $6

-- name: strike
-- Rows as JSON: [["batch", place], …].
DELETE FROM errand_outbox WHERE (name_space, batch, place) IN (
    SELECT $2, json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each($1))

-- name: standing
-- Of rows as JSON those that are there.
SELECT batch, place FROM errand_outbox WHERE (name_space, batch, place) IN (
    SELECT $2, json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each($1))

-- name: holds
SELECT count(*) FROM errand_outbox WHERE name_space = $1 AND batch = $2 AND place = $3

-- name: backlog
SELECT count(*) AS backlog, coalesce(CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - min(written_at), 0) AS oldest FROM errand_outbox WHERE name_space = $1
