-- news: takes news that are to be delivered.

-- name: take
SELECT id, what, schedule FROM errand_news WHERE ns = ?1 AND at <= ?2 ORDER BY at LIMIT ?3

-- name: put_off
UPDATE errand_news SET at = ?4, token = ?5 WHERE ns = ?1 AND id = ?2 AND what = ?3

-- name: next
SELECT min(at) FROM errand_news WHERE ns = ?1

-- name: any_due
SELECT 1 FROM errand_news WHERE ns = ?1 AND at <= ?2 LIMIT 1
