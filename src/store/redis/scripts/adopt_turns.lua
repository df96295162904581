-- adopt, what is taken of those that wait at limits: groups of strangers take turns like those of queues (lib_groups.lua).
-- Needs: lib_groups lib_paused adopt_take

-- The first task of the group whose turn it is, when its gates are open. False: the reply is full.
local function take_turn(q, queue, member)
  local group = sub(member, -16)
  local _, ticket, text = standing_of(group)
  local head = inside.head_of(group)
  local gate, till, id, body, noted
  if text and head then
    gate, till = first_closed(text)
    id = sub(head, -16)
    if not gate then body, noted = read_one(id) end
    if body == nil and not gate then return false end
  end
  call('ZREM', held, member)
  if not text or not head then return true end
  if not gate then
    call('ZREM', held, head)
    call('HDEL', groups, 'i' .. id)
    fewer_held(name_of(q), 1)
    if body and not is_ended(body) then
      start_one(id, text)
      add_one(id, body, noted)
    end
    head, ticket = inside.head_of(group), new_ticket()
    gate, till = first_closed(text)
  end
  if not head then
    dissolve(group)
    none_is_held()
  elseif not gate then
    line_up(queue, sub(head, 18, 18), group, ticket, text)
  else
    if wait_at(gate, till, queue, sub(head, 18, 18), group, ticket, text) then strangers.wake_for_opening(queue) end
    strangers.came_for(queue, ARGV[3])
  end
  let_all_go(text)
  return true
end

-- Those of one queue and handler; `more` when some are left.
local function take_strangers(q, queue)
  repeat
    local member = first_of('t' .. queue .. '\n')
    if not member then return end
    more = #ids == limit or room <= 0 or not take_turn(q, queue, member)
    room = room - 20
  until more
end

-- Of all queues, from a place on. Returns where to go on, '': all were looked at.
local function take_turns(after)
  if limit > 0 and call('HEXISTS', stale, 'gated') == 1 then open_gates(50) end
  local looks = 200
  repeat
    local first = call('ZRANGE', held, after == '' and '[t' or '(' .. after, '(u', 'BYLEX', 'LIMIT', 0, 1)[1]
    local queue = string.match(first or '', '^t([^\n]*)\n')
    if not queue then return '' end
    local real, handler = strangers.parts_of(queue)
    local q = real and queues[real]
    if q and serves(handler) and is_open(q) then take_strangers(q, queue) end
    after, looks = 't' .. queue .. '\n\255', looks - 1
  until more or looks == 0
  return after
end
