-- finish: takes workers' reports, each only from the claim that holds the task. ?7 is the number of its row, where that is
-- known.

-- name: end
UPDATE errand_task SET list = ?4, place = ?5, claim = NULL, expires = NULL, notes = NULL, outcome = ?6
WHERE n = coalesce(?7, (SELECT n FROM errand_task WHERE ns = ?1 AND id = ?2)) AND id = ?2 AND claim = ?3

-- name: later
UPDATE errand_task SET list = ?4, place = ?5, claim = NULL, notes = ?6
WHERE n = coalesce(?7, (SELECT n FROM errand_task WHERE ns = ?1 AND id = ?2)) AND id = ?2 AND claim = ?3

-- name: give_back
UPDATE errand_task SET list = ?4, place = ?5, claim = NULL, notes = coalesce(?6, notes)
WHERE n = coalesce(?7, (SELECT n FROM errand_task WHERE ns = ?1 AND id = ?2)) AND id = ?2 AND claim = ?3

-- name: regroup
UPDATE errand_task SET list = ?3, place = ?4, claim = NULL, grp = ?5 WHERE ns = ?1 AND id = ?2

-- name: close
DELETE FROM errand_claim WHERE ns = ?1 AND number = ?2
