-- find: all that is known of a task, at one moment.
-- Keys:    the shard's; five for each queue that it may be in
-- Args:    id
-- Returns: 'ended' | 'working' | 'due' | 'ready', now, body, notes, end (13 digits of ms,
--          outcome), due time (ms), claim, worker ('' for none)
--          | 'unknown', now | 'elsewhere', queue
-- Cost:    O(1)
local id = ARGV[1]
local body = call('HGET', tasks, id)
if not body then return {'unknown', now} end
local noted = call('HGET', notes, id) or ''
if is_ended(body) then return {'ended', now, body_of(body), noted, end_of(body), '', '', ''} end
local holder = call('HGET', own, id)
if holder then
  local line = call('HGET', claims, holder) or '\n'
  local worker = sub(line, 1, string.find(line, '\n', 1, true) - 1)
  return {'working', now, body, noted, '', '', holder, worker}
end
local q, queue = queue_of(body)
if not q then return {'elsewhere', queue} end
local due = call('ZSCORE', due_of(q), entry(id, priority_of(body), noted ~= ''))
if due then return {'due', now, body, noted, '', digits(tonumber(due)), '', ''} end
return {'ready', now, body, noted, '', '', '', ''}
