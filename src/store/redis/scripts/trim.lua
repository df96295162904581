-- trim: deletes the oldest ended tasks of a queue beyond so many; ids go on refusing duplicates as promised.
-- Keys:    the shard's; six for the queue; its history lists
-- Args:    how many are kept (of successes, and of each other end), about how many are deleted at most
-- Returns: 'ok', now, deleted
-- Cost:    O(deleted)
local most, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
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
    local id = sub(entry, at, at + 15)
    local value = call('HGET', tasks, id)
    local over = value and is_ended(value) and finished_at(value) <= finished
    if over and not drop_unless_watched(id, value) then return false end
  end
  call('LPOP', key)
  local list = sub(key, #prefix + 9)
  call('HINCRBY', counts, '-:' .. list, (#entry - 6) / 16)
  call('HINCRBY', counts, 'p:' .. list, 1)
  return true
end

local kept = 0
for at = first_queue_key + 6, #KEYS do
  local list = sub(KEYS[at], #prefix + 9)
  kept = kept + (call('HGET', counts, 's:' .. list) or 0) - (call('HGET', counts, '-:' .. list) or 0)
end
while kept > most and deleted < limit do
  local oldest, key, entry = math.huge, nil, nil
  for at = first_queue_key + 6, #KEYS do
    local head = call('LINDEX', KEYS[at], 0)
    local time = head and number_at(head, #head - 5, 6)
    if head and time < oldest then oldest, key, entry = time, KEYS[at], head end
  end
  if not key or not drop_entry(key, entry) then break end
  kept = kept - (#entry - 6) / 16
end

for _, letter in ipairs({'s', 'd', 'c', 'x'}) do
  local from = digits(bands[letter] * listed_band)
  local to = '(' .. digits((bands[letter] + 1) * listed_band)
  local over = math.min(call('ZCOUNT', listed_of(1), from, to) - most, limit - deleted)
  local ids = over > 0 and call('ZRANGE', listed_of(1), from, to, 'BYSCORE', 'LIMIT', 0, over) or {}
  for i = 1, #ids do
    local value = call('HGET', tasks, ids[i])
    if value and is_ended(value) and call('HEXISTS', watched, ids[i]) == 0 then
      call('ZREM', buried, ids[i])
      if not drop(ids[i], value, 1) then call('ZADD', buried, now, ids[i]) end
    end
  end
end
return {'ok', now, deleted}
