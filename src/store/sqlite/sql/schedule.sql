-- schedule: what is kept of schedules, and when they are to be looked at.

-- name: record
SELECT record FROM errand_schedule WHERE ns = ?1 AND id = ?2

-- name: keep
INSERT INTO errand_schedule(ns, id, name, look, record) VALUES(?1, ?2, ?3, ?4, ?5)
ON CONFLICT(ns, id) DO UPDATE SET name = excluded.name, look = excluded.look, record = excluded.record

-- name: drop
DELETE FROM errand_schedule WHERE ns = ?1 AND id = ?2

-- name: due
SELECT id, record FROM errand_schedule WHERE ns = ?1 AND look <= ?2 ORDER BY look LIMIT ?3

-- name: next
SELECT min(look) FROM errand_schedule WHERE ns = ?1 AND look > ?2

-- name: page
SELECT id, record, name FROM errand_schedule WHERE ns = ?1 AND name > ?2 ORDER BY name LIMIT ?3

-- How a run stands: where it is, and since when.
-- name: run
SELECT list, place FROM errand_task WHERE ns = ?1 AND id = ?2
