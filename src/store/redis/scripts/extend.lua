-- extend: lengthens the leases of claims that still hold, and says which tasks are no longer the
-- caller's.
-- Keys:    the shard's
-- Args:    lease (ms), 1: one that ends later stays as it is, count of claims, them, then (id, claim) pairs
-- Returns: 'ok', now, positions of lost claims, positions of lost tasks
-- Cost:    O(claims x log claims + tasks)
-- Needs:   lib_queues lib_many
free_first()
local lease, change, count = tonumber(ARGV[1]), ARGV[2] == '1' and 'GT' or 'XX', tonumber(ARGV[3])
local lost_claims, lost_tasks, asked = {}, {}, {}
for i = 1, count do
  -- A lease past its end is lost although nobody has recovered its tasks yet.
  local ends = call('ZSCORE', leases, ARGV[3 + i])
  if ends and tonumber(ends) > now then
    call('ZADD', leases, change, upper + lease, ARGV[3 + i])
  else
    lost_claims[#lost_claims + 1] = i
  end
end
for at = 4 + count, #ARGV, 2 do asked[#asked + 1] = ARGV[at] end
local holders = hmget(own, asked)
for i = 1, #asked do
  if holders[i] ~= ARGV[3 + count + 2 * i] then lost_tasks[#lost_tasks + 1] = i end
end
return {'ok', now, lost_claims, lost_tasks}
