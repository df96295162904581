-- Tasks with gates wait in groups when they are ready: those of one queue and the same gates. A group has turns like the plain
-- ready list, so that each comes to start something.
--
-- held:   'h' group (16 hex), priority (9 - p), order (13 digits), id -> the tasks of a group in order, but for those that it holds itself
--         't' queue, a line break, priority (9 - p), virtual time (14 digits), ticket, group -> the groups whose turn will come
--         (those that wait at a gate: lib_gates.lua)
--         A group of strangers, tasks whose handler some workers do not know, has for its queue that name, '!' and the handler's,
--         as they stand in keys: claims do not find its turn, `adopt` does (adopt_turns.lua).
-- groups: 'g' group -> length (2 bytes) of the member by which the group stands in `held`, this, its ticket, its gates; and in order the
--         first of its tasks, which it holds itself, as they would stand in `held`: priority, order, id; '+' when there are more
--         (which groups hold any stands in the set `few`)
--         'i' id -> order of a task in `held`, of a stranger with '!' behind it; 'n' queue -> tasks, strangers too
-- gates:  'v' queue -> virtual time, 'l' queue -> that of the plain list; 'order' -> the last fifty tickets
-- stale:  'gated' while any is held: claims look closely then
-- Needs: lib_let_go lib_tell lib_entry lib_many
-- Gives: hold hold_all unhold
local entry_width, few = inside.width, inside.few
local first_order = 5 * 10 ^ 12
-- So many a group holds itself, of those that come first: that is one look-up and one write for all of it, where each in `held` is a way
-- through the tasks of all groups. Those that come then stand behind them in `held`, and all where it held none when they came: who
-- goes through the former and then through the latter sees all. More than twice as many it never holds, whatever is urgent.
local most_own = 8 * entry_width

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

-- Only in a shard of a format that errands know which look for tasks there.
local function holds_own()
  if seen.holds_own == nil then seen.holds_own = tonumber(call('HGET', control, 'format')) >= 4 end
  return seen.holds_own
end

-- The tasks that a group holds itself, in one text.
function inside.own_of(group)
  if seen.own[group] == nil then standing_of(group) end
  return seen.own[group] or ''
end
local function has_more(own) return #own % entry_width == 1 end
-- With one more.
local function with_entry(own, entry)
  local at, order = #own + (has_more(own) and 0 or 1), sub(entry, 1, 14)
  while at > 1 and order < sub(own, at - entry_width, at - entry_width + 13) do at = at - entry_width end
  return sub(own, 1, at - 1) .. entry .. sub(own, at)
end
-- As `held` and `groups` have it.
local function put_in_held(group, entry, members, fields)
  local n = #members
  members[n + 1], members[n + 2] = '0', 'h' .. group .. entry
  fields[n + 1], fields[n + 2] = 'i' .. sub(entry, 15), sub(entry, 2, 14)
end
-- One more of a group that holds some itself: with these, or behind them in `held`. Returns these.
local function put_in(group, own, entry, members, fields)
  local last = has_more(own) and -1 - entry_width or -entry_width
  if last == -entry_width and #own < most_own or sub(entry, 1, 14) < sub(own, last, last + 13) then
    own = with_entry(own, entry)
    if #own < 2 * most_own + entry_width then return own end
    last = has_more(own) and -1 - entry_width or -entry_width
    own, entry = sub(own, 1, last - 1), sub(own, last, last + entry_width - 1)
  end
  put_in_held(group, entry, members, fields)
  return has_more(own) and own or own .. '+'
end
-- Without the one that stands there.
local function without(own, at)
  own = sub(own, 1, at - 1) .. sub(own, at + entry_width)
  return own == '+' and '' or own
end
-- Where a task stands there.
local function place_in(own, id)
  for at = 1, #own - 1, entry_width do
    if sub(own, at + 14, at + entry_width - 1) == id then return at end
  end
end

function inside.head_of(group)
  local own = inside.own_of(group)
  return own ~= '' and 'h' .. group .. sub(own, 1, entry_width) or first_of('h' .. group)
end
function inside.count(group)
  local own = inside.own_of(group)
  local n = math.floor(#own / entry_width)
  if n > 0 and not has_more(own) then return n end
  return n + call('ZLEXCOUNT', held, '[h' .. group, '[h' .. group .. '\255')
end

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
  local entry, own, members, fields = priority .. order .. id, inside.own_of(group), {}, {}
  local member, ticket = standing_of(group)
  if own ~= '' then
    seen.own[group] = put_in(group, own, entry, members, fields)
    if seen.own[group] ~= own then stand(group, member, ticket, text) end
  elseif not member and mark == '' and holds_own() then
    seen.own[group] = entry
    call('SADD', few, group)
  else
    put_in_held(group, entry, members, fields)
    fields[2] = fields[2] .. mark
  end
  many('ZADD', held, members, 1, #members)
  many('HSET', groups, fields, 1, #fields)
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

-- How many come into a group that is known, on their way: into a group that begins and holds them itself, behind those that one
-- holds itself, to `held` alone, or where each belongs.
local begins, appends, goes_to_held, is_put_in = 1, 2, 3, 4
local function way_into(value, own_at, come, first, stands_well)
  if not value then return come <= most_own and holds_own() and begins or goes_to_held end
  local size = #value - own_at + 1
  local more = size % entry_width == 1
  if size == 0 or more and first >= byte(value, -1 - entry_width) - 48 then return goes_to_held end
  if stands_well and not more and size + come <= most_own and first >= byte(value, -entry_width) - 48 then return appends end
  return is_put_in
end

-- The same for many, each at the end of its group; for how many somebody is to be woken.
function hold_all(q, ids, bodies)
  local queue, n, wakes = name_of(q), #ids, 0
  -- Of each group: its gates, it, its field, how much comes into it, and the most urgent of that.
  local of, texts, all, their_fields, come, first, count = {}, {}, {}, {}, {}, {}, 0
  local orders_of, digits_of, groups_of, orders, step = {}, {}, {}, {}, first_order + call('HINCRBY', control, 'back', n) - n
  for i = 1, n do
    local body = bodies[i]
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
      come[g] = entry_width
      first[g] = priority
    else
      come[g] = come[g] + entry_width
      if priority < first[g] then first[g] = priority end
    end
    orders_of[i] = written(orders, step + i, '%012d')
    digits_of[i] = digit_of[priority]
    groups_of[i] = g
  end
  local well, at_gates, values, own_ats = stand_well(all, their_fields, queue, first)
  local ways, coming, members, fields, m = {}, {}, {}, {}, 0
  for g = 1, count do
    local way = way_into(values[g], own_ats[g], come[g], first[g], well[g])
    ways[g] = way
    -- What was read before this is known by those alone who ask anew.
    seen.own[all[g]] = way == is_put_in and sub(values[g], own_ats[g]) or nil
    if values[g] then seen.standings[all[g]] = nil end
  end
  for i = 1, n do
    local g, id, order = groups_of[i], ids[i], orders_of[i]
    local way = ways[g]
    if way <= appends then
      local before, entry = coming[g], digits_of[i] .. order .. id
      coming[g] = before and with_entry(before, entry) or entry
    elseif way == goes_to_held then
      members[m + 1] = '0'
      fields[m + 1] = 'i' .. id
      m = m + 2
      members[m] = 'h' .. all[g] .. digits_of[i] .. order .. id
      fields[m] = order
    else
      seen.own[all[g]] = put_in(all[g], seen.own[all[g]], digits_of[i] .. order .. id, members, fields)
      m = #members
    end
  end
  -- What `groups` has of those that stay where they are; and which hold tasks themselves from now on.
  local stays, s, begun = {}, 0, {}
  for g = 1, count do
    local way, value = ways[g], nil
    if way == begins then
      seen.own[all[g]] = coming[g]
      begun[#begun + 1] = all[g]
    elseif way == appends then
      value = values[g] .. coming[g]
    elseif way == is_put_in and well[g] then
      value = sub(values[g], 1, own_ats[g] - 1) .. seen.own[all[g]]
    elseif way == goes_to_held and not values[g] then
      seen.own[all[g]] = ''
    end
    if value then
      stays[s + 1] = their_fields[g]
      s = s + 2
      stays[s] = value
    end
  end
  many('ZADD', held, members, 1, m)
  many('HSET', groups, fields, 1, m)
  many('HSET', groups, stays, 1, s)
  many('SADD', few, begun, 1, #begun)
  call('HINCRBY', groups, 'n' .. queue, n)
  mark_gated()
  local asked = {}
  for g = 1, count do
    if well[g] == nil then ask_running(asked, gates_in(texts[g])) end
  end
  read_running(asked)
  moving.begin()
  for g = 1, count do
    local wakes_for_it
    if well[g] then wakes_for_it = not at_gates[g] else wakes_for_it = join(queue, all[g], first[g], texts[g]) end
    if wakes_for_it then wakes = wakes + come[g] / entry_width end
  end
  moving.done()
  return wakes
end

-- Whether a task that may have gates is in a group.
function inside.has(q, id, body)
  if not is_gated(body) then return false end
  return call('HEXISTS', groups, 'i' .. id) == 1 or place_in(inside.own_of(group_of(name_of(q), gates_of(body))), id) ~= nil
end

-- The queue, group and gates of a task in `held` to which nobody comes: its group stands nowhere, or does not say that it has more.
function inside.stranded(q, id, body)
  local order = is_gated(body) and call('HGET', groups, 'i' .. id)
  if not order then return end
  local queue, text = strangers.is_marked(order) and strangers.queue_of(body) or name_of(q), gates_of(body)
  local group = group_of(queue, text)
  local own = inside.own_of(group)
  local well = standing_of(group) and (own == '' or has_more(own))
  if not well and inside.head_of(group) then return queue, group, text end
end
function inside.reach(queue, group, text)
  local member, ticket = standing_of(group)
  if member then
    seen.own[group] = seen.own[group] .. '+'
    stand(group, member, ticket, text)
  else
    line_up(queue, sub(inside.head_of(group), 18, 18), group, new_ticket(), text)
    mark_gated()
    strangers.wake_for_turn(queue)
  end
end

-- Takes a task out of its group. False when it is in none.
function unhold(q, id, body)
  if not is_gated(body) then return false end
  local queue, text, order = name_of(q), gates_of(body), call('HGET', groups, 'i' .. id)
  if order and strangers.is_marked(order) then
    queue, order = strangers.queue_of(body), sub(order, 1, 13)
  end
  local group = group_of(queue, text)
  local own = inside.own_of(group)
  local at = place_in(own, id)
  if not order and not at then return false end
  if order then
    call('ZREM', held, 'h' .. group .. early.rank_of(body) .. order .. id)
    call('HDEL', groups, 'i' .. id)
  end
  if at then
    seen.own[group] = without(own, at)
    if seen.own[group] == '' then call('SREM', few, group) end
  end
  fewer_held(name_of(q), 1)
  local head = inside.head_of(group)
  local member, ticket = standing_of(group)
  if head then
    -- What was more urgent than the others took the group along.
    local place = member and (byte(member) == 112 and #member - 30 or #queue + 3)
    if place and sub(member, place, place) ~= sub(head, 18, 18) then
      call('ZREM', held, member)
      stand(group, sub(member, 1, place - 1) .. sub(head, 18, 18) .. sub(member, place + 1), ticket, text)
    elseif at then
      stand(group, member, ticket, text)
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
