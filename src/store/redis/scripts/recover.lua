-- recover: takes over tasks whose lease has run out, under one new claim of the caller.
-- Keys:    the shard's
-- Args:    lane, number, worker, about how many tasks, lease (ms)
-- Returns: 'ok', now, claim number ('0': none), ids in one text, bodies, notes as (position, notes) pairs
--          | 'late'
-- Cost:    O(tasks of the claims that ran out)
local function recover()
  free_first()
  local limit, ids, bodies = tonumber(ARGV[4]), {}, {}
  for _, old in ipairs(call('ZRANGE', leases, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit)) do
    if #ids >= limit then break end
    local line = call('HGET', claims, old) or '\n'
    for at = string.find(line, '\n', 1, true) + 1, #line, 16 do
      local id = sub(line, at, at + 15)
      if call('HGET', own, id) == old then
        local body = call('HGET', tasks, id)
        if body then
          ids[#ids + 1] = id
          bodies[#bodies + 1] = body
        else
          call('HDEL', own, id)
        end
      end
    end
    call('ZREM', leases, old)
    call('HDEL', claims, old)
  end
  local number = #ids > 0 and take(ARGV[3], ids, tonumber(ARGV[5])) or '0'
  return {'ok', now, number, carry(ids, bodies)}, {number}
end

local function again(before)
  return {'ok', now, before[1], taken_before(before[1])}
end

return once(ARGV[1], tonumber(ARGV[2]), recover, again)
