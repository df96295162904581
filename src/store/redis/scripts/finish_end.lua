-- finish, reports of ends: what is kept of them, and those who are told.
local function into_history(key, ids)
  local list, ending = {}, struct.pack('>I6', now)
  for i = 1, #ids do list[i] = ids[i] .. ending end
  if many('RPUSH', key, list, 1, #list) == #list then call('SADD', histories, sub(key, #prefix + 9)) end
end

-- Ends of which nothing is kept: but for a minute when somebody waits for them, and the id for
-- unique_for.
local function end_without_trace(ids, outcomes, heard)
  local gone = {}
  for i = 1, #ids do
    local id, record, unique_for = ids[i], stamp .. outcomes[i], 0
    if sub(outcomes[i], 1, 1) == 's' then unique_for = number_at(outcomes[i], 2, 6) end
    if heard[id] then
      call('HSET', ended, id, record)
      call('ZADD', buried, now + 60000, id)
    elseif unique_for > 0 then
      keep_stub(id, call('HGET', tasks, id), record, now + unique_for)
    else
      gone[#gone + 1] = id
    end
  end
  many('HDEL', tasks, gone, 1, #gone)
end

local function end_run(run, ids, outcomes)
  local heard = tell(ids, outcomes)
  if run.time == 0 then
    end_without_trace(ids, outcomes, heard)
  else
    local fields, at = {}, 1
    for i = 1, #ids do
      fields[at], fields[at + 1] = ids[i], stamp .. outcomes[i]
      at = at + 2
    end
    many('HSET', ended, fields, 1, at - 1)
    if run.history > 0 then
      into_history(KEYS[run.history], ids)
    else
      for i = 1, #ids do call('ZADD', buried, now + run.time, ids[i]) end
    end
  end
  if run.noted then many('HDEL', notes, ids, 1, #ids) end
  if run.expires then many('ZREM', expiry_of(run.q), ids, 1, #ids) end
end
