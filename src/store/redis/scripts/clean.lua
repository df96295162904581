-- clean: deletes ended tasks whose retention is over, and what gone workers left behind.
-- Keys:    the shard's; history lists
-- Args:    how many tasks at most, then the retention (ms) of each history list
-- Returns: 'ok', now, deleted
-- Cost:    O(deleted); one page of lanes
free_first()
local limit, deleted = tonumber(ARGV[1]), 0

local function drop(id, record)
  deleted = deleted + 1
  local success, finished = sub(record, 14, 14) == 's', tonumber(sub(record, 1, 13))
  local unique_until = success and finished + number_at(record, 15, 6) or 0
  local body = call('HGET', tasks, id)
  call('HDEL', notes, id)
  -- The id goes on refusing duplicates for as long as was promised, without its arguments and result.
  if body and unique_until > now then return keep_stub(id, body, record, unique_until) end
  call('HDEL', tasks, id)
  call('HDEL', ended, id)
end

for h = 15, #KEYS do
  if deleted >= limit then break end
  local list, retention, over = call('LRANGE', KEYS[h], 0, limit - deleted - 1), tonumber(ARGV[h - 13]), 0
  for i = 1, #list do
    local id, finished = sub(list[i], 1, 16), number_at(list[i], 17, 6)
    if finished + retention > now then break end
    over = over + 1
    -- The entry may be of an earlier life: only the end that it was written for counts.
    local record = call('HGET', ended, id)
    if record and tonumber(sub(record, 1, 13)) == finished then drop(id, record) end
  end
  if over > 0 then call('LTRIM', KEYS[h], over, -1) end
  if call('EXISTS', KEYS[h]) == 0 then call('SREM', histories, sub(KEYS[h], #prefix + 9)) end
end

local left = math.max(limit - deleted, 0)
for _, id in ipairs(call('ZRANGE', buried, '-inf', now, 'BYSCORE', 'LIMIT', 0, left)) do
  call('ZREM', buried, id)
  local record = call('HGET', ended, id)
  if record then drop(id, record) end
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
