-- find: all that is known of a task, at one moment.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id
-- Returns: 'ended' | 'working' | 'delayed' | 'retry' | 'ready' | 'waiting' | 'registering', now, body,
--          notes, end (13 digits of ms, outcome), due time (ms), claim, worker, life and records of stages
--          ('' for none), then of one that waits, or was cancelled because of one it waited for: up to 100
--          ids that it needs, how many they are, how many failed; of a ready one there is nothing of these, but behind them
--          its closed gates: name of the limit, gate, running, when it opens (ms; ''), how many may run (''),
--          the version of the shard's share of a limit that is shared out ('')
--          | 'unknown', now | 'elsewhere', queue
-- Cost:    O(1)
-- Needs:   lib_record lib_bundles lib_entry lib_earliest lib_links lib_returns
mends = false
local id = ARGV[1]
local body = call('HGET', tasks, id)
if not body then return {'unknown', now} end
local noted, staged = call('HGET', notes, id) or '', call('HGET', stages, id) or ''
local record = call('HGET', waiting, id)
local function standing()
  if not record then return end
  local found, ids = links_of('n', id, 100), {}
  for i = 1, #found do ids[i] = sub(found[i], 18) end
  return table.concat(ids), count_links('n', id), count_links('f', id)
end
-- Of a ready task: the gates that are closed to it.
local function closed_gates()
  local found = {}
  if not is_gated(body) then return '', 0, 0, found end
  local text = gates_of(body)
  for at = 1, #text, gate_width do
    local gate = sub(text, at, at + gate_width - 1)
    local till, n = closed_until(gate), #found
    if till then
      found[n + 1], found[n + 2] = call('HGET', limits, 'n' .. sub(gate, 2, 9)) or '', gate
      found[n + 3] = digits(running(known_gate(gate)) - returns.waiting(gate))
      found[n + 4] = till < math.huge and digits(math.ceil(till / 1000)) or ''
      local set = call('HMGET', limits, 'o' .. sub(gate, 2, 9), 'f' .. sub(gate, 2, 9))
      found[n + 5], found[n + 6] = rule_of(gate).most or '', set[1] and set[2] or ''
    end
  end
  return '', 0, 0, found
end
if is_ended(body) then
  return {'ended', now, body_of(body), noted, end_of(body), '', '', '', staged, standing()}
end
if record then
  local due = bundle.is_item(record) and 0 or tonumber(sub(record, 3, 15))
  local word = string.find(record, '^[rg]') and 'registering' or 'waiting'
  return {word, now, body, noted, '', due > 0 and digits(due) or '', '', '', staged, standing()}
end
local holder = call('HGET', own, id)
if holder then
  local line = call('HGET', claims, holder) or '\n'
  local worker = sub(line, 1, string.find(line, '\n', 1, true) - 1)
  return {'working', now, body, noted, '', '', holder, worker, staged}
end
local q, queue = queue_of(body)
if not q then return {'elsewhere', queue} end
local due = tonumber(call('ZSCORE', due_of(q), entry_of(id, body, noted ~= '')) or -1)
if due >= aside_band then return {'delayed', now, body, noted, '', '', '', '', staged} end
if due >= retry_band then return {'retry', now, body, noted, '', digits(due - retry_band), '', '', staged} end
if due >= 0 then return {'delayed', now, body, noted, '', digits(due), '', '', staged} end
return {'ready', now, body, noted, '', '', '', '', staged, closed_gates()}
