-- leave: a worker claims no more; what it was to do falls to another.
-- Keys:    the shard's; six for each queue it served
-- Args:    worker, number of queues, as whom it may be idle (lib_wake.lua)
-- Returns: 'ok', now
-- Cost:    O(queues)
-- Needs:   lib_names lib_wake lib_ready
local worker, queues = ARGV[1], tonumber(ARGV[2])
free_first()
call('ZREM', workers, process_of(worker))
call('HDEL', cards, process_of(worker))
call('ZREM', outbox, 'R' .. worker)
for q = 1, queues do
  call('SREM', idle_of(q), ARGV[3])
  local post = call('HGET', control, 'sleeper:' .. name_of(q))
  local slept = post and string.match(post, ' (.*)$') == process_of(worker)
  if slept then call('HDEL', control, 'sleeper:' .. name_of(q)) end
  -- It may have been woken for a task that it did not claim, or been the one to sleep until the next due
  -- time.
  if slept or any_ready(q) then wake(q, 1) end
end
-- Likewise of what a rate opens.
local post = call('HGET', control, 'sleeper:!')
if post and string.match(post, ' (.*)$') == process_of(worker) then
  call('HDEL', control, 'sleeper:!')
  for q = 1, queues do wake(q, 1) end
end
return {'ok', now}
