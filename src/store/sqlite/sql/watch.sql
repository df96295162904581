-- watch: asks to be told when tasks end.

-- name: add
INSERT INTO errand_watched(ns, id, engine, watcher, since) VALUES(?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET since = excluded.since

-- name: any
SELECT 1 FROM errand_watched LIMIT 1

-- name: watchers
SELECT engine, watcher FROM errand_watched WHERE ns = ?1 AND id = ?2

-- name: forget
DELETE FROM errand_watched WHERE ns = ?1 AND id = ?2

-- name: post
INSERT INTO errand_mail(engine, ns, name, what, id, life, at, outcome) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)

-- name: mail
SELECT k, ns, name, what, id, life, at, outcome FROM errand_mail WHERE engine = ?1 ORDER BY k LIMIT 1000

-- name: drop_mail
DELETE FROM errand_mail WHERE engine = ?1 AND k <= ?2
