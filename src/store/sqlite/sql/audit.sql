-- audit: looks whether all that is kept agrees with itself.

-- name: tasks
SELECT task.id, task.list, task.place, task.claim, task.outcome,
    task.small IS NULL AND body.n IS NULL, claim.number IS NULL,
    EXISTS(SELECT 1 FROM errand_waiting AS waiting WHERE waiting.ns = task.ns AND waiting.id = task.id)
FROM errand_task AS task LEFT JOIN errand_body AS body ON body.n = task.body
    LEFT JOIN errand_claim AS claim ON claim.ns = task.ns AND claim.number = task.claim
WHERE task.ns = ?1 AND task.id > ?2 ORDER BY task.id LIMIT ?3

-- name: claims
SELECT number, tasks FROM errand_claim WHERE ns = ?1 AND number > ?2 AND ends < ?3 ORDER BY number LIMIT ?4

-- name: waiting
SELECT id FROM errand_waiting WHERE ns = ?1 AND id > ?2 ORDER BY id LIMIT ?3

-- name: stages
SELECT DISTINCT id FROM errand_stage WHERE ns = ?1 AND id > ?2 ORDER BY id LIMIT ?3

-- name: links
SELECT kind, of, other FROM errand_link WHERE ns = ?1 AND (kind, of, other) > (?2, ?3, ?4)
ORDER BY kind, of, other LIMIT ?5

-- name: listed
SELECT count(*), (SELECT size FROM errand_list WHERE k = ?1) FROM errand_task WHERE list = ?1 AND place IS NOT NULL

-- name: drop_task
DELETE FROM errand_task WHERE ns = ?1 AND id = ?2

-- name: unclaim
UPDATE errand_task SET claim = NULL, place = coalesce(place, ?3) WHERE ns = ?1 AND id = ?2

-- name: row
SELECT claim, outcome, coalesce(small, (SELECT bytes FROM errand_body WHERE n = task.body)) FROM errand_task AS task
WHERE ns = ?1 AND id = ?2

-- name: put
UPDATE errand_task SET list = ?3, place = ?4 WHERE ns = ?1 AND id = ?2

-- name: lease
INSERT INTO errand_claim(ns, number, ends, engine, worker, tasks) VALUES(?1, ?2, ?3, 0, 'nobody', ?4)
ON CONFLICT DO UPDATE SET tasks = CAST(tasks || excluded.tasks AS BLOB)

-- name: size
UPDATE errand_list SET size = ?2 WHERE k = ?1

-- Gates that a claim holds which is not there.
-- name: slots
SELECT slot.claim, slot.id FROM errand_slot AS slot LEFT JOIN errand_claim AS claim
    ON claim.ns = slot.ns AND claim.number = slot.claim
WHERE slot.ns = ?1 AND claim.number IS NULL LIMIT ?2

-- Who stands in line for gates and holds none.
-- name: lines
SELECT DISTINCT line.claim, line.id FROM errand_line AS line LEFT JOIN errand_slot AS slot
    ON slot.ns = line.ns AND slot.claim = line.claim AND slot.id = line.id
WHERE line.ns = ?1 AND slot.claim IS NULL LIMIT ?2

-- name: slot_gates
SELECT gates FROM errand_slot WHERE ns = ?1

-- name: slot_count
SELECT count(*) FROM errand_slot WHERE ns = ?1

-- Tasks that no group has.
-- name: ungrouped
SELECT id, place, grp FROM errand_task AS task INDEXED BY errand_task_place
WHERE list = ?1 AND place IS NOT NULL AND grp IS NOT NULL AND (
    NOT EXISTS(SELECT 1 FROM errand_group WHERE queue = ?2 AND errand_group.grp = task.grp) OR
    NOT EXISTS(SELECT 1 FROM errand_waiter AS waiter
        WHERE waiter.list = ?1 AND waiter.grp = task.grp AND waiter.place = task.place AND waiter.id = task.id))
LIMIT ?3

-- Those of a group that are not there.
-- name: strays
SELECT grp, place FROM errand_waiter AS waiter WHERE list = ?1 AND NOT EXISTS(SELECT 1 FROM errand_task AS task
    WHERE task.ns = ?2 AND task.id = waiter.id AND task.list = ?1 AND task.place = waiter.place) LIMIT ?3

-- Groups without a task, and those that are parked where nobody looks.
-- name: groups
SELECT grp, gate,
    NOT EXISTS(SELECT 1 FROM errand_waiter AS waiter WHERE waiter.list = ?2 AND waiter.grp = errand_group.grp),
    gate IS NOT NULL AND NOT EXISTS(SELECT 1 FROM errand_stop AS stop
        WHERE stop.ns = ?3 AND stop.gate = errand_group.gate AND stop.queue = ?1)
FROM errand_group WHERE queue = ?1 ORDER BY 3 DESC, 4 DESC LIMIT ?4

-- name: stops
SELECT gate, opens, let_go AND EXISTS(SELECT 1 FROM errand_group AS grp
    WHERE grp.queue = ?1 AND grp.gate IS NULL AND grp.via = stop.gate)
FROM errand_stop AS stop WHERE ns = ?2 AND queue = ?1

-- name: gates
SELECT gate, running FROM errand_gate WHERE ns = ?1
