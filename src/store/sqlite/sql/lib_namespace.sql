-- Namespaces, queues and lists: what stands once for many tasks.

-- name: find_name_space
SELECT k FROM errand_name_space WHERE name = ?1

-- name: make_name_space
INSERT INTO errand_name_space(name) VALUES(?1)

-- name: read
SELECT claim, back, front, token, layout, clock, slots, settings FROM errand_name_space WHERE k = ?1

-- name: write
UPDATE errand_name_space SET claim = ?2, back = ?3, front = ?4, token = ?5, layout = ?6, clock = ?7,
    slots = ?8 WHERE k = ?1

-- name: queues
SELECT k, name, paused FROM errand_queue WHERE ns = ?1

-- name: lists
SELECT list.k, list.queue, list.kind, list.retention FROM errand_queue AS queue JOIN errand_list AS list
    ON list.queue = queue.k WHERE queue.ns = ?1

-- name: make_queue
INSERT INTO errand_queue(ns, name) VALUES(?1, ?2)

-- name: drop_orphans
DELETE FROM errand_list WHERE queue = ?1

-- A number under which no task stands, also when a list is missing.
-- name: make_list
INSERT INTO errand_list(k, queue, kind, retention) VALUES(
    1 + max((SELECT coalesce(max(k), 0) FROM errand_list),
            (SELECT coalesce(max(list), 0) FROM errand_task WHERE place IS NOT NULL)), ?1, ?2, ?3)

-- name: grow
UPDATE errand_list SET size = size + ?2 WHERE k = ?1

-- name: count
UPDATE errand_queue SET success = success + ?2, dead = dead + ?3, cancelled = cancelled + ?4, expired = expired + ?5,
    failed = failed + ?6 WHERE k = ?1
