-- What follows for a task from how its parents stand.

-- An outcome, kept as long as the body says, if it says so.
local function kept_as(outcome, body)
  local retention = retention_of(body)
  return retention and sub(outcome, 1, 7) .. struct.pack('>I6', retention) .. sub(outcome, 14) or outcome
end

-- All it waited for is there. `wakes`: queue -> how many tasks became ready.
local function release(id, body, record, wakes)
  local q, due, priority = queue_of(body), tonumber(sub(record, 3)), priority_of(body)
  call('HDEL', waiting, id)
  if due > now then
    if due < earliest(q) then wakes[q] = wakes[q] or 1 end
    call('ZADD', due_of(q), due, entry(id, priority))
    return
  end
  if priority > 0 then place_urgent(q, entry(id, priority), priority) else call('LPUSH', ready_of(q), id) end
  wakes[q] = (wakes[q] or 0) + 1
end

local function forsake(id, body, record, outcome)
  -- The last news were good ones: who looks at the task finds what was not.
  if outcome == '' then return announce({id .. 'k'}) end
  call('HSET', waiting, id, 'f' .. sub(record, 2))
  bury(id, body, kept_as(outcome, body))
  if call('HEXISTS', tasks, id) == 0 then call('HDEL', waiting, id) end
end

-- Takes a cancelled task back to those that wait; what depends on it hears of that.
local function take_up(id, value, record)
  local body = body_of(value)
  call('ZREM', buried, id)
  call('HSET', tasks, id, body)
  call('HSET', waiting, id, 'w' .. sub(record, 2))
  if any_link('c', id) then
    mark_awaited({id})
    announce({id .. 'v'})
  end
  return body
end

-- `value` is what `tasks` holds of it, `record` what `waiting` does. `outcome`: when it is cancelled now (may be
-- empty); `gathered`: when it is a group, all of whose members succeeded.
local function settle(id, value, record, outcome, gathered, wakes)
  local phase, rule = sub(record, 1, 1), sub(record, 2, 2)
  if phase == 'r' then return end
  local failed, unmet = any_link('f', id), any_link('n', id)
  if phase == 'f' then
    if failed then return end
    value = take_up(id, value, record)
  end
  if failed then
    if rule == 'c' or (rule == 'g' and not unmet) then forsake(id, value, record, outcome) end
  elseif not unmet then
    if rule ~= 'g' then return release(id, value, record, wakes) end
    call('HDEL', waiting, id)
    bury(id, value, kept_as(gathered, value))
  end
end
