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
-- Needs: lib_gates lib_returns lib_names lib_wake lib_tell lib_entry lib_many
-- Gives: groups first_of any_turn stand new_ticket standing_of dissolve none_is_held fewer_held line_up wait_at woken wakes_late
-- Gives: strangers wake_late let_go let_all_go let_go_from open_gates head_of hold hold_all unhold free_slots free_slot
groups = prefix .. 'groups'
local first_order = 5 * 10 ^ 12

function first_of(front) return call('ZRANGE', held, '[' .. front, '[' .. front .. '\255', 'BYLEX', 'LIMIT', 0, 1)[1] end
function any_turn(queue) return first_of('t' .. queue .. '\n') ~= nil end

local function turn_member(queue, priority, time, ticket, group)
  return 't' .. queue .. '\n' .. priority .. string.format('%014.0f', time) .. ticket .. group
end

-- `ticket`: those with smaller ones have waited for longer since they last started something (14 digits).
function stand(group, member, ticket, text)
  call('ZADD', held, 0, member)
  call('HSET', groups, 'g' .. group, struct.pack('>I2', #member) .. member .. ticket .. text)
  seen.standings[group] = {member, ticket, text}
  if byte(member) == 116 then seen.turns_moved = true end
end
-- Some at a time: what this call does not use nobody does.
function new_ticket()
  if not seen.ticket or seen.ticket % 50 == 0 then seen.ticket = 50 * call('HINCRBY', gates, 'order', 1) end
  seen.ticket = seen.ticket + 1
  return string.format('%014.0f', seen.ticket)
end

-- Where the group stands in `held`, its ticket and its gates; nil: it is empty.
function standing_of(group)
  local known = seen.standings[group]
  if known then return known[1], known[2], known[3] end
  local value = call('HGET', groups, 'g' .. group)
  if not value then return end
  local length = struct.unpack('>I2', value)
  known = {sub(value, 3, 2 + length), sub(value, 3 + length, 16 + length), sub(value, 17 + length)}
  seen.standings[group] = known
  return known[1], known[2], known[3]
end

-- The last of its tasks has left it.
function dissolve(group)
  seen.standings[group] = nil
  call('HDEL', groups, 'g' .. group)
end
function none_is_held()
  if call('ZCARD', held) > 0 then return end
  call('HDEL', stale, 'gated')
  seen.marked = false
end
function fewer_held(queue, by)
  if call('HINCRBY', groups, 'n' .. queue, -by) <= 0 then call('HDEL', groups, 'n' .. queue) end
end

-- Its turn comes, at the present virtual time of its queue.
function line_up(queue, priority, group, ticket, text)
  seen.times[queue] = seen.times[queue] or tonumber(call('HGET', gates, 'v' .. queue) or 0)
  local time = seen.times[queue]
  stand(group, turn_member(queue, priority, time, ticket, group), ticket, text)
end

-- Remembers when a rate opens a gate. True when that is the first of all: whoever sleeps until one opens sleeps too long.
local function open_at(gate, till)
  local at, first = math.ceil(till / 1000), call('ZRANGE', opens, 0, 0, 'WITHSCORES')[2]
  call('ZADD', opens, at, gate)
  return not first or at < tonumber(first)
end

-- The time in which anybody waits because of a limit is counted: from the first who does to when nobody is found any more.
local function begin_wait(gate)
  local rule = rule_of(gate)
  if rule.waited_since then return end
  rule.waited_since = now
  call('HSET', limits, 'w' .. sub(gate, 2, 9), digits(now))
end

-- True when somebody is to be woken, to sleep until the gate opens.
function wait_at(gate, till, queue, priority, group, ticket, text)
  stand(group, 'p' .. gate .. queue .. '\n' .. priority .. ticket .. group, ticket, text)
  seen.unwaited[sub(gate, 1, 9)], seen.unwaited[gate] = false, nil
  begin_wait(gate)
  return till < math.huge and open_at(gate, till)
end

-- Queues of which this call wakes a worker for a group, and those of which one is to sleep until a gate opens: at once, or when
-- the call has taken what it takes (work_seldom.lua).
woken, wakes_late = {}, false
local opening = {}
local function wake_for(list, queue)
  list[queue] = true
  if not wakes_late then wake_in(prefix .. 'idle:' .. queue, 1) end
end

-- Who frees a place and claims in one call would take it before any stranger, and before any group of a queue from which it does
-- not claim: their workers come with another call. So one is promised to such a group, as the first of all that wait there, when a
-- worker has heard of it that is idle, or came for strangers before and found the gate closed. Who stands back for it looks again
-- after this time (us), whatever has become of it.
-- `heard`: whether one has in this call, by queue of strangers; `calls`: how many workers of other queues it may still tell;
-- `claims_from`: how many of the queues it claims from itself, when it has reported (work_seldom.lua).
strangers = {promised_for = 1000000, heard = {}, calls = chain, claims_from = 0}

function strangers.queue_of(body) return (string.gsub(sub(aside_front(body), 2, -2), '\n', '!')) end
-- Its real queue and its handler, as they stand in keys; nil: it is none of strangers.
function strangers.parts_of(queue) return string.match(queue, '^([^!]*)!(.*)$') end

-- Who came for them and found a gate closed hears first when one of their groups has its turn (gates: 'w' queue).
function strangers.came_for(queue, worker) call('HSET', gates, 'w' .. queue, digits(now + 3600000) .. ' ' .. worker) end

-- Whether a worker has heard of a turn that knows them.
function strangers.tell(queue, real, handler)
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

-- In a call that claims: whether a worker has heard of the turn of a queue from which it does not. Of each turn another worker,
-- which may have room for no more.
function strangers.call_for(queue)
  if not wakes_late or strangers.calls == 0 then return false end
  for q = 1, strangers.claims_from do
    if name_of(q) == queue then return false end
  end
  if call('HEXISTS', stale, queue .. '\n') == 1 then return false end
  strangers.calls = strangers.calls - 1
  return wake_in(prefix .. 'idle:' .. queue, 1) > 0
end

-- For a group whose turn has come. Of strangers a worker is told that knows them, once in a call; true when it has heard.
function strangers.wake_for_turn(queue)
  local real, handler = strangers.parts_of(queue)
  if not real then
    if strangers.call_for(queue) then return true end
    wake_for(woken, queue)
    return false
  end
  if strangers.heard[queue] == nil then strangers.heard[queue] = strangers.tell(queue, real, handler) end
  return strangers.heard[queue]
end
-- Whether the next start at a gate closes it.
function strangers.is_last_place(known)
  local rule = known.rule
  if known.runs and rule.most and running(known.name) + 1 >= rule.most then return true end
  return known.starts and rule.spacing and used_up(known.name, rule) + rule.spacing - rule.tolerance > micros
end
-- One is to sleep until a gate opens.
function strangers.wake_for_opening(queue) wake_for(opening, strangers.parts_of(queue) or queue) end

-- For what the call has not taken itself. Who waits then, looks at openings, too.
function wake_late(waits)
  for queue in pairs(woken) do
    if any_turn(queue) then wake_in(prefix .. 'idle:' .. queue, 1) end
  end
  for queue in pairs(waits and {} or opening) do wake_in(prefix .. 'idle:' .. queue, 1) end
end

-- At no gate of a kind and limit. Who stops waiting is not noticed.
local function nobody_waits(front)
  if seen.unwaited[front] == nil then
    -- Keys are hashes of any bytes.
    local last = '[p' .. front .. string.rep('\255', 9)
    seen.unwaited[front] = call('ZRANGE', held, '[p' .. front, last, 'BYLEX', 'LIMIT', 0, 1)[1] == nil
  end
  return seen.unwaited[front]
end

-- One has left its gate, perhaps the last: where the time counts, that is looked up again.
local function left(gate)
  if rule_of(gate).waited_since then seen.unwaited[sub(gate, 1, 9)] = nil end
end

-- Nobody waits at this gate. Where nobody does at any of its limit either, the time ends.
local function end_wait(known)
  local rule, limit = known.rule, sub(known.name, 2, 9)
  if not rule.waited_since then return end
  for _, kind in ipairs({'b', 'm', 's'}) do
    if not nobody_waits(kind .. limit) then return end
  end
  call('HINCRBY', limits, 'z' .. limit, digits(math.max(0, now - rule.waited_since)))
  call('HDEL', limits, 'w' .. limit)
  rule.waited_since = nil
end

-- If the gate is open: lets the first of those go on that wait at it, of each queue, since nobody may serve one of them. Who
-- goes on lets the next go when it is looked at. Before them come those who have started already.
function let_go(gate)
  local known = known_gate(gate)
  returns.let_run(known)
  if seen.unwaited[gate] or nobody_waits(known.limit) then return end_wait(known) end
  local till = closed(known)
  if till == math.huge then return end
  if not till and seen.promised[gate] and strangers.is_last_place(known) then till = micros + strangers.promised_for end
  local two = call('ZRANGE', held, '[p' .. gate, '[p' .. gate .. '\255', 'BYLEX', 'LIMIT', 0, 2)
  local first = two[1]
  seen.unwaited[gate] = first == nil
  if not first then return end
  if till then
    if open_at(gate, till) then strangers.wake_for_opening(sub(first, 2 + gate_width, -33)) end
    return
  end
  repeat
    local queue, group, priority = sub(first, 2 + gate_width, -33), sub(first, -16), sub(first, -31, -31)
    local _, ticket, text = standing_of(group)
    call('ZREM', held, first)
    left(gate)
    if text then line_up(queue, priority, group, ticket, text) end
    if strangers.wake_for_turn(queue) and text and not first_closed(text) then
      seen.promised[gate] = math.min(seen.promised[gate] or math.huge, tonumber(priority .. ticket))
    end
    first = two[2] and call('ZRANGE', held, '(p' .. gate .. queue .. '\n\255', '[p' .. gate .. '\255', 'BYLEX', 'LIMIT', 0, 1)[1]
  until not first
end

function let_all_go(text)
  for _, known in ipairs(gates_in(text)) do let_go(known.name) end
end

-- The first of those that wait at each gate of a limit, from a place on: of the others each is let go by the one before. What is
-- more than one call does is remembered as due at once, by a text longer than a gate.
function let_go_from(after, front)
  for _ = 1, 200 do
    local first = call('ZRANGE', held, after, '[p' .. front .. string.rep('\255', 9), 'BYLEX', 'LIMIT', 0, 1)[1]
    if not first then return end
    local gate = sub(first, 2, 1 + gate_width)
    let_go(gate)
    after = '(p' .. gate .. '\255'
  end
  call('ZADD', opens, now, after)
end

-- Those whose time has come, at most so many.
function open_gates(most)
  local due = call('ZRANGE', opens, '-inf', now, 'BYSCORE', 'LIMIT', 0, most)
  for i = 1, #due do
    call('ZREM', opens, due[i])
    if #due[i] > gate_width then let_go_from(due[i], sub(due[i], 3, 11)) else let_go(due[i]) end
  end
end

local function group_of(queue, text) return sub(redis.sha1hex(queue .. '\n' .. text), 1, 16) end
function head_of(group) return first_of('h' .. group) end

-- The group of a task that has come into it. True when somebody is to be woken for it.
local function join(queue, group, priority, text)
  local member, ticket = standing_of(group)
  if not member then
    local gate, till = first_closed(text)
    if gate then return wait_at(gate, till, queue, priority, group, new_ticket(), text) end
    line_up(queue, priority, group, new_ticket(), text)
    return true
  end
  -- What is more urgent takes its group along.
  local at = byte(member) == 112 and #member - 30 or #queue + 3
  if priority < byte(member, at) - 48 then
    call('ZREM', held, member)
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
  local text, priority = gates_of(body), 9 - priority_of(body)
  local group = group_of(queue, text)
  local step = front and -call('HINCRBY', control, 'front', 1) or call('HINCRBY', control, 'back', 1)
  local order = string.format('%013.0f', first_order + step)
  call('ZADD', held, 0, 'h' .. group .. priority .. order .. id)
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
function hold_all(q, ids)
  local queue, n, wakes = name_of(q), #ids, 0
  local bodies, members, fields, of = hmget(tasks, ids), {}, {}, {}
  local step = first_order + call('HINCRBY', control, 'back', n) - n
  for i = 1, n do
    local order, text = string.format('%013.0f', step + i), gates_of(bodies[i])
    of[text] = of[text] or group_of(queue, text)
    members[2 * i - 1], members[2 * i] = 0, 'h' .. of[text] .. 9 - priority_of(bodies[i]) .. order .. ids[i]
    fields[2 * i - 1], fields[2 * i] = 'i' .. ids[i], order
  end
  many('ZADD', held, members, 1, 2 * n)
  many('HSET', groups, fields, 1, 2 * n)
  call('HINCRBY', groups, 'n' .. queue, n)
  mark_gated()
  for i = 1, n do
    local text = gates_of(bodies[i])
    if join(queue, of[text], 9 - priority_of(bodies[i]), text) then wakes = wakes + 1 end
  end
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
  call('ZREM', held, 'h' .. group .. 9 - priority_of(body) .. order .. id)
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
    if byte(member) == 112 then left(sub(member, 2, 1 + gate_width)) end
  end
  dissolve(group)
  -- It may have been let go by one of them.
  let_all_go(text)
  none_is_held()
  return true
end

-- Frees what tasks hold under a claim; once, whoever says so.
function free_slots(ids, claim)
  local fields, held_there, freed, once = {}, {}, {}, {}
  for i = 1, #ids do
    if not once[ids[i]] then fields[#fields + 1] = ids[i] .. claim end
    once[ids[i]] = true
  end
  for i, text in ipairs(hmget(slots, fields)) do
    if text then
      freed[#freed + 1] = fields[i]
      if returns.in_line(text) then text = returns.leave_line(fields[i], text) end
      held_there[#held_there + 1] = text
      come_back(text)
    end
  end
  if #freed == 0 then return end
  many('HDEL', slots, freed, 1, #freed)
  write_counts()
  local gone = {}
  for _, text in ipairs(held_there) do
    if not gone[text] then let_all_go(text) end
    gone[text] = true
  end
end
function free_slot(id, claim) free_slots({id}, claim) end
