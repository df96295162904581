-- About the most that one reply carries, give or take one body: a slow line brings it in well under a lease, and Redis
-- closes a subscribed connection whose unread replies outgrow its output buffer (8 MB for a minute, 32 MB at once).
local most_bytes = 512000
