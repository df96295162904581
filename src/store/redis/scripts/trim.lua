-- trim: deletes the oldest ended tasks of a queue beyond so many; ids go on refusing duplicates as promised.
-- Keys:    the shard's; six for the queue; its history lists
-- Args:    how many are kept (of successes, and of each other end), about how many are deleted at most
-- Returns: 'ok', now, deleted (as many as were asked for: there may be more)
-- Cost:    O(deleted)
local most, limit, kept = tonumber(ARGV[1]), tonumber(ARGV[2]), 0
free_first()
-- Whoever awaits its end finds it.
local function drop_unless_watched(id, value)
  if call('HEXISTS', watched, id) == 0 then return drop(id, value, 1) end
  call('ZADD', buried, finished_at(value) + number_at(value, 26, 6), id)
  call('ZADD', listed_of(1), digits(finished_at(value)), id)
  return true
end

local function drop_entry(key, entry)
  local finished = number_at(entry, #entry - 5, 6)
  for at = 1, #entry - 6, 16 do
    if spent >= limit then return false end
    spent = spent + 1
    local id = sub(entry, at, at + 15)
    local value = call('HGET', tasks, id)
    local over = value and is_ended(value) and finished_at(value) <= finished
    if over and not drop_unless_watched(id, value) then return false end
  end
  call('LPOP', key)
  call('HINCRBY', counts, '-:' .. sub(key, #prefix + 9), (#entry - 6) / 16)
  call('HINCRBY', counts, 'p:' .. sub(key, #prefix + 9), 1)
  return true
end

for at = first_queue_key + 6, #KEYS do
  local list = sub(KEYS[at], #prefix + 9)
  kept = kept + (call('HGET', counts, 's:' .. list) or 0) - (call('HGET', counts, '-:' .. list) or 0)
end
while kept > most and spent < limit do
  local oldest, key, entry = math.huge, nil, nil
  for at = first_queue_key + 6, #KEYS do
    local head = call('LINDEX', KEYS[at], 0)
    local time = head and number_at(head, #head - 5, 6) or math.huge
    if time < oldest then oldest, key, entry = time, KEYS[at], head end
  end
  if not key or not drop_entry(key, entry) then break end
  kept = kept - (#entry - 6) / 16
end

for _, letter in ipairs({'s', 'd', 'c', 'x'}) do
  local from, to = digits(bands[letter] * listed_band), '(' .. digits((bands[letter] + 1) * listed_band)
  local over = math.min(call('ZCOUNT', listed_of(1), from, to) - most, limit - spent)
  local ids = over > 0 and call('ZRANGE', listed_of(1), from, to, 'BYSCORE', 'LIMIT', 0, over) or {}
  for i = 1, #ids do
    local value = spent < limit and call('HGET', tasks, ids[i])
    spent = spent + 1
    if value and is_ended(value) and call('HEXISTS', watched, ids[i]) == 0 then
      call('ZREM', buried, ids[i])
      if not drop(ids[i], value, 1) then call('ZADD', buried, now, ids[i]) end
    end
  end
end
return {'ok', now, spent >= limit and math.max(deleted, limit) or deleted}
