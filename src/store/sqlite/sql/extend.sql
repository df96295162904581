-- extend: lengthens the leases of claims that still hold.

-- name: lengthen
UPDATE errand_claim SET ends = ?3 WHERE ns = ?1 AND number = ?2 AND ends > ?4

-- name: holder
SELECT claim FROM errand_task WHERE ns = ?1 AND id = ?2
