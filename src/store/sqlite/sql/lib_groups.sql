-- Groups: tasks with the same gates that wait for their turn. Each takes turns or is parked at a gate that was closed; stops are
-- the gates at which groups of a queue are parked.

-- name: find
SELECT rank, gate, via FROM errand_group WHERE queue = ?1 AND grp = ?2

-- name: add
INSERT INTO errand_group(queue, grp, rank, turn, since) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: drop
DELETE FROM errand_group WHERE queue = ?1 AND grp = ?2

-- name: rank
UPDATE errand_group SET rank = ?3, turn = ?4 WHERE queue = ?1 AND grp = ?2

-- name: started
UPDATE errand_group SET rank = ?3, turn = ?4, since = ?5, via = NULL WHERE queue = ?1 AND grp = ?2

-- name: park
UPDATE errand_group SET gate = ?3, via = NULL, since = ?4 WHERE queue = ?1 AND grp = ?2

-- name: let_go
UPDATE errand_group SET gate = NULL, via = ?3, turn = ?4 WHERE queue = ?1 AND grp = ?2

-- name: first
SELECT grp, rank, turn, since, via FROM errand_group INDEXED BY errand_group_turn
WHERE queue = ?1 AND gate IS NULL ORDER BY rank, turn, since LIMIT 1

-- name: first_turn
SELECT min(turn) FROM errand_group INDEXED BY errand_group_turn WHERE queue = ?1 AND gate IS NULL AND rank = ?2

-- name: first_parked
SELECT grp, rank, turn, since FROM errand_group INDEXED BY errand_group_parked
WHERE queue = ?1 AND gate = ?2 ORDER BY rank, since LIMIT 1

-- name: stop
SELECT let_go FROM errand_stop WHERE ns = ?1 AND gate = ?2 AND queue = ?3

-- name: keep_stop
INSERT INTO errand_stop(ns, gate, queue, opens, let_go) VALUES(?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET opens = excluded.opens, let_go = excluded.let_go

-- A group was parked there; one that was let go is still on its way.
-- name: park_at
INSERT INTO errand_stop(ns, gate, queue, opens, let_go) VALUES(?1, ?2, ?3, ?4, 0)
ON CONFLICT DO UPDATE SET opens = excluded.opens

-- name: drop_stop
DELETE FROM errand_stop WHERE ns = ?1 AND gate = ?2 AND queue = ?3

-- name: stops
SELECT gate, queue, let_go FROM errand_stop WHERE ns = ?1 AND gate BETWEEN ?2 AND ?3

-- name: due_stops
SELECT gate FROM errand_stop INDEXED BY errand_stop_opens WHERE queue = ?1 AND opens <= ?2 LIMIT ?3

-- name: next_opening
SELECT min(opens) FROM errand_stop INDEXED BY errand_stop_opens WHERE queue = ?1 AND opens IS NOT NULL

-- name: time
SELECT present, plain FROM errand_turn WHERE queue = ?1 AND rank = ?2

-- name: keep_time
INSERT OR REPLACE INTO errand_turn(queue, rank, present, plain) VALUES(?1, ?2, ?3, ?4)

-- name: wait
INSERT OR IGNORE INTO errand_waiter(list, grp, place, id) VALUES(?1, ?2, ?3, ?4)

-- name: leave
DELETE FROM errand_waiter WHERE list = ?1 AND grp = ?2 AND place = ?3

-- One that has lost its body stays, for a check-up.
-- name: head
SELECT task.id, task.notes, coalesce(task.small, (SELECT bytes FROM errand_body WHERE n = task.body)), task.n, task.place
FROM errand_waiter AS waiter CROSS JOIN errand_task AS task
    ON task.ns = ?3 AND task.id = waiter.id AND task.list = waiter.list AND task.place = waiter.place
WHERE waiter.list = ?1 AND waiter.grp = ?2
    AND (task.small IS NOT NULL OR EXISTS(SELECT 1 FROM errand_body WHERE n = task.body))
ORDER BY waiter.place, waiter.id LIMIT 1

-- name: first_place
SELECT min(place) FROM errand_waiter WHERE list = ?1 AND grp = ?2

-- name: waiting
SELECT count(*) FROM errand_waiter
WHERE list = ?3 AND grp IN (SELECT grp FROM errand_group WHERE queue = ?1 AND gate = ?2)
