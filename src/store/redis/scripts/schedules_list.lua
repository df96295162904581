-- schedules_list: a page of schedules in the order of their names.
-- Keys:    the shard's; `schedules`, `schedule`, `names`
-- Args:    the name before the first ('' to begin), how many at most
-- Returns: 'ok', now, 1 when there are more, then of each: name, id, record, how its last run stands
-- Cost:    O(log schedules + schedules given)
-- Needs:   lib_there lib_most lib_schedules
local most, reply, bytes = tonumber(ARGV[2]), {}, 0
local page = call('ZRANGE', names, ARGV[1] == '' and '-' or '(' .. ARGV[1], '+', 'BYLEX', 'LIMIT', 0, most + 1)
for i = 1, #page do
  if i > most or bytes > most_bytes then return {'ok', now, 1, unpack(reply)} end
  local name = page[i]
  local id = sub(name, -16)
  local record, n = call('HGET', records, id), #reply
  if record then
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = name, id, record, last_run_of(record)
    bytes = bytes + #record
  end
end
return {'ok', now, 0, unpack(reply)}
