-- promote: makes what is due ready, ends what was not started in time.

-- name: due
SELECT id, priority, notes IS NOT NULL, grp FROM errand_task WHERE list = ?1 AND place <= ?2 ORDER BY place LIMIT ?3

-- name: late
SELECT id FROM errand_task WHERE ns = ?1 AND expires <= ?2 ORDER BY expires LIMIT ?3

-- name: forget_expiry
UPDATE errand_task SET expires = NULL WHERE ns = ?1 AND id = ?2
