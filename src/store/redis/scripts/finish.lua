-- work, second step: takes workers' reports, each only from the claim that holds the task.
-- Keys:    the shard's; six for each queue reported on; history lists of (queue, retention)
-- Args:    from `at`: runs of reports alike: spec, claim, count, (id, record) x count
--          spec: 'kind queue history priority time noted expires'; kind: end, later, retry, give; history:
--          position among KEYS or 0; time: retention or delay (ms); noted: the store holds notes; expires:
--          the task is in the expiry set
--          record: notes, or of an end what `tasks` is to hold (lib_mark.lua)
-- Sets:    lost: positions of the reports whose claim was lost
-- Cost:    O(reports)
local limit, closed, lost = tonumber(ARGV[4]), tonumber(ARGV[8]), {}
local at, position, total = 9 + closed, 0, #ARGV
if limit == 0 then call('HDEL', control, 'none') end  -- a claim begins with a write that frees
while at <= total do
  local kind, q, history, priority, time, noted, expires =
    string.match(ARGV[at], '^(%a+) (%d+) (%d+) (%d+) (%d+) (%d) (%d)$')
  local run = {q = tonumber(q), history = tonumber(history), priority = tonumber(priority),
    time = tonumber(time), noted = noted == '1', expires = expires == '1'}
  local claim, count, ids = ARGV[at + 1], tonumber(ARGV[at + 2]), {}
  for i = 1, count do ids[i] = ARGV[at + 1 + 2 * i] end
  local holders, before = hmget(own, ids), #lost
  for i = 1, count do
    if holders[i] ~= claim then lost[#lost + 1] = position + i end
  end
  if #lost > before or kind ~= 'end' or run.history == 0 or call('HLEN', watched) > 1 then
    ids = seldom().report(kind, run, claim, count, at, ids, holders)
  else
    -- The usual: successes that nobody waits for, all of this claim. Their records stay as they came.
    many('HDEL', own, ids, 1, count)
    many('HSET', tasks, ARGV, at + 3, at + 2 + 2 * count)
  end
  if kind == 'end' and #ids > 0 then
    if run.history > 0 then
      -- One entry for many tasks: their ids, and 6 bytes (a time not before the end of any, ms).
      local latest = math.max(now, tonumber(sub(ARGV[at + 2 + 2 * count], 2, 14)))
      local key, ending, pushed, length = KEYS[run.history], struct.pack('>I6', latest), 0, 0
      for from = 1, #ids, 256 do
        local part = table.concat(ids, '', from, math.min(from + 255, #ids))
        length, pushed = call('RPUSH', key, part .. ending), pushed + 1
      end
      local list = sub(key, #prefix + 9)
      if length == pushed then call('SADD', histories, list) end
      call('HINCRBY', counts, 's:' .. list, #ids)
    end
    if run.noted then many('HDEL', notes, ids, 1, #ids) end
    if run.expires then many('ZREM', KEYS[17 + 6 * run.q], ids, 1, #ids) end
  end
  position, at = position + count, at + 3 + 2 * count
end

if closed > 0 then
  many('ZREM', leases, ARGV, 9, 8 + closed)
  many('HDEL', claims, ARGV, 9, 8 + closed)
end
