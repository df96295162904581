-- overview: how many tasks of each queue are in which state, without looking at any.
-- Keys:    the shard's; six for each queue
-- Args:    number of queues
-- Returns: 'ok', now, working in all queues, then for each queue: ready, delayed, retry, dead, cancelled,
--          expired, waiting, success outside of the history lists, since when it is paused (ms or ''), idle
--          workers, life (8 bytes) of the task that is next ('' for none)
-- Cost:    O(queues x log tasks)
-- Needs:   lib_record lib_earliest lib_listed lib_paused lib_groups
local reply = {'ok', now, call('HLEN', own) - 1}

-- Of those that wait in groups: of the group whose turn is next, else of any that is found soon.
local function held_life(q)
  local turn = first_of('t' .. name_of(q) .. '\n')
  local heads = turn and {head_of(sub(turn, -16))} or call('ZRANGE', held, '[h', '(i', 'BYLEX', 'LIMIT', 0, 50)
  for i = 1, #heads do
    local body = call('HGET', tasks, sub(heads[i], -16))
    if body and queue_of(body) == q then return life_of(body) end
  end
  return ''
end

local function next_life(q)
  local head = call('ZRANGE', urgent_of(q), 0, 0)[1]
  -- A few of those at the end of the list may be void.
  local heads = head and {head} or call('LRANGE', ready_of(q), -8, -1)
  for i = #heads, 1, -1 do
    local body = call('HGET', tasks, sub(heads[i], 1, 16))
    if body and not is_ended(body) then return life_of(body) end
  end
  return held_life(q)
end

for q = 1, tonumber(ARGV[1]) do
  local n, due = #reply, call('ZCARD', due_of(q))
  local delayed = due > 0 and call('ZCOUNT', due_of(q), '-inf', '(' .. digits(retry_band))
    + call('ZCOUNT', due_of(q), digits(aside_band), '+inf') or 0
  local void = tonumber(call('HGET', counts, 'v:' .. name_of(q)) or 0)
  reply[n + 1] = math.max(call('LLEN', ready_of(q)) - void, 0) + call('ZCARD', urgent_of(q))
    + tonumber(call('HGET', groups, 'n' .. name_of(q)) or 0)
  reply[n + 2], reply[n + 3] = delayed, due - delayed
  for i, letter in ipairs({'d', 'c', 'x', 'w', 's'}) do
    local from = bands[letter] * listed_band
    reply[n + 3 + i] = call('ZCOUNT', listed_of(q), digits(from), '(' .. digits(from + listed_band))
  end
  reply[n + 9] = call('HGET', stale, pause_field(q)) or ''
  reply[n + 10], reply[n + 11] = call('SCARD', idle_of(q)), next_life(q)
end
return reply
