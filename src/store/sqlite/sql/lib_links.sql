-- Edges between tasks, and what waits.

-- name: any
SELECT 1 FROM errand_link LIMIT 1

-- name: any_of
SELECT 1 FROM errand_link WHERE ns = ?1 AND kind = ?2 AND of = ?3 LIMIT 1

-- name: page
SELECT other FROM errand_link WHERE ns = ?1 AND kind = ?2 AND of = ?3 AND other > ?4 ORDER BY other LIMIT ?5

-- name: count
SELECT count(*) FROM errand_link WHERE ns = ?1 AND kind = ?2 AND of = ?3

-- name: has
SELECT 1 FROM errand_link WHERE ns = ?1 AND kind = ?2 AND of = ?3 AND other = ?4

-- name: add
INSERT OR IGNORE INTO errand_link(ns, kind, of, other) VALUES(?1, ?2, ?3, ?4)

-- name: drop
DELETE FROM errand_link WHERE ns = ?1 AND kind = ?2 AND of = ?3 AND other = ?4

-- name: waiting
SELECT phase, rule, due FROM errand_waiting WHERE ns = ?1 AND id = ?2

-- name: wait
INSERT OR REPLACE INTO errand_waiting(ns, id, phase, rule, due) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: forget
DELETE FROM errand_waiting WHERE ns = ?1 AND id = ?2
