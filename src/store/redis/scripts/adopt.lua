-- adopt: takes tasks that stand aside whose handlers the caller knows, under one new claim of the caller.
-- Keys:    the shard's; six for each queue it serves
-- Args:    lane, number, worker, how many at most (0: only asks whether there are any), lease (ms), where to begin
--          ('' or as told), the process's mark, greatest claim number it has seen, '1' when it takes all but the handlers
--          that follow, else '0', names of handlers
-- Returns: 'ok', now, claim number ('0': none), 1 when there may be more, where to go on ('': all was looked at), ids in
--          one text, lengths of the bodies, these in one text, notes as (position, notes) pairs | 'late'
-- Cost:    O(queues and handlers of which tasks stand aside, 200 at most, + taken)
-- Needs:   lib_there lib_lane lib_paused lib_take lib_again adopt_take
local function told(number, after, ids_text, sizes, bodies_text, said)
  return {'ok', now, number, more and 1 or 0, after, ids_text, sizes, bodies_text, said}
end

local function adopt()
  local after, groups = ARGV[6], 0
  if limit > 0 then free_first() end
  repeat
    local from = after == '' and '[h' or '(' .. after
    local head = call('ZRANGE', links, from, '(i', 'BYLEX', 'LIMIT', 0, 1)[1]
    local queue, handler = string.match(head or '', '^h([^\n]*)\n([^\n]*)\n')
    after = ''
    if not queue then break end
    local front, q = 'h' .. queue .. '\n' .. handler .. '\n', queues[queue]
    if q and (known[handler] ~= nil) ~= all_but and is_open(q) then take_group(q, front) end
    after, groups = front .. '\255', groups + 1
  until more or groups == 200
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
