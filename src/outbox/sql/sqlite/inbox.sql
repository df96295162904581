-- What is done with errand_inbox.

-- name: record
-- Nothing is inserted when it is there.
INSERT INTO errand_inbox(name_space, task, life, expires_at) VALUES($1, $2, $3, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + $4)
ON CONFLICT DO NOTHING

-- name: over
SELECT task, life FROM errand_inbox WHERE name_space = $1 AND expires_at <= CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
ORDER BY expires_at LIMIT $2

-- name: drop
-- [["task", life], …]
DELETE FROM errand_inbox WHERE (name_space, task, life) IN (
    SELECT $1, json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each($2))

-- name: put_off
-- Those whose tasks can still run are looked at again later.
UPDATE errand_inbox SET expires_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + $1 WHERE (name_space, task, life) IN (
    SELECT $2, json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each($3))
