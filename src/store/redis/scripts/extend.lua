-- extend: lengthens the leases of claims that still hold, and says which tasks are no longer the
-- caller's. A claim under which none of the tasks is that are named with it stays as it is.
-- Keys:    the shard's
-- Args:    lease (ms), 1: one that ends later stays as it is, count of claims, them, then (id, claim) pairs
-- Returns: 'ok', now, positions of lost claims, positions of lost tasks
-- Cost:    O(claims x log claims + tasks)
-- Needs:   lib_queues lib_many
free_first()
local lease, change, count = tonumber(ARGV[1]), ARGV[2] == '1' and 'GT' or 'XX', tonumber(ARGV[3])
local lost_claims, lost_tasks, asked = {}, {}, {}
for at = 4 + count, #ARGV, 2 do asked[#asked + 1] = ARGV[at] end
local holders, named, holds = hmget(own, asked), {}, {}
for i = 1, #asked do
  local claim = ARGV[3 + count + 2 * i]
  named[claim] = true
  if holders[i] == claim then
    holds[claim] = true
  else
    lost_tasks[#lost_tasks + 1] = i
  end
end
for i = 1, count do
  local claim = ARGV[3 + i]
  -- A lease past its end is lost although nobody has recovered its tasks yet.
  local ends = call('ZSCORE', leases, claim)
  if not ends or tonumber(ends) <= now then
    lost_claims[#lost_claims + 1] = i
  elseif holds[claim] or not named[claim] then
    call('ZADD', leases, change, upper + lease, claim)
  end
end
return {'ok', now, lost_claims, lost_tasks}
