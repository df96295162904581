-- What stands in a list of ready tasks around a place that one with a head start is to have.

-- name: body
SELECT coalesce(small, (SELECT bytes FROM errand_body WHERE n = task.body)) FROM errand_task AS task WHERE ns = ?1 AND id = ?2

-- The first one from a place on, and before another.
-- name: first_from
SELECT place, coalesce(small, (SELECT bytes FROM errand_body WHERE n = task.body)), notes
FROM errand_task AS task INDEXED BY errand_task_place
WHERE list = ?1 AND place >= ?2 AND place < ?3 ORDER BY place, id LIMIT 1

-- The place of the last one before a place, and not before another; NULL: there is none.
-- name: last_before
SELECT max(place) FROM errand_task INDEXED BY errand_task_place WHERE list = ?1 AND place < ?2 AND place >= ?3

-- Those from a place on, and before another.
-- name: rows_from
SELECT n, place FROM errand_task INDEXED BY errand_task_place
WHERE list = ?1 AND place >= ?2 AND place < ?3 ORDER BY place, id LIMIT ?4

-- name: move_row
UPDATE errand_task SET place = ?2 WHERE n = ?1
