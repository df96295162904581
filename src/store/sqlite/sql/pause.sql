-- pause, resume: whether tasks of a queue are claimed.

-- name: set
UPDATE errand_queue SET paused = ?2 WHERE k = ?1
