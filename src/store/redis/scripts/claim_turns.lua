-- claim, when tasks wait in groups: these, the urgent tasks and the plain list take turns.
-- Needs: lib_places lib_slots lib_band lib_gates claim_void

-- How many this call takes out of groups, and the first tasks of those that it has taken from: `places`, which of them is next
-- (nil: the first); `asked`, how many were asked for (nil: two).
local taken, heads = 0, {tasks = {}, places = {}, asked = {}}
-- The group that has started something last: it stands nowhere until another one is looked at.
local ahead
local any_notes, any_dissolved

-- Its first task that this call has not taken, of a group that holds none itself; who starts many reads many at once.
local function head_now(group)
  local list = heads.tasks[group]
  if not list then
    local front = '[h' .. group
    list = call('ZRANGE', held, front, front .. '\255', 'BYLEX', 'LIMIT', '0', '2')
    heads.tasks[group] = list
    return list[1]
  end
  local head, n = list[heads.places[group] or 1], #list
  if head or n < (heads.asked[group] or 2) then return head end
  local most = math.min(64, 4 * n)
  list = call('ZRANGE', held, '(' .. list[n], '[h' .. group .. '\255', 'BYLEX', 'LIMIT', '0', most)
  heads.tasks[group], heads.places[group], heads.asked[group] = list, 1, most
  return list[1]
end

-- The gate of these whose last place is promised to one that comes before this group (lib_let_go.lua).
local function promised_of(text, priority, member)
  for _, known in ipairs(gates_in(text)) do
    local promise = seen.promised[gate_of(known)]
    if promise and promise < tonumber(priority .. (member and sub(member, -30, -17) or '99999999999999')) and strangers.is_last_place(known) then
      return known, math.huge
    end
  end
end

-- The first task of the group whose turn it is, when its gates are open; nil when the group waits at one now. It stands
-- nowhere when this is called; `member`: where it stood, nil: it has just started something; `room`: how many
-- more the call takes.
local function pop_group(queue, group, member, text, time, room)
  -- What it holds itself comes first.
  local own = seen.own[group]
  local holds = own ~= nil and own ~= ''
  local head = holds or head_now(group)
  if not head then
    -- It holds nothing, and is to stand anew when something comes.
    if text then dissolve(group) end
    any_dissolved = true
  end
  if not text or not head then return end
  local priority = holds and sub(own, 1, 1) or sub(head, 18, 18)
  local mark = 105 - byte(priority)
  local gate, till = first_closed(text)
  if not gate and next(seen.promised) then gate, till = promised_of(text, priority, member) end
  if gate then
    local ticket = member and sub(member, -30, -17) or new_ticket()
    if wait_at(gate, till, queue, priority, group, ticket, text) then strangers.wake_for_opening(queue) end
    let_all_go(text)
    return
  end
  taken = taken + 1
  local id, following
  if holds then
    id, own = sub(own, 15, inside.width), sub(own, 1 + inside.width)
    local last = #own < inside.width
    if last then moving.holds_none(group) end
    following = own ~= ''
    seen.own[group] = last and '' or own
    if not last then
      priority = sub(own, 1, 1)
    elseif following then
      following = head_now(group)
      if following then priority = sub(following, 18, 18) end
    end
  else
    local place = (heads.places[group] or 1) + 1
    id = sub(head, -16)
    moving.took(head, id)
    heads.places[group] = place
    following = heads.tasks[group][place] or head_now(group)
    if following then priority = sub(following, 18, 18) end
  end
  go_through(text)
  gated_of[id] = text
  if following then
    gate, till = first_closed(text)
    if till == math.huge and gate.count ~= gate.kind.of_all and moving.more_turns(room) then
      -- Others have their turns before it, and by its own the gate may be open: it is spared the way there and back. Not at a gate
      -- that it shares with other groups, which would come behind it.
      line_up(queue, priority, group, new_ticket(), text, time + 1)
    elseif till == math.huge then
      wait_at(gate, till, queue, priority, group, new_ticket(), text)
    else
      ahead = {group = group, text = text, priority = priority, time = time + 1,
        front = 't' .. queue .. '\n' .. priority .. string.format('%014.0f', time + 1)}
    end
  else
    dissolve(group)
    any_dissolved = true
  end
  let_all_go(text)
  -- As lib_entry.lua says it, without the gates.
  local noted = any_notes and call('HEXISTS', notes, id) == 1
  if mark == 48 and not noted then return id end
  return id .. char(noted and mark + 64 or mark)
end

local function stand_back(queue)
  if not ahead then return end
  line_up(queue, ahead.priority, ahead.group, new_ticket(), ahead.text, ahead.time)
  ahead = nil
end

local function leave_groups(queue, times)
  stand_back(queue)
  moving.turns_are_over()
  moving.done()
  if taken > 0 then fewer_held(queue, taken) end
  taken, heads = 0, {tasks = {}, places = {}, asked = {}}
  write_counts(times)
  if any_dissolved then none_is_held() end
  any_dissolved = false
end

-- The priority of what is next outside of groups; -1 when there is nothing.
local function plain_priority(q)
  local urgent = call('ZRANGE', urgent_of(q), '0', '0', 'WITHSCORES')
  if urgent[2] then return 9 - math.floor((tonumber(urgent[2]) + band / 2) / band) end
  return call('LLEN', ready_of(q)) > 0 and 0 or -1
end

local function pop_plain(q, priority)
  if priority > 0 then return call('ZPOPMIN', urgent_of(q))[1] end
  return pop_valid(q, 1, 100)[1]
end

-- Up to `room` entries, as long as there is a group whose turn may come. Who is equally urgent takes turns: each start puts
-- a group one step back, and one that comes new begins where the others are.
local function pop_turns(q, room)
  local queue, page = name_of(q), math.min(128, room + 1)
  local member = next_turn(queue, page)
  if not member then
    moving.turns_are_over()
    moving.done()
    return {}
  end
  local popped, count, looks = {}, 0, 2 * room + 50
  any_notes = call('HLEN', notes) > 1  -- reports of this call may have brought the first
  local known = call('HMGET', gates, 'v' .. queue, 'l' .. queue)
  local time, plain = tonumber(known[1] or 0), tonumber(known[2] or 0)
  seen.times[queue] = time
  local at, theirs, turn_text, turn_read = #queue + 3, plain_priority(q), nil, nil
  while count < room and looks > 0 do
    looks = looks - 1
    local mine = ahead
    if mine and member and sub(member, 1, #mine.front) <= mine.front then mine = nil end
    if not mine and not member then break end
    local priority, turn = 57 - byte(mine and mine.priority or member, mine and 1 or at), mine and mine.time
    if not turn then
      -- Many have the same.
      local text = sub(member, at + 1, at + 14)
      if text ~= turn_text then turn_text, turn_read = text, tonumber(text) end
      turn = turn_read
    end
    if plain < time then plain = time end
    if theirs > priority or (theirs == priority and plain <= turn) then
      local entry = pop_plain(q, theirs)
      if entry then
        count = count + 1
        popped[count] = entry
      end
      if theirs == priority then time, plain = plain, plain + 1 end
      seen.times[queue], theirs = time, plain_priority(q)
    else
      if time < turn then time = turn end
      seen.times[queue] = time
      local entry
      if mine then
        ahead = nil
        entry = pop_group(queue, mine.group, nil, mine.text, time, room - count - 1)
      else
        if ahead then stand_back(queue) end
        local group, text = turn_taken(member)
        entry = pop_group(queue, group, member, text, time, room - count - 1)
      end
      if entry then
        count = count + 1
        popped[count] = entry
      end
      member = next_turn(queue, page)
    end
  end
  leave_groups(queue, {'v' .. queue, digits(time), 'l' .. queue, digits(plain)})
  return popped
end
