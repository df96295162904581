-- trim, what goes first, and what stays.
-- Needs: lib_queues lib_record

-- Whoever awaits its end finds it. Tasks that depend on it hear of its end all the same.
local function is_awaited(id)
  local who = call('HGET', watched, id)
  return who and who ~= '>\n'
end

local function drop_unless_awaited(id, value)
  if not is_awaited(id) then return drop(id, value, 1) end
  call('ZADD', buried, finished_at(value) + number_at(value, 26, 6), id)
  call('ZADD', listed_of(1), digits(finished_at(value)), id)
  return true
end

local function drop_buried(id, value)
  call('ZREM', buried, id)
  local gone = drop(id, value, 1)
  if not gone then call('ZADD', buried, now, id) end
  return gone
end

-- By list: its oldest entry, and of when that is.
local entries, times = {}, {}
local function look(key)
  entries[key] = call('LINDEX', key, 0) or nil
  times[key] = entries[key] and number_at(entries[key], #entries[key] - 5, 6)
end
