-- list: a page of tasks in one state, in order.

-- name: oldest
SELECT task.id, task.place, task.notes, task.outcome,
    coalesce(task.small, (SELECT bytes FROM errand_body WHERE n = task.body))
FROM errand_task AS task INDEXED BY errand_task_place
WHERE task.list = ?1 AND task.place IS NOT NULL AND (task.place, task.id) > (?2, ?3)
ORDER BY task.place, task.id LIMIT ?4

-- name: newest
SELECT task.id, task.place, task.notes, task.outcome,
    coalesce(task.small, (SELECT bytes FROM errand_body WHERE n = task.body))
FROM errand_task AS task INDEXED BY errand_task_place
WHERE task.list = ?1 AND task.place IS NOT NULL AND (task.place, task.id) < (?2, ?3)
ORDER BY task.place DESC, task.id DESC LIMIT ?4

-- name: claims
SELECT number, worker, tasks FROM errand_claim WHERE ns = ?1 AND number > ?2 ORDER BY number LIMIT ?3
