-- finish: takes workers' reports, each only from the claim that holds the task.
-- Keys:    the shard's; five for each queue reported on; history lists of (queue, retention)
-- Args:    from `at`: runs of reports alike: spec, count, (id, claim, record) x count
--          spec: 'kind queue history priority time noted expires'; kind: end, later, give; history: position among KEYS
--          or 0; time: retention or delay (ms); noted: the store holds notes; expires: the task is in the expiry set
-- Returns: positions of the reports whose claim was lost
-- Cost:    O(reports)
local function end_run(run, ids, outcomes)
  local records, gone, pairs_of = {}, {}, {}
  for i = 1, #ids do records[i] = stamp .. outcomes[i] end
  local heard = tell(ids, records)
  for i = 1, #ids do
    local id, success = ids[i], sub(outcomes[i], 1, 1) == 's'
    local unique_for = success and number_at(outcomes[i], 2, 6) or 0
    if run.time > 0 or heard[id] then
      pairs_of[#pairs_of + 1] = id
      pairs_of[#pairs_of + 1] = records[i]
      if run.history == 0 then call('ZADD', buried, now + (run.time > 0 and run.time or 60000), id) end
    elseif unique_for > 0 then
      keep_stub(id, call('HGET', tasks, id), records[i], now + unique_for)
    else
      gone[#gone + 1] = id
    end
  end
  many('HDEL', tasks, gone, 1, #gone)
  many('HSET', ended, pairs_of, 1, #pairs_of)
  if run.history > 0 then
    local key, ending, list = KEYS[run.history], struct.pack('>I6', now), {}
    for i = 1, #ids do list[i] = ids[i] .. ending end
    if many('RPUSH', key, list, 1, #list) == #list then call('SADD', histories, sub(key, #prefix + 9)) end
  end
  if run.noted then many('HDEL', notes, ids, 1, #ids) end
  if run.expires then many('ZREM', expiry_of(run.q), ids, 1, #ids) end
end

local function later_run(run, ids, records)
  local before, due = earliest(run.q), upper + run.time
  for i = 1, #ids do
    call('HSET', notes, ids[i], records[i])
    call('ZADD', due_of(run.q), due, entry(ids[i], run.priority, true))
  end
  if due < before then wake(run.q, 1) end
end

-- Back to the head of the queue, the last one first, so that they keep their order.
local function give_run(run, ids, records)
  for i = #ids, 1, -1 do
    if records[i] ~= '' then call('HSET', notes, ids[i], records[i]) end
    local text = entry(ids[i], run.priority, call('HEXISTS', notes, ids[i]) == 1)
    if run.priority > 0 then place_urgent(run.q, text, run.priority, true) else call('RPUSH', ready_of(run.q), text) end
  end
  wake(run.q, math.min(#ids, chain))
end

local steps = {['end'] = end_run, later = later_run, give = give_run}

local function finish(at)
  local lost, position = {}, 0
  while at <= #ARGV do
    local kind, q, history, priority, time, noted, expires =
      string.match(ARGV[at], '^(%a+) (%d+) (%d+) (%d+) (%d+) (%d) (%d)$')
    local run = {q = tonumber(q), history = tonumber(history), priority = tonumber(priority), time = tonumber(time),
      noted = noted == '1', expires = expires == '1'}
    local count, asked, ids, records = tonumber(ARGV[at + 1]), {}, {}, {}
    for i = 1, count do asked[i] = ARGV[at + 3 * i - 1] end
    local holders = hmget(own, asked)
    for i = 1, count do
      if holders[i] == ARGV[at + 3 * i] then
        ids[#ids + 1] = asked[i]
        records[#records + 1] = ARGV[at + 3 * i + 1]
      else
        lost[#lost + 1] = position + i
      end
    end
    if #ids > 0 then
      many('HDEL', own, ids, 1, #ids)
      steps[kind](run, ids, records)
    end
    position, at = position + count, at + 2 + 3 * count
  end
  return lost
end
