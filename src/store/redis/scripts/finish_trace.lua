-- finish, the unusual ends.
-- Needs: lib_links lib_listed lib_counts lib_end lib_remnant lib_groups lib_untold

-- Ends of which nothing is kept: but for a minute when somebody waits for them, and the id for
-- unique_for.
local function end_without_trace(run, ids, values, heard)
  local gone, tied = {}, call('ZCARD', links) > 1
  for i = 1, #ids do
    local id, value = ids[i], values[i]
    if heard[id] then
      call('HSET', tasks, id, value)
      call('ZADD', buried, now + 60000, id)
      list_as(run.q, state_letter(value), id)
    elseif unique_for(value) > 0 then
      keep_remnant(id, value, now + unique_for(value))
    elseif tied and (any_link('n', id) or any_link('f', id) or any_link('s', id)) then
      -- Its edges go before it, in the steps of clean.
      call('HSET', tasks, id, value)
      call('ZADD', buried, now, id)
      list_as(run.q, state_letter(value), id)
    else
      drop_stages(id)
      leave_untold(id, value)
      gone[#gone + 1] = id
    end
  end
  many('HDEL', tasks, gone, 1, #gone)
end

-- Ends of all other kinds: watched, kept by themselves (dead, expired), or not kept.
local function end_run(run, ids, values)
  local fields = {}
  for i = 1, #ids do
    fields[2 * i - 1], fields[2 * i] = ids[i], values[i]
  end
  if run.history == 0 then count_ends(run.q, values) end
  local heard = call('HLEN', watched) > 1 and tell(ids, values) or {}
  if run.tells then tell_schedules(ids, values, heard) end
  if run.time == 0 then return end_without_trace(run, ids, values, heard) end
  many('HSET', tasks, fields, 1, #fields)
  if run.history == 0 then
    for i = 1, #ids do
      call('ZADD', buried, now + run.time, ids[i])
      list_as(run.q, state_letter(values[i]), ids[i])
    end
  end
end

-- Of a claim whose tasks were not all under it, although it stands whole: something has damaged the store. Which were, their
-- bodies must tell.
local function held_by(claim, ids)
  local values, holders = hmget(tasks, ids), {}
  for i = 1, #ids do holders[i] = values[i] and not is_ended(values[i]) and claim end
  return holders
end

-- A run of reports of any kind, some of which may be lost. Returns the ids of those that were not, and what its spec
-- says.
local function report(spec, history, claim, count, at, ids, holders)
  local kind, q, priority, time, noted, expires, strange, tells, gated =
    string.match(spec, '^(%a+) (%d+) (%d+) (%d+) (%d) (%d) %d (%d) (%d) (%d)$', 6)
  local run = {kind = kind, q = tonumber(q), history = history, priority = tonumber(priority), time = tonumber(time),
    noted = noted == '1', expires = expires == '1', failed = kind == 'retry', strange = strange == '1',
    tells = tells == '1'}
  local kept, records = {}, {}
  for i = 1, count do
    if holders[i] == claim then
      kept[#kept + 1], records[#records + 1] = ids[i], ARGV[at + 2 + 2 * i]
    end
  end
  -- Also of one that is lost: it was cancelled, and its attempt has ended only now.
  if gated == '1' then
    local all = {}
    for i = 1, count do all[i] = ARGV[at + 1 + 2 * i] end
    free_slots(all, claim)
  end
  if #kept == 0 then return kept, run end
  many('HDEL', own, kept, 1, #kept)
  local step = kind == 'end' and end_run or kind == 'give' and give_run
    or kind == 'aside' and aside_run or kind == 'join' and join_run
    or kind == 'regroup' and regroup_run or later_run
  step(run, kept, records)
  return kept, run
end

-- What of this claim nobody has reported, since it was cancelled and its attempt given up: it holds no gates any more.
local function end_claim(claim)
  local line = call('HGET', claims, claim) or '\n'
  for from = string.find(line, '\n', 1, true) + 1, #line - 15, 16 do
    local id = sub(line, from, from + 15)
    if call('HGET', own, id) ~= claim then free_slot(id, claim) end
  end
end

-- What else was kept of tasks that have ended.
local function forget_ends(run, ids)
  if run.kind ~= 'end' then return end
  if run.noted then many('HDEL', notes, ids, 1, #ids) end
  if run.expires then many('ZREM', KEYS[17 + 6 * run.q], ids, 1, #ids) end
end
