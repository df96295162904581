-- stage: keeps the result of a stage with the task.

-- name: drop_others
DELETE FROM errand_stage WHERE ns = ?1 AND id = ?2 AND life <> ?3

-- name: has
SELECT 1 FROM errand_stage WHERE ns = ?1 AND id = ?2 AND name = ?3

-- name: add
INSERT INTO errand_stage(ns, id, place, name, life, record)
SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5 FROM errand_stage WHERE ns = ?1 AND id = ?2
