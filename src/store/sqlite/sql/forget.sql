-- forget: submissions that may come again, until they do not.

-- name: recall
SELECT 1 FROM errand_arrived WHERE ns = ?1 AND id = ?2 AND life = ?3

-- name: remember
INSERT INTO errand_arrived(ns, id, life, at) VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING

-- name: drop
DELETE FROM errand_arrived WHERE ns = ?1 AND id = ?2 AND life = ?3

-- name: drop_old
DELETE FROM errand_arrived WHERE ns = ?1 AND at < ?2
