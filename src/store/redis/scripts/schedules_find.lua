-- schedules_find: what is kept of these schedules.
-- Keys:    the shard's; `schedules`, `schedule`, `names`
-- Args:    ids
-- Returns: 'ok', now, '', then of each: id, record ('': there is none), how its last run stands
-- Cost:    O(ids)
-- Needs:   lib_there lib_schedules
local reply, kept = {}, hmget(records, ARGV)
for i = 1, #ARGV do
  local record, n = kept[i] or '', #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = ARGV[i], record, record == '' and '' or last_run_of(record)
end
return {'ok', now, '', unpack(reply)}
