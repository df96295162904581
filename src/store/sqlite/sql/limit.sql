-- limit: what is declared, and what was set at run time.

-- name: declare
INSERT INTO errand_limit(ns, number, name, declared) VALUES(?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET declared = excluded.declared

-- name: choose
INSERT INTO errand_limit(ns, number, name, chosen) VALUES(?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET chosen = excluded.chosen

-- Somebody waits because of it.
-- name: begin_wait
UPDATE errand_limit SET waits_since = ?3 WHERE ns = ?1 AND number = ?2 AND waits_since IS NULL

-- Nobody does any more, if there is no stop at one of its gates: those of each kind, from and to.
-- name: end_wait
UPDATE errand_limit SET waited = waited + max(0, ?3 - waits_since), waits_since = NULL
WHERE ns = ?1 AND number = ?2 AND waits_since IS NOT NULL
    AND NOT EXISTS(SELECT 1 FROM errand_stop WHERE ns = ?1 AND gate BETWEEN ?4 AND ?5)
    AND NOT EXISTS(SELECT 1 FROM errand_stop WHERE ns = ?1 AND gate BETWEEN ?6 AND ?7)
    AND NOT EXISTS(SELECT 1 FROM errand_stop WHERE ns = ?1 AND gate BETWEEN ?8 AND ?9)

-- name: unset
UPDATE errand_limit SET chosen = NULL WHERE ns = ?1 AND number = ?2

-- name: drop_unknown
DELETE FROM errand_limit WHERE ns = ?1 AND number = ?2 AND declared IS NULL AND chosen IS NULL

-- name: all
SELECT name, declared, chosen, number, waited + coalesce(max(0, ?2 - waits_since), 0) FROM errand_limit WHERE ns = ?1
ORDER BY name

-- name: running
SELECT sum(running) FROM errand_gate WHERE ns = ?1 AND gate BETWEEN ?2 AND ?3

-- The gate of the limit that opens first of those that were passed too lately.
-- name: kept_after
SELECT min(kept) FROM errand_gate WHERE ns = ?1 AND gate BETWEEN ?2 AND ?3 AND kept > ?4
