-- What is done with errand_outbox.

-- name: write
INSERT INTO errand_outbox(name_space, batch, place, written_at, format, task, handler, queue, biz_id, due_at, conflict,
    known, head, args) VALUES

-- name: row
-- A row of write.
(?, ?, ?, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: take
-- Those that were left behind: older than so many ms, in order, after this one (batch; batch, place).
SELECT batch, place, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - written_at AS age, format, task, due_at, conflict, known, head, args
FROM errand_outbox
WHERE name_space = $1 AND written_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $2
AND batch >= $3 AND (batch, place) > ($4, $5) ORDER BY batch, place LIMIT $6
FOR UPDATE SKIP LOCKED

-- name: strike
-- Rows as JSON: [["batch", place], …].
DELETE FROM errand_outbox o USING json_array_elements($1::json) j
WHERE o.name_space = $2 AND o.batch = j->>0 AND o.place = (j->>1)::bigint

-- name: standing
-- Of rows as JSON those that are there.
SELECT o.batch, o.place FROM errand_outbox o, json_array_elements($1::json) j
WHERE o.name_space = $2 AND o.batch = j->>0 AND o.place = (j->>1)::bigint

-- name: holds
SELECT count(*) FROM errand_outbox WHERE name_space = $1 AND batch = $2 AND place = $3

-- name: backlog
SELECT count(*) AS backlog, coalesce((extract(epoch FROM clock_timestamp()) * 1000)::bigint - min(written_at), 0) AS oldest FROM errand_outbox WHERE name_space = $1
