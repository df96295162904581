-- schedules_find: what is kept of these schedules.
-- Keys:    the shard's; `schedules`, `schedule`, `names`
-- Args:    ids
-- Returns: 'ok', now, '', then of each: id, record ('': there is none), how its last run stands; of the first ones alone when they
--          are large
-- Cost:    O(ids)
-- Needs:   lib_there lib_most lib_schedules
local reply, bytes = {}, 0
for i = 1, #ARGV do
  if bytes > most_bytes then break end
  local record, n = call('HGET', records, ARGV[i]) or '', #reply
  bytes = bytes + #record
  reply[n + 1], reply[n + 2], reply[n + 3] = ARGV[i], record, record == '' and '' or last_run_of(record)
end
return {'ok', now, '', unpack(reply)}
