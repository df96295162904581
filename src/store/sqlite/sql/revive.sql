-- revive: a task that ended otherwise than by success starts again.

-- name: start
UPDATE errand_task SET list = ?3, place = ?4, notes = ?5, outcome = NULL WHERE ns = ?1 AND id = ?2

-- Its body is another one.
-- name: other
UPDATE errand_task SET priority = ?3, grp = ?4 WHERE ns = ?1 AND id = ?2
