-- finish: takes workers' reports, each only from the claim that holds the task.
-- Keys:    the shard's; five for each queue reported on; history lists of (queue, retention)
-- Args:    from `at`: runs of reports alike: spec, claim, count, (id, record) x count
--          spec: 'kind queue history priority time noted expires'; kind: end, later, give; history:
--          position among KEYS or 0; time: retention or delay (ms); noted: the store holds notes; expires:
--          the task is in the expiry set
--          record: notes, or of an end 4 bytes (length of the outcome), the outcome, the body
-- Returns: positions of the reports whose claim was lost
-- Cost:    O(reports)
local function finish(at)
  local lost, position = {}, 0
  while at <= #ARGV do
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
      if kind == 'end' then end_run(run, ids, records) else seldom()[kind](run, ids, records) end
    end
    position, at = position + count, at + 3 + 2 * count
  end
  return lost
end
