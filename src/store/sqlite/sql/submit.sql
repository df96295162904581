-- submit: puts new tasks into their queues.

-- name: body
INSERT INTO errand_body(bytes) VALUES(?1)

-- name: task
INSERT INTO errand_task(ns, id, list, place, body, life, priority, expires, small, grp)
VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT DO NOTHING

-- name: again
UPDATE errand_task SET list = ?3, place = ?4, claim = NULL, life = ?5, priority = ?6, expires = ?7, notes = NULL,
    outcome = NULL, grp = ?8 WHERE ns = ?1 AND id = ?2
