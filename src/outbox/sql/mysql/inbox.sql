-- What is done with errand_inbox.

-- name: record
-- Nothing is inserted when it is there.
INSERT IGNORE INTO errand_inbox(name_space, task, life, expires_at) VALUES(?, ?, ?, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + ?)

-- name: over
SELECT task, life FROM errand_inbox WHERE name_space = ? AND expires_at <= CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)
ORDER BY expires_at LIMIT ?

-- name: drop
-- [["task", life], …]
DELETE FROM errand_inbox WHERE (name_space, task, life) IN (
    SELECT ?, j.task, j.life FROM JSON_TABLE(?, '$[*]' COLUMNS(
        task CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', life BIGINT PATH '$[1]')) j)

-- name: put_off
-- Those whose tasks can still run are looked at again later.
UPDATE errand_inbox SET expires_at = CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) + ? WHERE (name_space, task, life) IN (
    SELECT ?, j.task, j.life FROM JSON_TABLE(?, '$[*]' COLUMNS(
        task CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]', life BIGINT PATH '$[1]')) j)
