-- A transaction's beginning and end; savepoints are written alike everywhere.

-- name: isolate
SELECT 1

-- name: begin
BEGIN IMMEDIATE

-- name: commit
COMMIT

-- name: rollback
ROLLBACK
