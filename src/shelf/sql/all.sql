-- The shelf's statements that databases understand alike; the file of one says what it wants otherwise.
-- {space}, {day}: of which namespace and day; {ids}: as many ? as there are ids; {rows}, {triples}: as many rows of four
-- or three ? as there are.

-- name: adopt
-- Somebody wants it to be that of another store from now on.
UPDATE errand_shelf SET mark = ? WHERE name_space = ? AND mark = 0

-- name: space
SELECT space, format, mark FROM errand_shelf WHERE name_space = ?

-- name: put
INSERT INTO errand_shelf_{space}_d{day}(id, due_at, body) VALUES {triples} ON CONFLICT DO NOTHING

-- name: put_keys
INSERT INTO errand_shelf_key(id, space, due_at, life) VALUES {rows} ON CONFLICT DO NOTHING

-- name: keys
SELECT id, due_at, life FROM errand_shelf_key WHERE space = ? AND id IN ({ids})

-- name: arrive
INSERT INTO errand_shelf_arrived(id, space, came_at, life) VALUES {rows}

-- name: arrived
SELECT id, life FROM errand_shelf_arrived WHERE space = ? AND id IN ({ids})

-- name: forget
-- Not by the lives in the key: of two lists there would be as many ways into it as there are pairs.
DELETE FROM errand_shelf_arrived WHERE space = ? AND id IN ({ids}) AND life + 0 IN ({ids})

-- name: old_arrivals
SELECT id, life FROM errand_shelf_arrived WHERE space = ? AND came_at <= ? LIMIT ?

-- name: where
SELECT id, due_at FROM errand_shelf_{space}_d{day} WHERE id IN ({ids})

-- name: find
SELECT id, due_at, body FROM errand_shelf_{space}_d{day} WHERE id IN ({ids})

-- name: put_notes
INSERT INTO errand_shelf_brought(id, space, noted_at) VALUES {triples}
ON CONFLICT(id, space) DO UPDATE SET noted_at = excluded.noted_at

-- name: notes
SELECT id FROM errand_shelf_brought WHERE space = ? AND noted_at <= ? ORDER BY noted_at LIMIT ?

-- name: drop_notes
-- Nobody has noted it anew since.
DELETE FROM errand_shelf_brought WHERE space = ? AND noted_at <= ? AND id IN ({ids})

-- name: strike_notes
DELETE FROM errand_shelf_brought WHERE space = ? AND id IN ({ids})

-- name: strike
DELETE FROM errand_shelf_{space}_d{day} WHERE id IN ({ids})

-- name: strike_keys
DELETE FROM errand_shelf_key WHERE space = ? AND id IN ({ids})

-- name: count
SELECT count(*), min(due_at) FROM errand_shelf_{space}_d{day}

-- name: any
SELECT 1 FROM errand_shelf_{space}_d{day} LIMIT 1

-- name: drop
DROP TABLE IF EXISTS errand_shelf_{space}_d{day}
