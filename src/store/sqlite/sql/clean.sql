-- clean: deletes ended tasks whose retention is over, and what gone workers left behind.

-- name: over
SELECT id FROM errand_task WHERE list = ?1 AND place <= ?2 ORDER BY place LIMIT ?3

-- name: drop_list
DELETE FROM errand_list WHERE k = ?1 AND size = 0

-- name: workers
DELETE FROM errand_worker WHERE ns = ?1 AND until <= ?2

-- name: watched
DELETE FROM errand_watched WHERE ns = ?1 AND since < ?2

-- name: mail
DELETE FROM errand_mail WHERE at < ?1
