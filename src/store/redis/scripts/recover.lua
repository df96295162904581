-- recover: takes over tasks whose lease has run out, under one new claim of the caller.
-- Keys:    the shard's
-- Args:    lane, number, worker, about how many tasks, lease (ms)
-- Returns: 'ok', now, claim number ('0': none), when the next lease runs out (ms or ''), ids in one text,
--          lengths of the bodies, these in one text, notes as (position, notes) pairs, positions of those that
--          had been handed to their worker (submit_new.lua) | 'late'
-- Cost:    O(tasks of the claims that ran out)
local function next_end()
  local first = call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2]
  return first and first ~= 'inf' and digits(tonumber(first)) or ''
end

local function told(number, handed, ids, lengths, bodies, noted)
  return {'ok', now, number, next_end(), ids, lengths, bodies, noted, handed}
end

local function recover()
  local limit, ids, bodies, lengths, bytes, handed = tonumber(ARGV[4]), {}, {}, {}, 0, {}
  local over = call('ZRANGE', leases, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit)
  -- Nothing changes, so nothing needs to be remembered: the usual round of an idle worker.
  if #over == 0 then return told('0', {}, carry({}, {}, {})) end
  free_first()
  for _, old in ipairs(over) do
    if #ids >= limit or bytes > most_bytes then break end
    local line = call('HGET', claims, old) or '\n'
    local first = string.find(line, '\n', 1, true) + 1
    for at = first, #line, 16 do
      local id = sub(line, at, at + 15)
      if call('HGET', own, id) == old then
        local body = call('HGET', tasks, id)
        if body then
          local n = #ids + 1
          ids[n], bodies[n], lengths[n] = id, body, #body
          bytes = bytes + #body
          if #line == first + 16 then handed[1 + #handed] = n end
        else
          call('HDEL', own, id)
        end
      end
    end
    call('ZREM', leases, old)
    call('HDEL', claims, old)
  end
  local number = #ids > 0 and take(ARGV[3], ids, tonumber(ARGV[5]), table.concat(ids)) or '0'
  return told(number, handed, carry(ids, lengths, bodies)), {number}
end

local function again(before)
  return told(before[1], {}, taken_before(before[1]))
end

return once(ARGV[1], tonumber(ARGV[2]), recover, again)
