-- `due:<queue>`: delayed tasks by their due time (ms), and in a band of scores above them those that wait
-- for a retry.
local retry_band = 2 ^ 46

-- The due time of the earliest task of queue q that waits for one.
local function earliest(q)
  local head = tonumber(call('ZRANGE', due_of(q), 0, 0, 'WITHSCORES')[2] or math.huge)
  if head == math.huge then return head end
  if head >= retry_band then return head - retry_band end
  local again = call('ZRANGE', due_of(q), digits(retry_band), '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  return again[2] and math.min(head, tonumber(again[2]) - retry_band) or head
end
