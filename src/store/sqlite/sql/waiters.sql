-- waiters: who waits at a gate of a limit.

-- Of the groups of a queue that are parked there: how many tasks, and of these the one that goes first.
-- name: at
SELECT count(*), min(place), id FROM errand_waiter
WHERE list = ?3 AND grp IN (SELECT grp FROM errand_group WHERE queue = ?1 AND gate = ?2)
