-- How tasks come under a claim.
--
-- The claim number is the fence of all tasks taken in one call: it only grows, and being at least the
-- time in us it does not repeat after a restore or fail-over to an older copy.
local function take(worker, ids, lease)
  local last = tonumber(call('HGET', control, 'claim') or 0)
  local number = digits(math.max(last + 1, micros))
  call('HSET', control, 'claim', number)
  local pairs_of = {}
  local at = 1
  for i = 1, #ids do
    pairs_of[at], pairs_of[at + 1] = ids[i], number
    at = at + 2
  end
  many('HSET', own, pairs_of, 1, at - 1)
  call('ZADD', leases, upper + lease, number)
  call('HSET', claims, number, worker .. '\n' .. table.concat(ids))
  return number
end
