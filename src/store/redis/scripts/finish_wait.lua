-- finish, reports of tasks that go on: later, or at once at the head of their queue.
-- Needs: lib_wake lib_entry lib_earliest lib_counts lib_aside lib_ready
local function later_run(run, ids, records)
  local before, due = earliest(run.q), upper + run.time
  local score = digits(run.failed and retry_band + due or due)
  if run.failed then count('f', run.q, #ids) end
  for i = 1, #ids do
    call('HSET', notes, ids[i], records[i])
    call('ZADD', due_of(run.q), score, entry(ids[i], run.priority, true))
    if run.strange then call('ZADD', links, 0, 'a' .. ids[i]) end
  end
  if due < before then wake(run.q, 1) end
end

-- Tasks whose handler their worker does not know.
local function aside_run(run, ids, records) stand_aside(run.q, ids, records) end

-- Back to the head of the queue, the last one first, so that they keep their order.
local function give_run(run, ids, records)
  for i = #ids, 1, -1 do
    if records[i] ~= '' then call('HSET', notes, ids[i], records[i]) end
    make_ready(run.q, entry(ids[i], run.priority, call('HEXISTS', notes, ids[i]) == 1), true)
  end
  wake(run.q, math.min(#ids, chain))
end

-- What lacked gates: with a body that has them to the end of its group, in the order in which it was claimed.
local function regroup_run(run, ids, records)
  local wakes = 0
  for i = 1, #ids do
    call('HSET', tasks, ids[i], records[i])
    if run.strange then
      if strangers.hold(run.q, ids[i], records[i]) then wakes = wakes + 1 end
      strangers.wake_for_turn(strangers.queue_of(records[i]))
    elseif make_ready(run.q, entry_of(ids[i], records[i], call('HEXISTS', notes, ids[i]) == 1)) then
      wakes = wakes + 1
    end
  end
  wake(run.q, math.min(wakes, chain))
end
