-- How tasks come under a claim.
--
-- last_claim: control's `claim`, when it is known already.
-- The claim number is the fence of all tasks taken in one call: it only grows, and being at least the
-- time in us it does not repeat after a restore or fail-over to an older copy. Where the clock was set back as well it could:
-- so a claim is known by its number and the mark of the process that made it, which names the greatest one it has seen.
-- Needs: lib_base
local function take(worker, ids, lease, id_text, mark, seen, last_claim)
  local last = math.max(tonumber(last_claim or call('HGET', control, 'claim') or 0), tonumber(seen))
  local number = string.format('%d', math.max(last + 1, micros))
  call('HSET', control, 'claim', number)
  number = number .. mark
  -- Fifteen at a time: so many arguments Redis keeps room for between commands, and no table grows.
  local n, c = #ids, number
  local full = n - n % 15
  for i = 1, full, 15 do
    local a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, b4, b5, b6 = unpack(ids, i, i + 14)
    call('HSET', own, a1, c, a2, c, a3, c, a4, c, a5, c, a6, c, a7, c, a8, c, a9, c,
      b1, c, b2, c, b3, c, b4, c, b5, c, b6, c)
  end
  local rest = {}
  for i = full + 1, n do rest[#rest + 1], rest[#rest + 2] = ids[i], c end
  if full < n then call('HSET', own, unpack(rest)) end
  call('ZADD', leases, upper + lease, number)
  call('HSET', claims, number, worker .. '\n' .. id_text)
  return number
end
