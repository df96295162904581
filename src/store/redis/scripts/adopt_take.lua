-- adopt, what is taken: what stands aside of the queues and handlers that the caller serves and knows.
-- Needs: lib_record lib_entry lib_earliest lib_most lib_slots
local limit, known, queues = tonumber(ARGV[4]), {}, {}
local ids, bodies, lengths, remarks, bytes, room, more = {}, {}, {}, {}, 0, 1000, false
local all_but = ARGV[9] == '1'
local closed_till  -- when the first of the gates opens at which some stay aside (us; math.huge: when a slot is freed)
for i = 10, #ARGV do known[key_name(ARGV[i])] = true end
for at = first_queue_key, #KEYS, 6 do queues[sub(KEYS[at], #prefix + 7)] = (at - first_queue_key) / 6 + 1 end

-- One of them; what has gone on in another way since is struck off only, and what has a closed gate stays: as a ready one somebody
-- who does not know it could take it again. False: the reply is full.
local function take_one(q, member)
  local id = sub(member, -16)
  local body, noted = call('HGET', tasks, id), call('HGET', notes, id)
  local size = (body and #body or 0) + (noted and #noted or 0)
  if #ids > 0 and bytes + size > most_bytes then return false end
  local text = body and not is_ended(body) and entry_of(id, body, noted)
  if not text or tonumber(call('ZSCORE', due_of(q), text) or 0) < aside_band then
    call('ZREM', links, member)
    return true
  end
  if is_gated(body) then
    local theirs = gates_of(body)
    local gate, till = first_closed(theirs)
    if gate then
      closed_till = math.min(closed_till or math.huge, till)
      -- Of these few are looked at: they are there the next time as well.
      room = room - 10 - math.floor(1000 * size / most_bytes)
      return true
    end
    go_through(theirs)
    write_counts()
    gated_of[id] = theirs
  end
  call('ZREM', links, member)
  call('ZREM', due_of(q), text)
  local n = #ids + 1
  ids[n], bodies[n], lengths[n], bytes = id, body, #body, bytes + size
  if noted then remarks[#remarks + 1], remarks[#remarks + 2] = n, noted end
  return true
end

-- What stands aside of one queue and handler; `more` when some is left. When all that one call looks at have closed gates, the rest
-- of this group is left to the next time that somebody asks.
local function take_group(q, front)
  local from = '[' .. front
  repeat
    local found = call('ZRANGE', links, from, '[' .. front .. '\255', 'BYLEX', 'LIMIT', 0,
      math.min(limit - #ids + 1, 100))
    for i = 1, #found do
      if room <= 0 and closed_till then return end
      more = #ids == limit or room <= 0 or not take_one(q, found[i])
      if more then return end
      room, from = room - 1, '(' .. found[i]
    end
  until #found == 0
end
