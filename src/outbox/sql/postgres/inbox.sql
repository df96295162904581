-- What is done with errand_inbox.

-- name: record
-- Nothing is inserted when it is there.
INSERT INTO errand_inbox(name_space, task, life, expires_at) VALUES($1, $2, $3, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $4)
ON CONFLICT DO NOTHING

-- name: over
SELECT task, life FROM errand_inbox WHERE name_space = $1 AND expires_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
ORDER BY expires_at LIMIT $2

-- name: drop
-- [["task", life], …]
DELETE FROM errand_inbox WHERE (name_space, task, life) IN (
    SELECT $1, j->>0, (j->>1)::bigint FROM json_array_elements($2::json) j)

-- name: put_off
-- Those whose tasks can still run are looked at again later.
UPDATE errand_inbox SET expires_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $1 WHERE (name_space, task, life) IN (
    SELECT $2, j->>0, (j->>1)::bigint FROM json_array_elements($3::json) j)
