-- revive: a task that ended otherwise than by success starts again.

-- name: start
UPDATE errand_task SET list = ?3, place = ?4, notes = ?5, outcome = NULL WHERE ns = ?1 AND id = ?2
