-- News for tasks that depend on others.

-- name: announce
INSERT INTO errand_news(ns, id, what, at) VALUES(?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET at = excluded.at, token = NULL

-- name: find
SELECT at, token FROM errand_news WHERE ns = ?1 AND id = ?2 AND what = ?3

-- name: drop
DELETE FROM errand_news WHERE ns = ?1 AND id = ?2 AND what = ?3
