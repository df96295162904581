-- withdraw: takes back a submission that is not complete.

-- name: overdue
DELETE FROM errand_news WHERE ns = ?1 AND id = ?2 AND what = 'w'
