-- Bundles: items of one key that are run together.

-- name: find
SELECT carrier, begun, joined, bytes FROM errand_bundle WHERE ns = ?1 AND key = ?2

-- name: keep
INSERT OR REPLACE INTO errand_bundle(ns, key, carrier, begun, joined, bytes) VALUES(?1, ?2, ?3, ?4, ?5, ?6)

-- name: close
DELETE FROM errand_bundle WHERE ns = ?1 AND carrier = ?2

-- name: join
UPDATE errand_task SET list = ?3, place = ?4, claim = NULL WHERE ns = ?1 AND id = ?2

-- name: again
UPDATE errand_task SET list = ?3, place = ?4, notes = ?5 WHERE ns = ?1 AND id = ?2

-- name: place
UPDATE errand_task SET list = ?3, place = ?4, priority = ?5 WHERE ns = ?1 AND id = ?2
