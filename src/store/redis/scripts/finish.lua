-- finish: takes workers' reports, each only from the claim that holds the task.
-- Keys:    the shard's; five for each queue reported on; history lists of (queue, retention)
-- Args:    from `at`: runs of reports alike: spec, claim, count, (id, record) x count
--          spec: 'kind queue history priority time noted expires'; kind: end, later, give; history:
--          position among KEYS or 0; time: retention or delay (ms); noted: the store holds notes; expires:
--          the task is in the expiry set
--          record: notes, or of an end 4 bytes (length of the outcome), the outcome, the body
-- Returns: positions of the reports whose claim was lost
-- Cost:    O(reports)
local steps = {['end'] = end_run, later = later_run, give = give_run}

-- Of `count` reports from `at` those whose task is under the claim: their ids and records.
local function accepted(claim, count, at, lost, position)
  local ids, records, wrong = {}, {}, false
  for i = 1, count do
    ids[i], records[i] = ARGV[at + 2 * i - 2], ARGV[at + 2 * i - 1]
  end
  local holders = hmget(own, ids)
  for i = 1, count do
    if holders[i] ~= claim then
      lost[#lost + 1], wrong = position + i, true
    end
  end
  if not wrong then return ids, records end
  local kept, theirs = {}, {}
  for i = 1, count do
    if holders[i] == claim then kept[#kept + 1], theirs[#theirs + 1] = ids[i], records[i] end
  end
  return kept, theirs
end

local function finish(at)
  local lost, position = {}, 0
  while at <= #ARGV do
    local kind, q, history, priority, time, noted, expires =
      string.match(ARGV[at], '^(%a+) (%d+) (%d+) (%d+) (%d+) (%d) (%d)$')
    local run = {q = tonumber(q), history = tonumber(history), priority = tonumber(priority),
      time = tonumber(time), noted = noted == '1', expires = expires == '1'}
    local count = tonumber(ARGV[at + 2])
    local ids, records = accepted(ARGV[at + 1], count, at + 3, lost, position)
    if #ids > 0 then
      many('HDEL', own, ids, 1, #ids)
      steps[kind](run, ids, records)
    end
    position, at = position + count, at + 3 + 2 * count
  end
  return lost
end
