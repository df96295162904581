-- claim, its end: who waits, and who is woken.

-- A worker that got less than it asked for waits in the idle sets of its queues, and is told when to look
-- again (ms).
local function wait_for_more(worker, queues, voids)
  for q = 1, queues do call('SADD', idle_of(q), worker) end
  for q = 1, queues do
    if voids and call('LLEN', ready_of(q)) > 0 then return digits(now) end
  end
  local look = next_look(worker, 1, queues)
  return look and digits(look) or ''
end

-- Takes workers off the idle sets: this one, which is busy, and the next where it leaves a backlog.
local function pass_on(worker, queues, may_be_idle)
  for q = 1, queues do
    if may_be_idle then call('SREM', idle_of(q), worker) end
    if call('SCARD', idle_of(q)) > 0
        and (call('LLEN', ready_of(q)) > 0 or call('ZCARD', urgent_of(q)) > 0) then seldom().wake(q, 1) end
  end
end
