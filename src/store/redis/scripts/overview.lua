-- overview: how many tasks of each queue are in which state, without looking at any.
-- Keys:    the shard's; six for each queue
-- Args:    number of queues
-- Returns: 'ok', now, working in all queues, then for each queue, until about half a megabyte of tasks was looked at:
--          ready, delayed, retry, dead, cancelled, expired, waiting, success outside of the history lists, since when it is
--          paused (ms or ''), idle workers, life (8 bytes) of the task that is next ('' for none)
-- Cost:    O(queues x log tasks)
-- Needs:   lib_most lib_record lib_earliest lib_listed lib_paused lib_groups lib_many
local queues, reply = tonumber(ARGV[1]), {'ok', now, call('HLEN', own) - 1}
local bytes = 0

local function value_of(id)
  local value = call('HGET', tasks, id)
  if value then bytes = bytes + #value end
  return value
end

-- What stands in a hash for each queue.
local function of_each(key, front, back)
  local fields = {}
  for q = 1, queues do fields[q] = front .. name_of(q) .. back end
  return hmget(key, fields)
end
local void, held_there = of_each(counts, 'v:', ''), of_each(groups, 'n', '')
local paused = of_each(stale, '', '\n')

-- Of those that wait in groups: of the group whose turn is next, else of any that is found soon.
local function held_life(q)
  local turn = first_of('t' .. name_of(q) .. '\n')
  local heads
  if turn then
    heads = {inside.head_of(sub(turn, -16))}
  else
    heads = call('ZRANGE', held, '[h', '(i', 'BYLEX', 'LIMIT', 0, 50)
    local some = call('SRANDMEMBER', inside.few, 50)
    inside.read(some)
    for i = 1, #some do heads[#heads + 1] = inside.head_of(some[i]) end
  end
  for i = 1, #heads do
    local body = bytes <= most_bytes and value_of(sub(heads[i], -16))
    if body and queue_of(body) == q then return life_of(body) end
  end
  return ''
end

local function next_life(q, urgent_there, lined_up)
  local head = urgent_there > 0 and call('ZRANGE', urgent_of(q), 0, 0)[1]
  -- A few of those at the end of the list may be void.
  local heads = head and {head} or lined_up > 0 and call('LRANGE', ready_of(q), -8, -1) or {}
  for i = #heads, 1, -1 do
    local body = value_of(sub(heads[i], 1, 16))
    if body and not is_ended(body) then return life_of(body) end
  end
  return tonumber(held_there[q] or 0) > 0 and held_life(q) or ''
end

for q = 1, queues do
  if bytes > most_bytes then break end
  local n, due = #reply, call('ZCARD', due_of(q))
  local delayed = due > 0 and call('ZCOUNT', due_of(q), '-inf', '(' .. digits(retry_band))
    + call('ZCOUNT', due_of(q), digits(aside_band), '+inf') or 0
  local lined_up, urgent_there = call('LLEN', ready_of(q)), call('ZCARD', urgent_of(q))
  reply[n + 1] = math.max(lined_up - tonumber(void[q] or 0), 0) + urgent_there + tonumber(held_there[q] or 0)
  reply[n + 2], reply[n + 3] = delayed, due - delayed
  -- Most queues have tasks in one of these states, and there is no more to be counted.
  local left = call('ZCARD', listed_of(q))
  for i, letter in ipairs({'d', 'c', 'x', 'w', 's'}) do
    local from = bands[letter] * listed_band
    local count = left > 0 and call('ZCOUNT', listed_of(q), digits(from), '(' .. digits(from + listed_band)) or 0
    reply[n + 3 + i], left = count, left - count
  end
  reply[n + 9] = paused[q] or ''
  reply[n + 10], reply[n + 11] = call('SCARD', idle_of(q)), next_life(q, urgent_there, lined_up)
end
return reply
