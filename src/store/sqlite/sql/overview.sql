-- overview: how many tasks of each queue are in which state, without looking at any.

-- name: sizes
SELECT list.queue, list.kind, sum(list.size) FROM errand_queue AS queue JOIN errand_list AS list
    ON list.queue = queue.k WHERE queue.ns = ?1 GROUP BY list.queue, list.kind

-- name: next_life
SELECT life FROM errand_task WHERE list = ?1 AND place IS NOT NULL ORDER BY place LIMIT 1

-- name: totals
SELECT name, success, dead, cancelled, expired, failed FROM errand_queue WHERE ns = ?1

-- name: tallies
SELECT unit, at, queue, success, dead, cancelled, expired, failed FROM errand_tally WHERE ns = ?1

-- name: workers
SELECT name, card, until FROM errand_worker WHERE ns = ?1 AND until > ?2 ORDER BY name
