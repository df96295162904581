-- clean: deletes ended tasks whose retention is over, and what gone workers left behind.

-- name: over
SELECT id FROM errand_task WHERE list = ?1 AND place <= ?2 ORDER BY place LIMIT ?3

-- name: drop_list
DELETE FROM errand_list WHERE k = ?1 AND size = 0

-- Of the next queues, which have nothing in them, and nothing happened in them since the minute ?2 at the latest.
-- name: quiet
SELECT queue.k, queue.name, queue.paused IS NULL
    AND NOT EXISTS(SELECT 1 FROM errand_list AS list WHERE list.queue = queue.k AND list.size <> 0)
    AND EXISTS(SELECT 1 FROM errand_tally AS before WHERE before.ns = ?1 AND before.unit = 'm'
        AND before.at = (SELECT max(at) FROM errand_tally WHERE ns = ?1 AND unit = 'm' AND at <= ?2)
        AND before.queue = queue.name AND before.success = queue.success AND before.dead = queue.dead
        AND before.cancelled = queue.cancelled AND before.expired = queue.expired AND before.failed = queue.failed)
FROM (SELECT * FROM errand_queue WHERE ns = ?1 AND k > ?3 ORDER BY k LIMIT ?4) AS queue ORDER BY queue.k

-- name: drop_turns
DELETE FROM errand_turn WHERE queue = ?1

-- name: drop_queue
DELETE FROM errand_queue WHERE k = ?1

-- name: workers
DELETE FROM errand_worker WHERE ns = ?1 AND until <= ?2

-- name: watched
DELETE FROM errand_watched WHERE ns = ?1 AND since < ?2

-- name: mail
DELETE FROM errand_mail WHERE at < ?1
