-- Tasks with gates wait in groups when they are ready: those of one queue and the same gates. A group has turns like the plain
-- ready list, so that each comes to start something.
--
-- held:   'h' group (16 hex), priority (9 - p), order (13 digits), id -> the tasks of a group in order
--         't' queue, a line break, priority (9 - p), virtual time (14 digits), ticket, group -> the groups whose turn will come
--         (those that wait at a gate: lib_gates.lua)
--         A group of strangers, tasks whose handler some workers do not know, has for its queue that name, '!' and the handler's,
--         as they stand in keys: claims do not find its turn, `adopt` does (adopt_turns.lua).
-- groups: 'g' group -> length (2 bytes) of the member by which the group stands in `held`, this, its ticket, its gates
--         'i' id -> order of the task, of a stranger with '!' behind it; 'n' queue -> tasks, strangers too
-- gates:  'v' queue -> virtual time, 'l' queue -> that of the plain list; 'order' -> the last fifty tickets
-- stale:  'gated' while any is held: claims look closely then
-- Needs: lib_let_go lib_tell lib_entry lib_many
-- Gives: head_of hold hold_all unhold
local first_order = 5 * 10 ^ 12

function strangers.queue_of(body) return (string.gsub(sub(aside_front(body), 2, -2), '\n', '!')) end
-- Who came for them and found a gate closed hears first when one of their groups has its turn (gates: 'w' queue).
function strangers.came_for(queue, worker) call('HSET', gates, 'w' .. queue, digits(now + 3600000) .. ' ' .. worker) end

function tell_strangers(queue, real, handler)
  -- Nobody takes anything out of a paused queue.
  if call('HEXISTS', stale, real .. '\n') == 1 then return false end
  local till, worker = string.match(call('HGET', gates, 'w' .. queue) or '', '^(%d+) (.*)$')
  if till then
    -- Once: who does not come then keeps no place from others.
    call('HDEL', gates, 'w' .. queue)
    if tonumber(till) > now and call('PUBLISH', prefix .. 'wake:' .. worker, 'a') > 0 then return true end
  end
  return hints.idle(prefix .. 'idle:' .. real, hints.name_of(queue_named(handler)), 1) > 0
end

function head_of(group) return first_of('h' .. group) end

-- The group of a task that has come into it. True when somebody is to be woken for it.
local function join(queue, group, priority, text)
  local member, ticket = standing_of(group)
  if not member then
    local gate, till = first_closed(text)
    if gate then return wait_at(gate, till, queue, priority, group, new_ticket(), text) end
    line_up(queue, digit_of[priority], group, new_ticket(), text)
    return true
  end
  -- What is more urgent takes its group along.
  local at = byte(member) == 112 and #member - 30 or #queue + 3
  if priority < byte(member, at) - 48 then
    take_off(group, member)
    stand(group, sub(member, 1, at - 1) .. priority .. sub(member, at + 1), ticket, text)
  end
  return byte(member) == 116
end

local function mark_gated()
  if not seen.marked then call('HSET', stale, 'gated', '') end
  seen.marked = true
end

-- Puts a task into a group of this queue, which may be one of strangers: `mark` stands behind its order then.
local function hold_in(queue, q, id, body, front, mark)
  local text, priority = gates_of(body), early.rank_of(body)
  local group = group_of(queue, text)
  local step = front and -call('HINCRBY', control, 'front', 1) or call('HINCRBY', control, 'back', 1)
  local order = string.format('%013d', first_order + step)
  call('ZADD', held, '0', 'h' .. group .. priority .. order .. id)
  call('HSET', groups, 'i' .. id, order .. mark)
  call('HINCRBY', groups, 'n' .. name_of(q), 1)
  mark_gated()
  return join(queue, group, priority, text), group
end

-- Puts a task into its group: at its end, or before all others of its priority. True when somebody is to be woken for it.
function hold(q, id, body, front) return (hold_in(name_of(q), q, id, body, front, '')) end

-- The same of a stranger, at the end. Whoever brings it looks at its group's turn by itself.
function strangers.hold(q, id, body)
  local wakes, group = hold_in(strangers.queue_of(body), q, id, body, false, '!')
  return wakes and byte((standing_of(group))) == 112
end
-- `order`: as `groups` has it.
function strangers.is_marked(order) return sub(order or '', 14) == '!' end

-- The same for many, each at the end of its group; for how many somebody is to be woken.
function hold_all(q, ids, bodies)
  local queue, n, wakes = name_of(q), #ids, 0
  -- Of each group: its gates, it, its field, how many come into it, and the most urgent of them.
  local of, texts, all, their_fields, come, first, count = {}, {}, {}, {}, {}, {}, 0
  local members, fields, orders, step = {}, {}, {}, first_order + call('HINCRBY', control, 'back', n) - n
  for i = 1, n do
    local body, id, order = bodies[i], ids[i], written(orders, step + i, '%012d')
    local text, priority = gates_of(body), early.rank_of(body)
    local g = of[text]
    if not g then
      count = count + 1
      g = count
      local group = group_of(queue, text)
      of[text] = g
      texts[g] = text
      all[g] = group
      their_fields[g] = 'g' .. group
      come[g] = 1
      first[g] = priority
    else
      come[g] = come[g] + 1
      if priority < first[g] then first[g] = priority end
    end
    local at = 2 * i
    members[at - 1] = '0'
    members[at] = 'h' .. all[g] .. digit_of[priority] .. order .. id
    fields[at - 1] = 'i' .. id
    fields[at] = order
  end
  many('ZADD', held, members, 1, 2 * n)
  many('HSET', groups, fields, 1, 2 * n)
  call('HINCRBY', groups, 'n' .. queue, n)
  mark_gated()
  local well, at_gates = stand_well(all, their_fields, queue, first)
  local asked = {}
  for g = 1, count do
    if well[g] == nil then ask_running(asked, gates_in(texts[g])) end
  end
  read_running(asked)
  moving.begin()
  for g = 1, count do
    local wakes_for_it
    if well[g] then wakes_for_it = not at_gates[g] else wakes_for_it = join(queue, all[g], first[g], texts[g]) end
    if wakes_for_it then wakes = wakes + come[g] end
  end
  moving.done()
  return wakes
end

-- Takes a task out of its group. False when it is in none.
function unhold(q, id, body)
  local order = is_gated(body) and call('HGET', groups, 'i' .. id)
  if not order then return false end
  local queue, text = name_of(q), gates_of(body)
  if strangers.is_marked(order) then
    queue, order = strangers.queue_of(body), sub(order, 1, 13)
  end
  local group = group_of(queue, text)
  call('ZREM', held, 'h' .. group .. early.rank_of(body) .. order .. id)
  call('HDEL', groups, 'i' .. id)
  fewer_held(name_of(q), 1)
  local head = head_of(group)
  local member, ticket = standing_of(group)
  if head then
    -- What was more urgent than the others took the group along.
    local at = member and (byte(member) == 112 and #member - 30 or #queue + 3)
    if at and sub(member, at, at) ~= sub(head, 18, 18) then
      call('ZREM', held, member)
      stand(group, sub(member, 1, at - 1) .. sub(head, 18, 18) .. sub(member, at + 1), ticket, text)
    end
    return true
  end
  if member then
    call('ZREM', held, member)
    if byte(member) == 112 then left_gate(known_gate(sub(member, 2, 1 + gate_width))) end
  end
  dissolve(group)
  -- It may have been let go by one of them.
  let_all_go(text)
  none_is_held()
  return true
end
