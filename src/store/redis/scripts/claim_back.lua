-- claim, second half: what is left undone of it.

-- A worker that got less than it asked for waits in the idle sets of its queues.
local function register(worker, queues, got, limit, may_be_idle)
  if got < limit then
    for q = 1, queues do call('SADD', idle_of(q), worker) end
  elseif may_be_idle then
    for q = 1, queues do call('SREM', idle_of(q), worker) end
  end
end

-- Back to the heads of their queues, the last first: what does not fit into the reply.
local function put_back(got, from_queue, first)
  for i = #got, first, -1 do
    local q, text = from_queue(i), got[i]
    local priority = #text > 16 and byte(text, 17) % 64 - 48 or 0
    if priority > 0 then place_urgent(q, text, priority, true) else call('RPUSH', ready_of(q), text) end
    got[i] = nil
  end
end

-- Deleted by hand: what has no body is never handed out.
local function without_lost(ids, bodies)
  local kept, theirs = {}, {}
  for i = 1, #ids do
    if bodies[i] then kept[#kept + 1], theirs[#theirs + 1] = ids[i], bodies[i] end
  end
  return kept, theirs
end

-- A claim that was filled and leaves a backlog wakes the next worker.
local function pass_on(queues)
  for q = 1, queues do
    if call('SCARD', idle_of(q)) > 0
        and (call('LLEN', ready_of(q)) > 0 or call('ZCARD', urgent_of(q)) > 0) then wake(q, 1) end
  end
end
