-- beat: shows that a worker is alive, and keeps the tally of what happened.

-- name: alive
INSERT INTO errand_worker(ns, name, until, card) VALUES(?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET until = excluded.until, card = excluded.card

-- name: count
SELECT count(*) FROM errand_worker WHERE ns = ?1 AND until > ?2

-- name: until
SELECT until FROM errand_worker WHERE ns = ?1 AND name = ?2

-- name: has_tally
SELECT 1 FROM errand_tally WHERE ns = ?1 AND unit = ?2 AND at = ?3 LIMIT 1

-- name: tally
INSERT OR REPLACE INTO errand_tally(ns, unit, at, queue, success, dead, cancelled, expired, failed)
SELECT ns, ?2, ?3, name, success, dead, cancelled, expired, failed FROM errand_queue WHERE ns = ?1

-- name: forget_tally
DELETE FROM errand_tally WHERE ns = ?1 AND unit = ?2 AND at < ?3
