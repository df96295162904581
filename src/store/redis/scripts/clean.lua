-- clean: deletes ended tasks whose retention is over, and what gone workers left behind.
-- Keys:    the shard's; history lists
-- Args:    about how many tasks at most, then the retention (ms) of each history list
-- Returns: 'ok', now, deleted
-- Cost:    O(deleted); one page of lanes
free_first()
local limit, deleted = tonumber(ARGV[1]), 0

-- False when it takes another call.
local function drop(id, value)
  if not untie(id) then return false end
  call('HDEL', waiting, id)
  deleted = deleted + 1
  call('HDEL', notes, id)
  -- The id goes on refusing duplicates for as long as was promised, without its arguments and result.
  local unique_until = finished_at(value) + unique_for(value)
  if unique_until > now then
    keep_remnant(id, value, unique_until)
  else
    call('HDEL', tasks, id)
    drop_stages(id)
  end
  return true
end

-- An entry may be of an earlier life of an id: an end after the entry was written is another one's.
local function drop_all(entry, finished)
  for at = 1, #entry - 6, 16 do
    local id = sub(entry, at, at + 15)
    local value = call('HGET', tasks, id)
    local over = value and is_ended(value) and finished_at(value) <= finished
    if over and not drop(id, value) then return false end
  end
  return true
end

local function clean_history(key, retention)
  while deleted < limit do
    local entry = call('LINDEX', key, 0)
    local finished = entry and number_at(entry, #entry - 5, 6)
    if not entry or finished + retention > now then break end
    if not drop_all(entry, finished) then break end
    call('LPOP', key)
  end
  if call('EXISTS', key) == 0 then call('SREM', histories, sub(key, #prefix + 9)) end
end

for h = first_queue_key, #KEYS do clean_history(KEYS[h], tonumber(ARGV[h - first_queue_key + 2])) end

local left = math.max(limit - deleted, 0)
for _, id in ipairs(call('ZRANGE', buried, '-inf', now, 'BYSCORE', 'LIMIT', 0, left)) do
  call('ZREM', buried, id)
  local value = call('HGET', tasks, id)
  if value and is_ended(value) and not drop(id, value) then call('ZADD', buried, now, id) end
end

local page = call('HSCAN', lanes, call('HGET', control, 'lanes_page') or '0', 'COUNT', 200)
for i = 1, #page[2], 2 do
  local used = tonumber(sub(page[2][i + 1], 16, 28))
  if used and used < now - 3600000 then call('HDEL', lanes, page[2][i]) end
end
call('HSET', control, 'lanes_page', page[1])
for _, worker in ipairs(call('ZRANGE', workers, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000)) do
  call('ZREM', workers, worker)
  call('HDEL', cards, worker)
end
return {'ok', now, deleted}
