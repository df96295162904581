-- quota: what the quota of a namespace has let through.

-- name: read
SELECT tokens, filled, queued, counted FROM errand_quota WHERE ns = ?1

-- name: keep
INSERT INTO errand_quota(ns, tokens, filled, queued, counted) VALUES(?1, ?2, ?3, ?4, ?5)
ON CONFLICT(ns) DO UPDATE SET tokens = excluded.tokens, filled = excluded.filled, queued = excluded.queued,
    counted = excluded.counted
