-- edit: new arguments, due time or priority for a task that does not run.

-- name: write
UPDATE errand_task SET list = ?3, place = ?4, priority = ?5, expires = coalesce(?6, expires), grp = ?7, notes = coalesce(?8, notes)
WHERE ns = ?1 AND id = ?2
