-- `due:<queue>`: delayed tasks by their due time (ms), in a band of scores above them those that wait for a
-- retry, and above these, by since when, delayed ones that no time makes ready: they stand aside until somebody
-- comes who knows their handler (adopt.lua).
-- Needs: lib_queues
local retry_band = 2 ^ 46
local aside_band = 2 * retry_band

-- The due time of the earliest task of queue q that waits for one.
local function earliest(q)
  local head = tonumber(call('ZRANGE', due_of(q), 0, 0, 'WITHSCORES')[2] or math.huge)
  if head >= aside_band then return math.huge end
  if head >= retry_band then return head - retry_band end
  local again = call('ZRANGE', due_of(q), digits(retry_band), '(' .. digits(aside_band), 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  return again[2] and math.min(head, tonumber(again[2]) - retry_band) or head
end
