-- claim: takes what is ready, in the order of the queues given, urgent before the rest.
-- Keys:    the shard's; five for each queue, those to claim from first
-- Args:    worker, how many, lease (ms), number of queues, whether the worker may stand in the idle sets
-- Returns: claim number ('0': none), when to look again (ms; '' when all asked for were claimed or
--          nothing is due),
--          ids in one text, bodies, notes as (position, notes) pairs
-- Cost:    O(claimed + queues)

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

local function claim(worker, limit, lease, queues, may_be_idle)
  if limit == 0 then return '0', '', '', {}, {} end
  local got, voids, from_queue = pop(limit, queues)
  local ids, noted = {}, {}
  for i = 1, #got do
    ids[i] = got[i]
    if #got[i] > 16 then
      ids[i] = sub(got[i], 1, 16)
      if byte(got[i], 17) >= 112 then noted[#noted + 1] = i end
    end
  end
  local bodies, fit = bodies_of(ids)
  local over = fit < #got and from_queue(fit + 1)
  if over then
    put_back(got, from_queue, fit + 1)
    for i = #ids, fit + 1, -1 do ids[i] = nil end
    while #noted > 0 and noted[#noted] > fit do noted[#noted] = nil end
  end
  for i = #ids, 1, -1 do
    if not bodies[i] then  -- deleted by hand: never hand out what has no body
      table.remove(ids, i)
      table.remove(bodies, i)
      noted = nil
    end
  end
  register(worker, queues, #got, limit, may_be_idle)
  local number = #ids > 0 and take(worker, ids, lease) or '0'
  local look = #got < limit and next_look(worker, 1, queues) or false
  for q = 1, queues do
    if voids and #got < limit and call('LLEN', ready_of(q)) > 0 then look = now end
    if #got == limit and call('SCARD', idle_of(q)) > 0
        and (call('LLEN', ready_of(q)) > 0 or call('ZCARD', urgent_of(q)) > 0) then wake(q, 1) end
  end
  -- As likely this worker as another: what was put back is there to be claimed.
  if over then wake(over, 1) end
  return number, look and digits(look) or '', carry(ids, bodies, noted)
end
