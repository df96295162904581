-- claim, when tasks wait in groups: these, the urgent tasks and the plain list take turns.
-- Needs: lib_places lib_slots lib_band lib_gates claim_void

-- How many this call takes out of groups, and the heads of those that it has taken from.
local taken, heads = 0, {}
-- The group that has started something last: it stands nowhere until another one is looked at.
local ahead
local any_notes, any_dissolved

-- Its first task that this call has not taken; who starts many reads many at once.
local function head_now(group)
  local known = heads[group]
  if not known then
    local list = call('ZRANGE', held, '[h' .. group, '[h' .. group .. '\255', 'BYLEX', 'LIMIT', '0', '2')
    heads[group] = {list = list, at = 1, all = #list < 2, last = false}
    return list[1]
  end
  if known.at > #known.list and not known.all then
    local most = math.min(64, 4 * #known.list)
    known.list = call('ZRANGE', held, '(' .. known.last, '[h' .. group .. '\255', 'BYLEX', 'LIMIT', '0', most)
    known.at, known.all = 1, #known.list < most
  end
  return known.list[known.at]
end

-- The gate of these whose last place is promised to one that comes before this group (lib_let_go.lua).
local function promised_of(text, priority, member)
  for _, known in ipairs(gates_in(text)) do
    local promise = seen.promised[known.name]
    if promise and promise < tonumber(priority .. (member and sub(member, -30, -17) or '99999999999999')) and strangers.is_last_place(known) then
      return known.name, math.huge
    end
  end
end

-- The first task of the group whose turn it is, when its gates are open; nil when the group waits at one now. It stands
-- nowhere when this is called; `member`: where it stood, nil: it has just started something; `room`: how many
-- more the call takes.
local function pop_group(queue, group, member, text, time, room)
  local head = head_now(group)
  if text and not head then
    -- It holds nothing, and is to stand anew when something comes.
    dissolve(group)
    any_dissolved = true
  end
  if not text or not head then return end
  local gate, till = first_closed(text)
  if not gate and next(seen.promised) then gate, till = promised_of(text, sub(head, 18, 18), member) end
  if gate then
    local ticket = member and sub(member, -30, -17) or new_ticket()
    if wait_at(gate, till, queue, sub(head, 18, 18), group, ticket, text) then strangers.wake_for_opening(queue) end
    let_all_go(text)
    return
  end
  local id, known = sub(head, -16), heads[group]
  taken = taken + 1
  moving.took(head, id)
  known.last, known.at = head, known.at + 1
  go_through(text)
  gated_of[id] = text
  local following = known.list[known.at] or not known.all and head_now(group)
  if following then
    local priority = sub(following, 18, 18)
    gate, till = first_closed(text)
    if till == math.huge and sub(gate, 10) ~= no_key and moving.more_turns(room) then
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
  local noted, mark = any_notes and call('HEXISTS', notes, id) == 1, 105 - byte(head, 18)
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
  taken, heads = 0, {}
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
  local popped, looks = {}, 2 * room + 50
  any_notes = call('HLEN', notes) > 1  -- reports of this call may have brought the first
  local known = call('HMGET', gates, 'v' .. queue, 'l' .. queue)
  local time, plain = tonumber(known[1] or 0), tonumber(known[2] or 0)
  seen.times[queue] = time
  local at, theirs, turn_text, turn_read = #queue + 3, plain_priority(q), nil, nil
  while #popped < room and looks > 0 do
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
      popped[#popped + 1] = pop_plain(q, theirs)
      if theirs == priority then time, plain = plain, plain + 1 end
      seen.times[queue], theirs = time, plain_priority(q)
    else
      if time < turn then time = turn end
      seen.times[queue] = time
      if mine then
        ahead = nil
        popped[#popped + 1] = pop_group(queue, mine.group, nil, mine.text, time, room - #popped - 1)
      else
        if ahead then stand_back(queue) end
        local group, text = turn_taken(member)
        popped[#popped + 1] = pop_group(queue, group, member, text, time, room - #popped - 1)
      end
      member = next_turn(queue, page)
    end
  end
  leave_groups(queue, {'v' .. queue, digits(time), 'l' .. queue, digits(plain)})
  return popped
end
