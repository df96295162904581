-- clean: deletes ended tasks whose retention is over, and what gone workers left behind.
-- Keys:    the shard's; six for each queue; arrived; history lists
-- Args:    about how many tasks at most, how long arrivals are remembered (ms), then the retention (ms) of each
--          history list
-- Returns: 'ok', now, deleted (as many as were asked for: there may be more)
--          | 'elsewhere', queues whose keys are needed (nothing was written)
-- Cost:    O(deleted); one page of lanes and of arrivals
local limit, missing = tonumber(ARGV[1]), {}
local ids, values = read_buried(limit, missing)
if #missing > 0 then return {'elsewhere', unpack(missing)} end

free_first()
local before_lists = #KEYS - (#ARGV - 2)
for i = 3, #ARGV do clean_history(KEYS[before_lists + i - 2], tonumber(ARGV[i]), limit) end
clean_arrived(KEYS[before_lists], now - ARGV[2])

for i = 1, #ids do
  if spent >= limit then break end
  spent = spent + 1
  call('ZREM', buried, ids[i])
  -- What was read is what is there, unless a list has named it too.
  local value = values[i] and call('HGET', tasks, ids[i])
  if value and is_ended(value) and not drop(ids[i], value, (queue_of(body_of(value)))) then
    call('ZADD', buried, now, ids[i])
  end
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
return {'ok', now, spent >= limit and math.max(deleted, limit) or deleted}
