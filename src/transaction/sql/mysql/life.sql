-- A transaction's beginning and end; savepoints are written alike everywhere.

-- name: isolate
-- Of the next transaction, a relay's: the usual level locks the gaps between rows as well, into which commits write.
SET TRANSACTION ISOLATION LEVEL READ COMMITTED

-- name: begin
START TRANSACTION

-- name: commit
COMMIT

-- name: rollback
ROLLBACK
