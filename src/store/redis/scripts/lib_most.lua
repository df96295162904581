-- The most that one reply carries, give or take one body: Redis closes a subscribed connection whose
-- unread replies outgrow its output buffer (8 MB for a minute, 32 MB at once).
local most_bytes = 4000000

