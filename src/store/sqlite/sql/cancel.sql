-- cancel: ends a task that has not ended; its worker, if it has one, is told.

-- name: holder
SELECT engine, worker FROM errand_claim WHERE ns = ?1 AND number = ?2
