-- The memory of lanes: a call that is repeated is answered from it and changes nothing.
--
-- lanes: lane -> 15 digits (number of its last call), 13 digits (when, ms), packed answer of that call.
-- Needs: lib_base
local function once(lane, number, act, again)
  local last = call('HGET', lanes, lane)
  if last then
    local before = tonumber(sub(last, 1, 15))
    if number == before then return again(cmsgpack.unpack(sub(last, 29))) end
    -- A copy of an older call that lingered on the way: its caller has long gone on.
    if number < before then return {'late'} end
  end
  local reply, memory = act()
  if memory then
    call('HSET', lanes, lane, string.format('%015d%013d', number, now) .. cmsgpack.pack(memory))
  end
  return reply
end
