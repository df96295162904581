-- What follows for a task from how its parents stand.
-- Needs: lib_entry lib_earliest lib_ready lib_body lib_bury

-- The position among the keys of a waiting task's queue; nil when its keys were not given. Also its name.
local positions = {}
local function queue_in(record)
  local queue = sub(record, 25)
  local known = positions[queue]
  if known == nil then
    known = position_of(queue) or false
    positions[queue] = known
  end
  return known or nil, queue
end

-- All it waited for is there. `wakes`: queue -> how many tasks became ready.
local function release(id, record, wakes)
  local q, due, priority = queue_in(record), tonumber(sub(record, 3, 15)), marked_priority(byte(record, 16))
  call('HDEL', waiting, id)
  call('ZREM', listed_of(q), id)
  if due > now then
    if due < earliest(q) then wakes[q] = wakes[q] or 1 end
    call('ZADD', due_of(q), due, entry(id, priority))
    return
  end
  make_ready(q, entry(id, priority))
  wakes[q] = (wakes[q] or 0) + 1
end

local function forsake(id, record, outcome)
  -- The last news were good ones: who looks at the task finds what was not.
  if outcome == '' then return announce({id .. 'k'}) end
  local body = call('HGET', tasks, id)
  call('HSET', waiting, id, 'f' .. sub(record, 2))
  bury(queue_in(record), id, body, kept_as(outcome, body))
  if call('HEXISTS', tasks, id) == 0 then call('HDEL', waiting, id) end
end

-- Takes a cancelled task back to those that wait; what depends on it hears of that.
local function take_up(id, record)
  call('ZREM', buried, id)
  list_as(queue_in(record), 'w', id)
  call('HSET', tasks, id, body_of(call('HGET', tasks, id)))
  call('HSET', waiting, id, 'w' .. sub(record, 2))
  if any_link('c', id) then
    mark_awaited({id})
    announce({id .. 'v'})
  end
end

local function gather(id, record, outcome)
  local body = call('HGET', tasks, id)
  call('HDEL', waiting, id)
  bury(queue_in(record), id, body, kept_as(outcome, body))
end
