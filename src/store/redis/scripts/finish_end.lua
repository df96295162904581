-- finish, reports of ends: what is kept of them, and those who are told.

-- One entry for many tasks: their ids, and 6 bytes (their end, ms).
local most_in_entry = 256
local function into_history(key, ids)
  local ending, pushed, length = struct.pack('>I6', now), 0, 0
  for from = 1, #ids, most_in_entry do
    local part = table.concat(ids, '', from, math.min(from + most_in_entry - 1, #ids))
    length, pushed = call('RPUSH', key, part .. ending), pushed + 1
  end
  if length == pushed then call('SADD', histories, sub(key, #prefix + 9)) end
end

-- Ends of which nothing is kept: but for a minute when somebody waits for them, and the id for
-- unique_for.
local function end_without_trace(ids, values, heard)
  local gone = {}
  for i = 1, #ids do
    local id, value = ids[i], values[i]
    if heard[id] then
      call('HSET', tasks, id, value)
      call('ZADD', buried, now + 60000, id)
    elseif unique_for(value) > 0 then
      keep_stub(id, value, now + unique_for(value))
    else
      gone[#gone + 1] = id
    end
  end
  many('HDEL', tasks, gone, 1, #gone)
end

local function end_run(run, ids, records)
  local values, fields = {}, {}
  for i = 1, #ids do
    values[i] = mark .. records[i]
    fields[2 * i - 1], fields[2 * i] = ids[i], values[i]
  end
  local heard = tell(ids, values)
  if run.time == 0 then
    end_without_trace(ids, values, heard)
  else
    many('HSET', tasks, fields, 1, #fields)
    if run.history > 0 then
      into_history(KEYS[run.history], ids)
    else
      for i = 1, #ids do call('ZADD', buried, now + run.time, ids[i]) end
    end
  end
  if run.noted then many('HDEL', notes, ids, 1, #ids) end
  if run.expires then many('ZREM', expiry_of(run.q), ids, 1, #ids) end
end
