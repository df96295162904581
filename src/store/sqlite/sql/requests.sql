-- requests: those that are counted by a name, and take back of them.

-- name: counted
SELECT till, times FROM errand_request WHERE ns = ?1 AND name = ?2 ORDER BY till

-- name: count
INSERT INTO errand_request(ns, name, till, times, kept_until) VALUES(?1, ?2, ?3, 1, ?4)
ON CONFLICT(ns, name, till) DO UPDATE SET times = times + 1

-- name: drop
DELETE FROM errand_request WHERE ns = ?1 AND name = ?2 AND (till <= ?3 OR till > ?4)

-- name: forget
-- Of whatever name: those of one that nobody goes by any more would stay.
DELETE FROM errand_request WHERE ns = ?1 AND kept_until <= ?2

-- name: take_back
UPDATE errand_request SET times = times - 1 WHERE ns = ?1 AND name = ?2 AND till = ?3

-- name: drop_empty
DELETE FROM errand_request WHERE ns = ?1 AND name = ?2 AND till = ?3 AND times <= 0
