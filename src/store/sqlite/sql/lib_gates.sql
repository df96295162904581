-- Gates: how many hold them and when they were passed; the limits behind them; who holds which, and who stands in line at them.

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

-- Of those that are not used up by now.
-- name: change_kept
UPDATE errand_gate SET kept = min(kept + ?5, ?6) WHERE ns = ?1 AND gate BETWEEN ?2 AND ?3 AND kept > ?4 - ?5

-- name: held
SELECT gates FROM errand_slot WHERE ns = ?1 AND claim = ?2 AND id = ?3

-- name: any_in_line
SELECT 1 FROM errand_line LIMIT 1

-- name: in_line
SELECT count(*) FROM errand_line WHERE ns = ?1 AND gate BETWEEN ?2 AND ?3

-- name: first_in_line
SELECT since, claim, id FROM errand_line WHERE ns = ?1 AND gate = ?2 AND since > ?3 ORDER BY since LIMIT 1

-- name: line_after
SELECT gate FROM errand_line WHERE ns = ?1 AND gate > ?2 AND gate <= ?3 ORDER BY gate LIMIT 1

-- name: stand_in_line
INSERT INTO errand_line(ns, gate, since, claim, id) VALUES(?1, ?2, ?3, ?4, ?5)

-- name: stands_in_line
SELECT 1 FROM errand_line WHERE ns = ?1 AND claim = ?2 AND id = ?3 LIMIT 1

-- name: leave_line
DELETE FROM errand_line WHERE ns = ?1 AND claim = ?2 AND id = ?3

-- name: leave_lines
DELETE FROM errand_line WHERE ns = ?1 AND claim = ?2
