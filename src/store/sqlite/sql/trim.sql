-- trim: deletes the oldest ended tasks of a queue beyond so many.

-- name: sizes
SELECT list.queue, list.kind, sum(list.size) FROM errand_queue AS queue JOIN errand_list AS list
    ON list.queue = queue.k
WHERE queue.ns = ?1 AND list.kind BETWEEN 5 AND 8 GROUP BY list.queue, list.kind HAVING sum(list.size) > ?2

-- name: oldest
SELECT id, place FROM errand_task WHERE list = ?1 AND place IS NOT NULL ORDER BY place
