-- leave: a worker claims no more.

-- name: worker
DELETE FROM errand_worker WHERE ns = ?1 AND name = ?2
