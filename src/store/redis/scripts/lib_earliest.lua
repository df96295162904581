-- The due time of the earliest task of queue q that waits for one.
local function earliest(q)
  local head = call('ZRANGE', due_of(q), 0, 0, 'WITHSCORES')
  return head[2] and tonumber(head[2]) or math.huge
end
