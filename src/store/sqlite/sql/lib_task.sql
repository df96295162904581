-- The row of a task.

-- name: find
SELECT list, place, claim, body, life, priority, expires, notes, outcome, small, grp FROM errand_task
WHERE ns = ?1 AND id = ?2

-- name: body
SELECT bytes FROM errand_body WHERE n = ?1

-- name: move
UPDATE errand_task SET list = ?3, place = ?4 WHERE ns = ?1 AND id = ?2

-- name: end
UPDATE errand_task SET list = ?3, place = ?4, claim = NULL, expires = NULL, notes = NULL, outcome = ?5
WHERE ns = ?1 AND id = ?2

-- name: end_aside
UPDATE errand_task SET list = ?3, place = ?4, claim = NULL, expires = NULL, outcome = ?5
WHERE ns = ?1 AND id = ?2

-- name: drop
DELETE FROM errand_task WHERE ns = ?1 AND id = ?2

-- name: drop_body
DELETE FROM errand_body WHERE n = ?1

-- name: keep_small
UPDATE errand_task SET body = 0, small = ?3 WHERE ns = ?1 AND id = ?2

-- name: keep_large
UPDATE errand_task SET body = ?3, small = NULL WHERE ns = ?1 AND id = ?2

-- name: change_body
UPDATE errand_body SET bytes = ?2 WHERE n = ?1

-- name: first_place
SELECT min(place) FROM errand_task WHERE list = ?1 AND place IS NOT NULL

-- name: any_stage
SELECT 1 FROM errand_stage LIMIT 1

-- name: drop_stages
DELETE FROM errand_stage WHERE ns = ?1 AND id = ?2
