-- claim, when tasks wait in groups: these, the urgent tasks and the plain list take turns.
-- Needs: lib_slots claim_void

-- The first task of the group whose turn it is, when its gates are open; nil when the group waits at one now.
local function pop_group(q, member, time)
  local queue, group = name_of(q), sub(member, -16)
  local _, ticket, text = standing_of(group)
  local head = head_of(group)
  call('ZREM', held, member)
  if not text or not head then return end
  local gate, till = first_closed(text)
  if gate then
    if wait_at(gate, till, queue, sub(head, 18, 18), group, ticket, text) then wake_for(opening, queue) end
    let_all_go(text)
    return
  end
  local id = sub(head, -16)
  call('ZREM', held, head)
  call('HDEL', groups, 'i' .. id)
  if call('HINCRBY', groups, 'n' .. queue, -1) <= 0 then call('HDEL', groups, 'n' .. queue) end
  go_through(text)
  gated_of[id] = text
  local following = head_of(group)
  if following then
    ticket, gate, till = new_ticket(), first_closed(text)
    if till == math.huge then
      wait_at(gate, till, queue, sub(following, 18, 18), group, ticket, text)
    else
      stand(group, turn_member(queue, sub(following, 18, 18), time + 1, ticket, group), ticket, text)
    end
  else
    call('HDEL', groups, 'g' .. group)
    if call('ZCARD', held) == 0 then call('HDEL', stale, 'gated') end
  end
  let_all_go(text)
  return entry(id, 9 - tonumber(sub(head, 18, 18)), call('HEXISTS', notes, id) == 1)
end

-- The priority of what is next outside of groups; -1 when there is nothing.
local function plain_priority(q)
  local urgent = call('ZRANGE', urgent_of(q), 0, 0, 'WITHSCORES')
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
  if not any_turn(name_of(q)) then return {} end
  local queue, popped, looks = name_of(q), {}, 2 * room + 50
  local known = call('HMGET', gates, 'v' .. queue, 'l' .. queue)
  local time, plain = tonumber(known[1] or 0), tonumber(known[2] or 0)
  local at = #queue + 3
  while #popped < room and looks > 0 do
    looks = looks - 1
    local member = first_of('t' .. queue .. '\n')
    if not member then break end
    local priority, turn = 9 - tonumber(sub(member, at, at)), tonumber(sub(member, at + 1, at + 14))
    local theirs = plain_priority(q)
    plain = math.max(plain, time)
    if theirs > priority or (theirs == priority and plain <= turn) then
      popped[#popped + 1] = pop_plain(q, theirs)
      if theirs == priority then time, plain = plain, plain + 1 end
    else
      time = math.max(time, turn)
      call('HSET', gates, 'v' .. queue, digits(time))
      popped[#popped + 1] = pop_group(q, member, time)
    end
  end
  call('HSET', gates, 'v' .. queue, digits(time), 'l' .. queue, digits(plain))
  return popped
end
