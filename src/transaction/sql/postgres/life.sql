-- A transaction's beginning and end; savepoints are written alike everywhere.

-- name: isolate
-- A relay's transaction needs nothing said: locks are of rows.
SELECT 1

-- name: begin
BEGIN

-- name: commit
COMMIT

-- name: rollback
ROLLBACK
