-- recover: takes over tasks whose lease has run out, under one new claim of the caller.
-- Keys:    the shard's
-- Args:    lane, number, worker, about how many tasks, lease (ms), the process's mark, greatest claim number it has seen
-- Returns: 'ok', now, claim ('0': none), when the next lease runs out (ms or ''), ids in one text,
--          lengths of the bodies, these in one text, notes as (position, notes) pairs, positions of those that
--          had been handed to their worker (submit_new.lua) | 'late'
-- Cost:    O(tasks of the claims that ran out)
-- Needs:   lib_queues lib_lane lib_most lib_take lib_torn lib_again lib_groups
local ids, bodies, lengths, remarks, bytes, handed = {}, {}, {}, {}, 0, {}

-- The gates that tasks hold under their old claims: they go on to the new one.
local slots_held, moved = call('HLEN', slots) > call('HEXISTS', slots, '.'), {}

local function next_end()
  local first = call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2]
  return first and first ~= 'inf' and digits(tonumber(first)) or ''
end

-- One task of the old claim; false when the reply is full.
local function take_over(id, old, was_handed)
  if call('HGET', own, id) ~= old then
    -- It was cancelled, and its worker has not said since that the attempt is over.
    if slots_held then free_slot(id, old) end
    return true
  end
  local body, text = call('HGET', tasks, id), call('HGET', notes, id)
  if not body then
    call('HDEL', own, id)
    if slots_held then free_slot(id, old) end
    return true
  end
  local n, size = #ids + 1, #body + (text and #text or 0)
  if n > 1 and bytes + size > most_bytes then return false end
  bytes = bytes + size
  ids[n], bodies[n], lengths[n] = id, body, #body
  if text then remarks[#remarks + 1], remarks[#remarks + 2] = n, text end
  local held_slot = slots_held and call('HGET', slots, id .. old)
  if held_slot and returns.in_line(held_slot) then
    -- It had not come to run again.
    free_slot(id, old)
  elseif held_slot then
    call('HDEL', slots, id .. old)
    moved[id] = held_slot
  end
  if was_handed then handed[#handed + 1] = n end
  return true
end

-- The tasks of one claim. It ends with the last of them: while some are left it is torn, and stays without a lease, so that it
-- is the first to be looked at next. False when there are.
local function end_claim(old)
  local line = call('HGET', claims, old) or '\n'
  local first = string.find(line, '\n', 1, true) + 1
  for at = first, #line, 16 do
    if not take_over(sub(line, at, at + 15), old, #line == first + 16) then
      if at > first then
        tear()
        call('HSET', claims, old, sub(line, 1, first - 1) .. sub(line, at))
      end
      return false
    end
  end
  call('ZREM', leases, old)
  call('HDEL', claims, old)
  return true
end

local function recover()
  local limit = tonumber(ARGV[4])
  local over = call('ZRANGE', leases, '-inf', now, 'BYSCORE', 'LIMIT', 0, limit)
  -- Nothing changes, so nothing needs to be remembered: the usual round of an idle worker.
  if #over == 0 then return {'ok', now, '0', next_end(), '', '', '', {}, {}} end
  free_first()
  for _, old in ipairs(over) do
    if #ids >= limit or not end_claim(old) then break end
  end
  local number = #ids > 0 and take(ARGV[3], ids, tonumber(ARGV[5]), table.concat(ids), ARGV[6], ARGV[7]) or '0'
  for id, text in pairs(moved) do call('HSET', slots, id .. number, text) end
  local never_came = {}
  for i = 1, #handed do never_came[i] = ids[handed[i]] end
  return {'ok', now, number, next_end(), table.concat(ids), table.concat(lengths, ' '), table.concat(bodies), remarks,
    handed}, {number, table.concat(never_came)}
end

local function again(before)
  local taken, sizes, all, said = taken_before(before[1])
  local never_came, positions = {}, {}
  local names = before[2] or ''
  for at = 1, #names, 16 do never_came[sub(names, at, at + 15)] = true end
  for n = 1, #taken / 16 do
    if never_came[sub(taken, n * 16 - 15, n * 16)] then positions[#positions + 1] = n end
  end
  return {'ok', now, before[1], next_end(), taken, sizes, all, said, positions}
end

return once(ARGV[1], tonumber(ARGV[2]), recover, again)
