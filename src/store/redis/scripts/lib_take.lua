-- How tasks come under a claim.
--
-- The claim number is the fence of all tasks taken in one call: it only grows, and being at least the
-- time in us it does not repeat after a restore or fail-over to an older copy.
local function take(worker, ids, lease, id_text)
  local last = tonumber(call('HGET', control, 'claim') or 0)
  local number = string.format('%d', math.max(last + 1, micros))
  call('HSET', control, 'claim', number)
  local pairs_of = {}
  for i = 1, #ids do
    pairs_of[2 * i - 1], pairs_of[2 * i] = ids[i], number
  end
  many('HSET', own, pairs_of, 1, 2 * #ids)
  call('ZADD', leases, upper + lease, number)
  call('HSET', claims, number, worker .. '\n' .. id_text)
  return number
end
