-- settings: what is set of handlers at run time.

-- name: all
SELECT handler, record FROM errand_settings WHERE ns = ?1

-- name: record
SELECT record FROM errand_settings WHERE ns = ?1 AND handler = ?2

-- name: keep
INSERT INTO errand_settings(ns, handler, record) VALUES(?1, ?2, ?3)
ON CONFLICT(ns, handler) DO UPDATE SET record = excluded.record

-- name: drop
DELETE FROM errand_settings WHERE ns = ?1 AND handler = ?2

-- name: changed
UPDATE errand_name_space SET settings = ?2 WHERE k = ?1
