-- Attempts that have waited for other tasks, gave their slots back meanwhile, and go on now. Who goes on holds its slots at once,
-- so that its gates are closed to all that have not started, and runs as soon as fewer run than its gates allow: until then it
-- waits in line, before all groups. What it waits for is one told by a message, who asks again then (yield.lua).
--
-- returning: gate, order (14 digits), id, claim -> those who wait in line, at each of their gates, all with score 0. In `slots` the
--            order stands behind the gates of such a task; whoever frees that field takes it out of the line.
-- Needs: lib_gates
local returns = {key = prefix .. 'returning', order_width = 14}

-- Looked up once in a call: mostly there are none.
function returns.any()
  if seen.returns == nil then seen.returns = call('EXISTS', returns.key) == 1 end
  return seen.returns
end

-- How many wait in line at a gate, or at all gates of a kind and limit.
function returns.waiting(front)
  if not returns.any() then return 0 end
  local last = '[' .. front .. string.rep('\255', 1 + gate_width - #front)
  return call('ZLEXCOUNT', returns.key, '[' .. front, last)
end

-- What has started is finished, one after the other, also where a rule has closed the gate since. Not where other shards may let
-- some through: this one is given a share for it.
function returns.room(known)
  local rule = known.kind.rule
  local most = known.kind.runs and rule.most
  if rule.others_go_on then
    most = known.kind.runs and rule.most_go_on
  elseif most then
    most = math.max(most, 1)
  end
  return not most or running(known) - returns.waiting(gate_of(known)) < most
end
function returns.may_run(text)
  for _, known in ipairs(gates_in(text)) do
    if not returns.room(known) then return false end
  end
  return true
end

function returns.in_line(value) return #value % gate_width ~= 0 end

-- Its gates. `field`, `value`: as `slots` holds them.
function returns.leave_line(field, value)
  local text, order = sub(value, 1, -1 - returns.order_width), sub(value, -returns.order_width)
  for _, known in ipairs(gates_in(text)) do
    if known.kind.runs then call('ZREM', returns.key, gate_of(known) .. order .. field) end
  end
  return text
end

function returns.wait_in_line(field, text, order)
  for _, known in ipairs(gates_in(text)) do
    if known.kind.runs then call('ZADD', returns.key, 0, gate_of(known) .. order .. field) end
  end
  call('HSET', slots, field, text .. order)
  seen.returns, seen.quiet = true, nil
end

function returns.tell(field)
  local line = call('HGET', claims, sub(field, 17)) or '\n'
  call('PUBLISH', prefix .. 'wake:' .. sub(line, 1, string.find(line, '\n', 1, true) - 1), 'g' .. sub(field, 1, 16))
end

-- At a gate that somebody has left: lets those run who may. Of those whom another gate holds up a call looks at some, however many
-- leave the gate in it; they are let go there, or ask again.
function returns.let_run(known)
  if not known.kind.runs or not returns.any() then return end
  local gate = gate_of(known)
  local after, last = '[' .. gate, '[' .. gate .. '\255'
  for _ = 1, 100 do
    local first = (seen.in_vain[gate] or 0) < 100 and returns.room(known) and call('ZRANGE', returns.key, after, last, 'BYLEX', 'LIMIT', 0, 1)[1]
    if not first then return end
    local field = sub(first, 1 + gate_width + returns.order_width)
    local value = call('HGET', slots, field)
    if value and returns.in_line(value) and returns.may_run(sub(value, 1, -1 - returns.order_width)) then
      call('HSET', slots, field, returns.leave_line(field, value))
      returns.tell(field)
    else
      seen.in_vain[gate] = (seen.in_vain[gate] or 0) + 1
    end
    after = '(' .. first
  end
end

-- The same at each gate of a kind and limit, whose rule is another one now.
function returns.let_all_run(front)
  local after, last = '[' .. front, '[' .. front .. string.rep('\255', 9)
  for _ = 1, 200 do
    local first = call('ZRANGE', returns.key, after, last, 'BYLEX', 'LIMIT', 0, 1)[1]
    if not first then return end
    local gate = sub(first, 1, gate_width)
    returns.let_run(known_gate(gate))
    after = '(' .. gate .. '\255'
  end
end
