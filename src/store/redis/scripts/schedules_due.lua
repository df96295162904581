-- schedules_due: schedules that are to be looked at, the earliest first; fewer than there are when they are large.
-- Keys:    the shard's; `schedules`, `schedule`, `names`
-- Args:    worker, how many at most
-- Returns: 'ok', now, when this worker is to look again (ms or ''), then id, record, how its last run stands of each
-- Cost:    O(log schedules + schedules given)
-- Needs:   lib_there lib_most lib_names lib_schedules
free_first()
local worker, reply, bytes = ARGV[1], {}, 0
local due = call('ZRANGE', schedules, '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
for i = 1, #due do
  if bytes > most_bytes then break end
  local record = call('HGET', records, due[i])
  if record then
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3] = due[i], record, last_run_of(record)
    bytes = bytes + #record
  else
    call('ZREM', schedules, due[i])
  end
end

local first = tonumber(call('ZRANGE', schedules, '(' .. now, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2])
local when, who = post()
-- Who fires asks again before it sleeps. Until then it has the post: its own steps need not wake anybody.
if #due > 0 then
  call('HSET', control, 'scheduler', digits(now) .. ' ' .. worker)
  return {'ok', now, first and digits(first) or '', unpack(reply)}
end
local theirs = first and when and who ~= worker and when <= first + 50 and when > now - 100
  and tonumber(call('ZSCORE', workers, process_of(who)) or 0) > now
if theirs then
  first = first + 500
elseif first then
  call('HSET', control, 'scheduler', digits(first) .. ' ' .. worker)
elseif who == worker then
  call('HDEL', control, 'scheduler')
end
return {'ok', now, first and digits(first) or '', unpack(reply)}
