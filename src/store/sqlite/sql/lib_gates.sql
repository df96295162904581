-- Gates: how many hold them and when they were passed; the limits behind them; who holds which.

-- name: limit
SELECT name, declared, chosen FROM errand_limit WHERE ns = ?1 AND number = ?2

-- name: state
SELECT running, kept FROM errand_gate WHERE ns = ?1 AND gate = ?2

-- name: keep_state
INSERT INTO errand_gate(ns, gate, running, kept) VALUES(?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET running = excluded.running, kept = excluded.kept

-- name: drop_state
DELETE FROM errand_gate WHERE ns = ?1 AND gate = ?2

-- name: hold
INSERT OR REPLACE INTO errand_slot(ns, claim, id, gates) VALUES(?1, ?2, ?3, ?4)

-- name: free
DELETE FROM errand_slot WHERE ns = ?1 AND claim = ?2 AND id = ?3 RETURNING gates

-- name: free_all
DELETE FROM errand_slot WHERE ns = ?1 AND claim = ?2 RETURNING gates

-- name: hand_on
UPDATE errand_slot SET claim = ?3 WHERE ns = ?1 AND claim = ?2 AND id = ?4

-- name: page
SELECT gate, running, kept FROM errand_gate WHERE ns = ?1 AND gate > ?2 ORDER BY gate LIMIT ?3
