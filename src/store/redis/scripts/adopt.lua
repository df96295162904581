-- adopt: takes tasks that stand aside whose handlers the caller knows, under one new claim of the caller.
-- Keys:    the shard's; six for each queue it serves
-- Args:    lane, number, worker, how many at most (0: only asks whether there are any), lease (ms), where to begin
--          ('' or as told), the process's mark, greatest claim number it has seen, names of handlers
-- Returns: 'ok', now, claim number ('0': none), 1 when there may be more, where to go on ('': all was looked at), ids in
--          one text, lengths of the bodies, these in one text, notes as (position, notes) pairs | 'late'
-- Cost:    O(queues and handlers of which tasks stand aside, 200 at most, + taken)
local limit, known, queues = tonumber(ARGV[4]), {}, {}
local ids, bodies, lengths, remarks, bytes, room, more = {}, {}, {}, {}, 0, 1000, false
for i = 9, #ARGV do known[key_name(ARGV[i])] = true end
for at = first_queue_key, #KEYS, 6 do queues[sub(KEYS[at], #prefix + 7)] = (at - first_queue_key) / 6 + 1 end

-- One of them; what has gone on in another way since is struck off only. False: the reply is full.
local function take_one(q, member)
  local id = sub(member, -16)
  local body, noted = call('HGET', tasks, id), call('HGET', notes, id)
  local size = (body and #body or 0) + (noted and #noted or 0)
  if #ids > 0 and bytes + size > most_bytes then return false end
  call('ZREM', links, member)
  if not body or is_ended(body) then return true end
  local text = entry(id, priority_of(body), noted)
  if tonumber(call('ZSCORE', due_of(q), text) or 0) < aside_band then return true end
  call('ZREM', due_of(q), text)
  local n = #ids + 1
  ids[n], bodies[n], lengths[n], bytes = id, body, #body, bytes + size
  if noted then remarks[#remarks + 1], remarks[#remarks + 2] = n, noted end
  return true
end

-- What stands aside of one queue and handler; `more` when some is left.
local function take_group(q, front)
  repeat
    local found = call('ZRANGE', links, '[' .. front, '[' .. front .. '\255', 'BYLEX', 'LIMIT', 0,
      math.min(limit - #ids + 1, 100))
    for i = 1, #found do
      more = #ids == limit or room == 0 or not take_one(q, found[i])
      if more then return end
      room = room - 1
    end
  until #found == 0
end

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
    if q and known[handler] and is_open(q) then take_group(q, front) end
    after, groups = front .. '\255', groups + 1
  until more or groups == 200
  if more then after = '' end
  local id_text = table.concat(ids)
  local number = #ids > 0 and take(ARGV[3], ids, tonumber(ARGV[5]), id_text, ARGV[7], ARGV[8]) or '0'
  local reply = told(number, after, id_text, table.concat(lengths, ' '), table.concat(bodies), remarks)
  return reply, #ids > 0 and {number} or nil
end

local function again(before)
  more = true  -- as far as one can tell now
  return told(before[1], '', taken_before(before[1]))
end

return once(ARGV[1], tonumber(ARGV[2]), adopt, again)
