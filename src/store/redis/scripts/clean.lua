-- clean: deletes ended tasks whose retention is over, and what gone workers left behind.
-- Keys:    the shard's; six for each queue; history lists
-- Args:    about how many tasks at most, then the retention (ms) of each history list
-- Returns: 'ok', now, how many were deleted or came nearer to it (0: nothing is left to do)
--          | 'elsewhere', queues whose keys are needed (nothing was written)
-- Cost:    O(deleted + history lists)
-- Needs:   lib_record lib_entry lib_deleted clean_read clean_drop clean_history
local limit, missing = tonumber(ARGV[1]), {}
local ids, values = read_buried(limit, missing)
if #missing > 0 then return {'elsewhere', unpack(missing)} end

free_first()
local before_lists = #KEYS - (#ARGV - 1)
for i = 2, #ARGV do clean_history(KEYS[before_lists + i - 1], tonumber(ARGV[i]), limit) end

for i = 1, #ids do
  if spent >= limit then break end
  spent = spent + 1
  call('ZREM', buried, ids[i])
  local began = traced(ids[i])
  if began then
    mark_deleted(began)
    done = done + 1
  end
  -- What was read is what is there, unless a list has named it too.
  local value = values[i] and call('HGET', tasks, ids[i])
  if value and is_ended(value) and not drop_over(ids[i], value, (queue_of(body_of(value)))) then
    call('ZADD', buried, now, ids[i])
  end
end

local gone = call('ZRANGE', workers, '-inf', now, 'BYSCORE', 'LIMIT', 0, 500)
if #gone > 0 then
  call('ZREM', workers, unpack(gone))
  call('HDEL', cards, unpack(gone))
end
-- What goes sooner its submitter knows of, or has left a trace.
mark_deleted(math.min(latest, now - trace_ms))
return {'ok', now, progress(limit)}
