-- Gates: what a task must pass when it starts. Which it has stands at the end of its body (core/gates.hpp), 17 bytes each: kind
-- (m: how many run, s: how many start in a time, b: both), limit (8), key (8).
--
-- limits: 'r' limit -> the rule in force: how many run, spacing and tolerance of starts (us; '-': not limited); 'n' its name;
--         'd' the rule that a program declares, 's' the one that was set at run time (limits_set.lua)
-- gates:  'c' gate -> how many run; 'a' kind, limit -> how many run of all keys; 't' gate -> when the last start is used up (us)
-- slots:  id, claim -> the gates that the task holds under that claim. Only who takes such a field away frees them.
-- held:   'p' gate, queue, a line break, priority (9 - p), ticket, group -> groups that wait at this gate, their first closed one
-- opens:  gate -> when its rate lets the next one through (ms), as long as somebody waits at it
--
-- Invariant: who waits at a gate that is open is not forgotten: another group of its queue that the gate let go has yet to be
-- looked at.
-- These keys have the shard's hash tag and are few: their names are made here, so that calls without limits need not carry them.
-- Needs: lib_queues
local limits, gates, slots = prefix .. 'limits', prefix .. 'gates', prefix .. 'slots'
local held, opens = prefix .. 'held', prefix .. 'opens'
local gate_width, no_key = 17, string.rep('\0', 8)

local function is_gated(body) return byte(body, 3) >= 128 end
local function gates_of(body) return sub(body, -1 - gate_width * byte(body, -1), -2) end

local rules = {}
local function rule_of(gate)
  local limit = sub(gate, 2, 9)
  local rule = rules[limit]
  if rule == nil then
    local text = call('HGET', limits, 'r' .. limit)
    local most, spacing, tolerance = string.match(text or '', '^(%S+) (%S+) (%S+)$')
    rule = {most = tonumber(most), spacing = tonumber(spacing), tolerance = tonumber(tolerance)}
    rules[limit] = rule
  end
  return rule
end

-- When the last start is used up, at this gate. Farther ahead than a full burst only another rule or a clock that went back can
-- leave it: that is mended where it is seen, or its opening would move on with the clock.
local mends = true
local function used_up(gate, rule)
  local kept, latest = tonumber(call('HGET', gates, 't' .. gate) or 0), micros + rule.tolerance + rule.spacing
  if kept > latest then
    if mends then call('HSET', gates, 't' .. gate, string.format('%.2f', latest)) end
    return latest
  end
  return math.max(kept, micros)
end

-- False when it is open; else when it opens (us), math.huge: when a slot is freed.
local function closed_until(gate)
  local kind, rule = byte(gate), rule_of(gate)
  if rule.most and kind ~= 115 and tonumber(call('HGET', gates, 'c' .. gate) or 0) >= rule.most then return math.huge end
  if not rule.spacing or kind == 109 then return false end
  local opening = used_up(gate, rule) - rule.tolerance
  return opening > micros and opening
end

-- The first gate of these that is closed, and until when; nil: all are open.
local function first_closed(text)
  for at = 1, #text, gate_width do
    local gate = sub(text, at, at + gate_width - 1)
    local till = closed_until(gate)
    if till then return gate, till end
  end
end

local function add_to(field, by)
  if call('HINCRBY', gates, field, by) <= 0 then call('HDEL', gates, field) end
end
local function add_running(gate, by)
  add_to('c' .. gate, by)
  if sub(gate, 10) ~= no_key then add_to('a' .. sub(gate, 1, 9), by) end
end

local function go_through(text)
  for at = 1, #text, gate_width do
    local gate = sub(text, at, at + gate_width - 1)
    local kind, rule = byte(gate), rule_of(gate)
    if rule.spacing and kind ~= 109 then
      call('HSET', gates, 't' .. gate, string.format('%.2f', used_up(gate, rule) + rule.spacing))
    end
    if kind ~= 115 then add_running(gate, 1) end
  end
end

-- One of those that ran has ended, at each of these gates.
local function come_back(text)
  for at = 1, #text, gate_width do
    local gate = sub(text, at, at + gate_width - 1)
    if byte(gate) ~= 115 then add_running(gate, -1) end
  end
end
