-- Who waits at gates and is let go, and slots that are freed: lib_groups.lua says how groups stand, lib_gates.lua what gates are.
-- Needs: lib_places lib_returns lib_wake
-- Gives: any_turn any_ready none_is_held fewer_held wait_at wakes_late group_of left_gate strangers wake_late
-- Gives: let_go let_all_go let_go_from open_gates free_slots free_slot tell_strangers
function any_turn(queue) return first_of('t' .. queue .. '\n') ~= nil end

function any_ready(q)
  return call('LLEN', ready_of(q)) > 0 or call('ZCARD', urgent_of(q)) > 0 or any_turn(name_of(q))
end

function none_is_held()
  if call('ZCARD', held) > 0 then return end
  call('HDEL', stale, 'gated')
  -- All of it is what damage has left, as a count that is too high. It is deleted so; DEL is nothing that errand asks for.
  call('EXPIRE', groups, '0')
  seen.marked = false
end
function fewer_held(queue, by)
  if call('HINCRBY', groups, 'n' .. queue, -by) <= 0 then call('HDEL', groups, 'n' .. queue) end
end

-- Remembers when a rate opens a gate. True when that is the first of all: whoever sleeps until one opens sleeps too long.
local function open_at(gate, till)
  local at, first = math.ceil(till / 1000), call('ZRANGE', opens, '0', '0', 'WITHSCORES')[2]
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

-- At the gate that first_closed has found. True when somebody is to be woken, to sleep until it opens.
function wait_at(known, till, queue, priority, group, ticket, text)
  local gate = gate_of(known)
  stand(group, 'p' .. gate .. queue .. '\n' .. priority .. ticket .. group, ticket, text)
  seen.unwaited[known.kind.limit], seen.unwaited[gate], seen.quiet = false, nil, nil
  if moving.on then moving.at[gate] = till < math.huge and moving.at[gate] ~= 'moved' and 'opens' or 'moved' end
  begin_wait(gate)
  return till < math.huge and open_at(gate, till)
end

-- Queues of which this call wakes a worker for a group, and those of which one is to sleep until a gate opens: at once, or when
-- the call has taken what it takes (work_everything.lua).
seen.woken, seen.opening, wakes_late = {}, {}, false
local function wake_for(list, queue)
  list[queue] = true
  if not wakes_late then wake_in(prefix .. 'idle:' .. queue, 1) end
end

-- Who frees a place and claims in one call would take it before any stranger, and before any group of a queue from which it does
-- not claim: their workers come with another call. So one is promised to such a group, as the first of all that wait there, when a
-- worker has heard of it that is idle, or came for strangers before and found the gate closed. Who stands back for it looks again
-- after this time (us), whatever has become of it.
-- `heard`: whether one has in this call, by queue of strangers; `calls`: how many workers of other queues it may still tell;
-- `claims_from`: how many of the queues it claims from itself, when it has reported (work_everything.lua).
strangers = {promised_for = 1000000, heard = {}, calls = chain, claims_from = 0}

-- Its real queue and its handler, as they stand in keys; nil: it is none of strangers.
function strangers.parts_of(queue) return string.match(queue, '^([^!]*)!(.*)$') end

-- In a call that claims: whether a worker has heard of the turn of a queue from which it does not. Of each turn another worker,
-- which may have room for no more.
function strangers.call_for(queue)
  if not wakes_late or strangers.calls == 0 then return false end
  for q = 1, strangers.claims_from do
    if name_of(q) == queue then
      seen.mine[queue] = true
      return false
    end
  end
  if call('HEXISTS', stale, queue .. '\n') == 1 then return false end
  strangers.calls = strangers.calls - 1
  return wake_in(prefix .. 'idle:' .. queue, 1) > 0
end

-- Whether a worker has heard of a turn that knows them: lib_groups.lua says it, where that is there.
tell_strangers = false

-- For a group whose turn has come. Of strangers a worker is told that knows them, once in a call; true when it has heard.
function strangers.wake_for_turn(queue)
  if seen.mine[queue] then return false end
  local real, handler = strangers.parts_of(queue)
  if not real then
    if strangers.call_for(queue) then return true end
    wake_for(seen.woken, queue)
    return false
  end
  if strangers.heard[queue] == nil then strangers.heard[queue] = tell_strangers(queue, real, handler) end
  return strangers.heard[queue]
end
-- Whether the next start at a gate closes it.
function strangers.is_last_place(known)
  local kind = known.kind
  if kind.most and running(known) + 1 >= kind.most then return true end
  return kind.spacing and used_up(gate_of(known), kind.rule) + kind.spacing - kind.rule.tolerance > micros
end
-- One is to sleep until a gate opens.
function strangers.wake_for_opening(queue) wake_for(seen.opening, strangers.parts_of(queue) or queue) end

-- For what the call has not taken itself. Who waits then, looks at openings, too.
function wake_late(waits)
  for queue in pairs(seen.woken) do
    if any_turn(queue) then wake_in(prefix .. 'idle:' .. queue, 1) end
  end
  for queue in pairs(waits and {} or seen.opening) do wake_in(prefix .. 'idle:' .. queue, 1) end
end

-- At no gate of a kind and limit. Who stops waiting is not noticed.
local function nobody_waits(front)
  if seen.unwaited[front] == nil then
    -- Keys are hashes of any bytes.
    local last = '[p' .. front .. string.rep('\255', 9)
    seen.unwaited[front] = call('ZRANGE', held, '[p' .. front, last, 'BYLEX', 'LIMIT', '0', '1')[1] == nil
  end
  return seen.unwaited[front]
end

-- Nobody waits at this gate. Where nobody does at any of its limit either, the time ends.
local function end_wait(known)
  local rule, limit = known.kind.rule, sub(known.kind.limit, 2)
  if not rule.waited_since then return end
  for _, kind in ipairs({'b', 'm', 's'}) do
    if not nobody_waits(kind .. limit) then return end
  end
  call('HINCRBY', limits, 'z' .. limit, digits(math.max(0, now - rule.waited_since)))
  call('HDEL', limits, 'w' .. limit)
  rule.waited_since = nil
end

-- One has left its gate, perhaps the last: where the time counts, that is looked up again, of many when all have left.
local leaving = {}
function left_gate(known)
  if not known.kind.rule.waited_since then return end
  if moving.on then leaving[known.kind.limit] = known else seen.unwaited[known.kind.limit], seen.quiet = nil, nil end
end
function moving.done()
  moving.write()
  for limit, known in pairs(leaving) do
    seen.unwaited[limit], seen.quiet = nil, nil
    end_wait(known)
  end
  leaving = {}
end

function group_of(queue, text) return sub(redis.sha1hex(queue .. '\n' .. text), 1, 16) end

-- If the gate is open: lets the first of those go on that wait at it, of each queue, since nobody may serve one of them. Who
-- goes on lets the next go when it is looked at. Before them come those who have started already.
local function let_go_at(known)
  if seen.returns ~= false then returns.let_run(known) end
  local gate, unwaited = gate_of(known), seen.unwaited
  if unwaited[gate] or nobody_waits(known.kind.limit) then return end_wait(known) end
  local till = closed(known)
  -- Who came just now has seen to it that somebody looks when it opens.
  if till == math.huge or till and moving.on and moving.at[gate] == 'opens' then return end
  if not till and seen.promised[gate] and strangers.is_last_place(known) then till = micros + strangers.promised_for end
  if moving.on and moving.at[gate] then
    moving.write()
    moving.begin()
  end
  local two = call('ZRANGE', held, '[p' .. gate, '[p' .. gate .. '\255', 'BYLEX', 'LIMIT', '0', '2')
  local first = two[1]
  unwaited[gate] = first == nil
  if not first then return end
  if till then
    if open_at(gate, till) then strangers.wake_for_opening(sub(first, 2 + gate_width, -33)) end
    return
  end
  if moving.on then moving.at[gate] = 'moved' end
  repeat
    local queue, group, priority, ticket = sub(first, 2 + gate_width, -33), sub(first, -16), sub(first, -31, -31), sub(first, -30, -17)
    local _, _, its_own = standing_of(group)
    take_off(group, first)
    left_gate(known)
    if its_own then line_up(queue, priority, group, ticket, its_own) end
    if strangers.wake_for_turn(queue) and its_own and not first_closed(its_own) then
      seen.promised[gate] = math.min(seen.promised[gate] or math.huge, tonumber(priority .. ticket))
    end
    first = two[2] and call('ZRANGE', held, '(p' .. gate .. queue .. '\n\255', '[p' .. gate .. '\255', 'BYLEX', 'LIMIT', '0', '1')[1]
  until not first
end
function let_go(gate) let_go_at(known_gate(gate)) end

-- Nobody waits at any of the limits that this call has come across, and nobody stands in line.
local function all_is_quiet()
  for limit, kind in pairs(seen.kinds) do
    if not seen.unwaited[limit] or kind.rule.waited_since then return nil end
  end
  return seen.returns == false or nil
end

-- Where there is nothing to look for, that is seen here.
function let_all_go(text)
  local all, unwaited, quiet = texts_known[text] or gates_in(text), seen.unwaited, true
  if seen.quiet then return end
  for g = 1, #all do
    local known = all[g]
    local kind = known.kind
    local none, most = unwaited[kind.limit], kind.most
    if seen.returns ~= false or not none or kind.rule.waited_since then
      quiet = false
      if seen.returns ~= false or none ~= false or not (most and (run_there[known.count] or running(known)) >= most) then
        let_go_at(known)
      end
    end
  end
  if quiet then seen.quiet = all_is_quiet() end
end

-- The first of those that wait at each gate of a limit, from a place on: of the others each is let go by the one before. What is
-- more than one call does is remembered as due at once, by a text longer than a gate.
function let_go_from(after, front)
  for _ = 1, 200 do
    local first = call('ZRANGE', held, after, '[p' .. front .. string.rep('\255', 9), 'BYLEX', 'LIMIT', '0', '1')[1]
    if not first then return end
    local gate = sub(first, 2, 1 + gate_width)
    let_go(gate)
    after = '(p' .. gate .. '\255'
  end
  call('ZADD', opens, now, after)
end

-- Those whose time has come, at most so many.
function open_gates(most)
  local due = call('ZRANGE', opens, '-inf', now, 'BYSCORE', 'LIMIT', '0', most)
  if #due == 0 then return end
  moving.begin()
  for i = 1, #due do
    call('ZREM', opens, due[i])
    if #due[i] > gate_width then let_go_from(due[i], sub(due[i], 3, 11)) else let_go(due[i]) end
  end
  moving.done()
end

-- Who is named again has given back by then what it held.
local function forget_repeats(fields, texts)
  local once = {}
  for i = 1, #fields do
    if once[fields[i]] then texts[i] = false end
    once[fields[i]] = true
  end
end

-- Frees what tasks hold under a claim; once, whoever says so.
function free_slots(ids, claim)
  local fields, freed, back, n = {}, {}, {}, 0
  for i = 1, #ids do fields[i] = ids[i] .. claim end
  -- What they held, each once, and what of that is to be read.
  local held_there, seen_there, asked = {}, {}, {}
  local texts = hmget(slots, fields)
  for i = 1, #fields do
    local text = texts[i]
    if text then
      freed[n + 1] = fields[i]
      n = n + 1
      if #text % gate_width ~= 0 then
        text = returns.leave_line(fields[i], text)
      end
      back[n] = text
      if not seen_there[text] then
        seen_there[text], held_there[#held_there + 1] = true, text
        ask_running(asked, gates_in(text))
      end
    end
  end
  if n == 0 then return end
  if many('HDEL', slots, freed, 1, n) < n then forget_repeats(freed, back) end
  read_running(asked)
  for i = 1, n do
    local text = back[i]
    if text then come_back(text) end
  end
  write_counts()
  moving.begin()
  for i = 1, #held_there do
    if seen.quiet then break end
    let_all_go(held_there[i])
  end
  moving.done()
end
function free_slot(id, claim) free_slots({id}, claim) end
