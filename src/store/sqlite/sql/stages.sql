-- stages: what is kept of the stages of a task.

-- name: read
SELECT life, record FROM errand_stage WHERE ns = ?1 AND id = ?2 ORDER BY place
