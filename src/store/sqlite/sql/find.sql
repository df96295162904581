-- find: what is known of a task beside its row.

-- name: claim
SELECT worker FROM errand_claim WHERE ns = ?1 AND number = ?2
