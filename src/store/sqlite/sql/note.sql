-- note: replaces the notes of a task that the caller runs.

-- name: write
UPDATE errand_task SET notes = ?4 WHERE ns = ?1 AND id = ?2 AND claim = ?3
