-- busy: a worker that waits for tasks has no room for them now; what it may have been woken for falls to
-- another.
-- Keys:    the shard's; five for each queue it serves
-- Args:    as whom it may be idle (lib_wake.lua), number of queues
-- Returns: 'ok', now
-- Cost:    O(queues)
-- Needs:   lib_wake lib_ready
for q = 1, tonumber(ARGV[2]) do
  call('SREM', idle_of(q), ARGV[1])
  if any_ready(q) then wake(q, 1) end
end
return {'ok', now}
