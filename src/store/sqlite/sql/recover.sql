-- recover: takes over tasks whose lease has run out.

-- name: over
SELECT number, tasks FROM errand_claim WHERE ns = ?1 AND ends <= ?2 ORDER BY ends LIMIT ?3

-- name: first_end
SELECT min(ends) FROM errand_claim WHERE ns = ?1

-- name: held
SELECT notes, coalesce(small, (SELECT bytes FROM errand_body WHERE n = errand_task.body)), list FROM errand_task
WHERE ns = ?1 AND id = ?2 AND claim = ?3

-- name: hold
UPDATE errand_task SET claim = ?3 WHERE ns = ?1 AND id = ?2
