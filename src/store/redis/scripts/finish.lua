-- finish: takes workers' reports, each only from the claim that holds the task.
-- Keys:    the shard's; five for each queue reported on; history lists of (queue, retention)
-- Args:    from `at`: runs of reports alike: spec, count, (id, claim, record) x count
--          spec: 'kind queue history priority time noted expires'; kind: end, later, give; history:
--          position among KEYS
--          or 0; time: retention or delay (ms); noted: the store holds notes; expires: the task is in the
--          expiry set
-- Returns: positions of the reports whose claim was lost
-- Cost:    O(reports)
local steps = {['end'] = end_run, later = later_run, give = give_run}

-- Of `count` reports from `at` those whose claim holds the task: their ids and records.
local function accepted(at, count, lost, position)
  local asked, records, wrong = {}, {}, false
  for i = 1, count do
    asked[i], records[i] = ARGV[at], ARGV[at + 2]
    at = at + 3
  end
  local holders = hmget(own, asked)
  at = at - 3 * count + 1
  for i = 1, count do
    if holders[i] ~= ARGV[at + 3 * i - 3] then
      lost[#lost + 1] = position + i
      asked[i], wrong = false, true
    end
  end
  if not wrong then return asked, records end
  local ids, kept = {}, {}
  for i = 1, count do
    if asked[i] then
      ids[#ids + 1], kept[#kept + 1] = asked[i], records[i]
    end
  end
  return ids, kept
end

local function finish(at)
  local lost, position = {}, 0
  while at <= #ARGV do
    local kind, q, history, priority, time, noted, expires =
      string.match(ARGV[at], '^(%a+) (%d+) (%d+) (%d+) (%d+) (%d) (%d)$')
    local run = {q = tonumber(q), history = tonumber(history), priority = tonumber(priority),
      time = tonumber(time), noted = noted == '1', expires = expires == '1'}
    local count = tonumber(ARGV[at + 1])
    local ids, records = accepted(at + 2, count, lost, position)
    if #ids > 0 then
      many('HDEL', own, ids, 1, #ids)
      steps[kind](run, ids, records)
    end
    position, at = position + count, at + 2 + 3 * count
  end
  return lost
end
