-- figures: what became of the attempts of handlers, by periods.

-- name: add
INSERT INTO errand_figure(ns, period, handler, what, times) VALUES(?1, ?2, ?3, ?4, ?5)
ON CONFLICT(ns, period, handler, what) DO UPDATE SET times = times + excluded.times

-- name: drop_before
DELETE FROM errand_figure WHERE ns = ?1 AND period < ?2

-- name: all
SELECT handler, what, times FROM errand_figure WHERE ns = ?1 AND period >= ?2
