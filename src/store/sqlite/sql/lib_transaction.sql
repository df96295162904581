-- The transaction around calls.

-- name: begin
BEGIN IMMEDIATE

-- name: begin_reading
BEGIN

-- name: commit
COMMIT

-- Inside of somebody else's transaction.
-- name: begin_inside
SAVEPOINT errand_call

-- name: commit_inside
RELEASE errand_call

-- name: abandon_inside
ROLLBACK TO errand_call

-- name: format
SELECT number FROM errand_format

-- name: version
PRAGMA data_version
