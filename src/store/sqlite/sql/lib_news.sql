-- News for tasks that depend on others, and for schedules.

-- name: announce
INSERT INTO errand_news(ns, id, what, at, schedule) VALUES(?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET at = excluded.at, token = NULL, schedule = excluded.schedule

-- name: find
SELECT at, token FROM errand_news WHERE ns = ?1 AND id = ?2 AND what = ?3

-- name: drop
DELETE FROM errand_news WHERE ns = ?1 AND id = ?2 AND what = ?3

-- name: of_run
SELECT 1 FROM errand_news WHERE ns = ?1 AND id = ?2 AND what = 'r' AND schedule = ?3

-- name: drop_of_run
DELETE FROM errand_news WHERE ns = ?1 AND id = ?2 AND what = 'r'
