-- schedules_list: a page of schedules in the order of their names.
-- Keys:    the shard's; `schedules`, `schedule`, `names`
-- Args:    the name before the first ('' to begin), how many at most
-- Returns: 'ok', now, 1 when there are more, then of each: name, id, record, how its last run stands
-- Cost:    O(log schedules + schedules given)
-- Needs:   lib_there lib_schedules
local most, reply = tonumber(ARGV[2]), {}
local page = call('ZRANGE', names, ARGV[1] == '' and '-' or '(' .. ARGV[1], '+', 'BYLEX', 'LIMIT', 0, most + 1)
for i = 1, math.min(#page, most) do
  local name = page[i]
  local id = sub(name, -16)
  local record, n = call('HGET', records, id), #reply
  if record then
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = name, id, record, last_run_of(record)
  end
end
return {'ok', now, #page > most and 1 or 0, unpack(reply)}
