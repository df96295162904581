-- What is done with errand_outbox.

-- name: write
INSERT INTO errand_outbox(name_space, batch, place, written_at, format, task, handler, queue, biz_id, due_at, conflict,
    known, head, args) VALUES

-- name: row
-- A row of write.
(?, ?, ?, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: take
-- Those that were left behind: older than so many ms, in order, after this one (batch; batch, place: a pair alone is no range here). Their locks are of these rows alone, not of what commits
-- write beside them: see dialect::isolate.
SELECT batch, place, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) - written_at AS age, format, task, due_at, conflict, known, head, args
FROM errand_outbox
WHERE name_space = ? AND written_at <= CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) - ?
AND batch >= ? AND (batch, place) > (?, ?) ORDER BY batch, place LIMIT ?
FOR UPDATE SKIP LOCKED

-- name: strike
-- Rows as JSON: [["batch", place], …]. Each is looked up by its whole key, whatever is known of the table's size: any other way
-- locks what commits are writing, or the gap that the next one writes to.
DELETE o FROM JSON_TABLE(?, '$[*]' COLUMNS(
    batch CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', place BIGINT PATH '$[1]')) j
STRAIGHT_JOIN errand_outbox o FORCE INDEX (PRIMARY) ON o.name_space = ? AND o.batch = j.batch AND o.place = j.place

-- name: standing
-- Of rows as JSON those that are there.
SELECT o.batch, o.place FROM JSON_TABLE(?, '$[*]' COLUMNS(
    batch CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', place BIGINT PATH '$[1]')) j
STRAIGHT_JOIN errand_outbox o FORCE INDEX (PRIMARY) ON o.name_space = ? AND o.batch = j.batch AND o.place = j.place

-- name: holds
SELECT count(*) FROM errand_outbox WHERE name_space = ? AND batch = ? AND place = ?

-- name: backlog
SELECT count(*) AS backlog, coalesce(CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) - min(written_at), 0) AS oldest FROM errand_outbox WHERE name_space = ?
