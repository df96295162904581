-- work, second step: takes workers' reports, each only from the claim that holds the task.
-- Keys:    the shard's; five for each queue reported on; history lists of (queue, retention)
-- Args:    from `at`: runs of reports alike: spec, claim, count, (id, record) x count
--          spec: 'kind queue history priority time noted expires'; kind: end, later, give; history:
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
  local claim, count, ids, records = ARGV[at + 1], tonumber(ARGV[at + 2]), {}, {}
  for i = 1, count do
    ids[i], records[i] = ARGV[at + 1 + 2 * i], ARGV[at + 2 + 2 * i]
  end
  local holders, before = hmget(own, ids), #lost
  for i = 1, count do
    if holders[i] ~= claim then lost[#lost + 1] = position + i end
  end
  if #lost > before then ids, records = seldom().held_only(claim, ids, records, holders) end
  if #ids > 0 then
    many('HDEL', own, ids, 1, #ids)
    if kind == 'end' and run.history > 0 and call('HLEN', watched) <= 1 then
      -- The usual end: a success that nobody waits for. Its records go where they came from.
      if #ids == count then
        many('HSET', tasks, ARGV, at + 3, at + 2 + 2 * count)
      else
        for i = 1, #ids do call('HSET', tasks, ids[i], records[i]) end
      end
    elseif kind == 'end' then
      seldom().end_run(run, ids, records)
    else
      seldom()[kind](run, ids, records)
    end
    if run.history > 0 then
      -- One entry for many tasks: their ids, and 6 bytes (a time not before the end of any, ms).
      local latest = math.max(now, tonumber(sub(records[#ids], 2, 14)))
      local key, ending, pushed, length = KEYS[run.history], struct.pack('>I6', latest), 0, 0
      for from = 1, #ids, 256 do
        local part = table.concat(ids, '', from, math.min(from + 255, #ids))
        length, pushed = call('RPUSH', key, part .. ending), pushed + 1
      end
      if length == pushed then call('SADD', histories, sub(key, #prefix + 9)) end
    end
    if kind == 'end' and run.noted then many('HDEL', notes, ids, 1, #ids) end
    if kind == 'end' and run.expires then many('ZREM', KEYS[13 + 5 * run.q], ids, 1, #ids) end
  end
  position, at = position + count, at + 3 + 2 * count
end

if closed > 0 then
  many('ZREM', leases, ARGV, 9, 8 + closed)
  many('HDEL', claims, ARGV, 9, 8 + closed)
end
