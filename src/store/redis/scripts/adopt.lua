-- adopt: takes tasks that stand aside, or wait as strangers at limits, whose handlers the caller knows, under one new claim of the
-- caller.
-- Keys:    the shard's; six for each queue it serves
-- Args:    lane, number, worker, how many at most (0: only asks whether there are any), lease (ms), where to begin
--          ('' or as told), the process's mark, greatest claim number it has seen, '1' when it takes all but the handlers
--          that follow, else '0', names of handlers
-- Returns: 'ok', now, claim number ('0': none), 1 when there may be more, where to go on ('': all was looked at), ids in
--          one text, lengths of the bodies, these in one text, notes as (position, notes) pairs | 'late'
-- Cost:    O(queues and handlers of which tasks stand aside, 200 at most, + taken, + 100 that go to a limit)
-- Needs:   lib_there lib_lane lib_paused lib_take lib_again adopt_take adopt_turns
local function told(number, after, ids_text, sizes, bodies_text, said)
  return {'ok', now, number, more and 1 or 0, after, ids_text, sizes, bodies_text, said}
end

-- Of all that stand aside, from a place on. Returns where to go on, '': all were looked at.
local function take_aside(after)
  local groups = 0
  repeat
    local from = after == '' and '[h' or '(' .. after
    local head = call('ZRANGE', links, from, '(i', 'BYLEX', 'LIMIT', 0, 1)[1]
    local queue, handler = string.match(head or '', '^h([^\n]*)\n([^\n]*)\n')
    if not queue then return '' end
    local front, q = 'h' .. queue .. '\n' .. handler .. '\n', queues[queue]
    if q and serves(handler) and is_open(q) then take_group(q, front) end
    after, groups = front .. '\255', groups + 1
  until more or groups == 200
  return after
end

local function adopt()
  local after = ARGV[6]
  if limit > 0 then free_first() end
  -- Those that wait at limits have come before.
  if after == '' or byte(after) == 116 then after = take_turns(after) end
  if not more and byte(after) ~= 116 then after = take_aside(after) end
  if more then after = '' end
  local id_text = table.concat(ids)
  local number = #ids > 0 and take(ARGV[3], ids, tonumber(ARGV[5]), id_text, ARGV[7], ARGV[8]) or '0'
  take_slots(ids, number)
  local reply = told(number, after, id_text, table.concat(lengths, ' '), table.concat(bodies), remarks)
  return reply, #ids > 0 and {number} or nil
end

local function again(before)
  more = true  -- as far as one can tell now
  return told(before[1], '', taken_before(before[1]))
end

return once(ARGV[1], tonumber(ARGV[2]), adopt, again)
