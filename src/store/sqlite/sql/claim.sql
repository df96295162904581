-- claim: a worker takes tasks from the heads of its queues. One that has lost its body stays, for a check-up.

-- name: heads
SELECT id, notes, coalesce(small, (SELECT bytes FROM errand_body WHERE n = task.body)), n
FROM errand_task AS task INDEXED BY errand_task_place
WHERE list = ?1 AND place IS NOT NULL AND (small IS NOT NULL OR EXISTS(SELECT 1 FROM errand_body WHERE n = task.body))
ORDER BY place, id LIMIT ?2

-- The first ?2 of those. OR FAIL: who fails rolls all back, so that the statement needs no journal of its own.
-- name: take
UPDATE OR FAIL errand_task SET list = ?3, place = NULL, claim = ?4 WHERE n IN (
    SELECT n FROM errand_task AS task INDEXED BY errand_task_place
    WHERE list = ?1 AND place IS NOT NULL AND (small IS NOT NULL OR EXISTS(SELECT 1 FROM errand_body WHERE n = task.body))
    ORDER BY place, id LIMIT ?2)

-- The same of those before a place.
-- name: heads_before
SELECT id, notes, coalesce(small, (SELECT bytes FROM errand_body WHERE n = task.body)), n
FROM errand_task AS task INDEXED BY errand_task_place
WHERE list = ?1 AND place < ?3 AND (small IS NOT NULL OR EXISTS(SELECT 1 FROM errand_body WHERE n = task.body))
ORDER BY place, id LIMIT ?2

-- Of a list of tasks that stand aside.
-- name: adoptable
SELECT id, notes, coalesce(small, (SELECT bytes FROM errand_body WHERE n = task.body)), n, grp
FROM errand_task AS task INDEXED BY errand_task_place
WHERE list = ?1 AND place IS NOT NULL AND (small IS NOT NULL OR EXISTS(SELECT 1 FROM errand_body WHERE n = task.body))
ORDER BY place, id LIMIT ?2

-- name: take_one
UPDATE errand_task SET list = ?2, place = NULL, claim = ?3 WHERE n = ?1

-- name: lease
INSERT INTO errand_claim(ns, number, ends, engine, worker, tasks) VALUES(?1, ?2, ?3, ?4, ?5, ?6)

-- name: any_ready
SELECT 1 FROM errand_task WHERE list = ?1 AND place IS NOT NULL LIMIT 1
