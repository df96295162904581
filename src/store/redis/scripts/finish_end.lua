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

local function end_run(run, ids, records)
  local values, fields = {}, {}
  for i = 1, #ids do
    local value = mark .. records[i]
    values[i], fields[2 * i - 1], fields[2 * i] = value, ids[i], value
  end
  local heard = call('HLEN', watched) > 1 and seldom().tell(ids, values) or {}
  if run.time == 0 then
    seldom().end_without_trace(ids, values, heard)
  else
    many('HSET', tasks, fields, 1, #fields)
    if run.history > 0 then into_history(KEYS[run.history], ids) else seldom().bury_run(run, ids) end
  end
  if run.noted then many('HDEL', notes, ids, 1, #ids) end
  if run.expires then many('ZREM', expiry_of(run.q), ids, 1, #ids) end
end
