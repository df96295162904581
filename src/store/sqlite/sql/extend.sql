-- extend: lengthens the leases of claims that still hold, and under which tasks are.

-- name: lengthen
UPDATE errand_claim SET ends = CASE WHEN ?5 THEN max(ends, ?3) ELSE ?3 END WHERE ns = ?1 AND number = ?2 AND ends > ?4

-- name: ends
SELECT ends FROM errand_claim WHERE ns = ?1 AND number = ?2

-- name: holder
SELECT claim FROM errand_task WHERE ns = ?1 AND id = ?2
