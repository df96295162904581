-- claim: takes what is ready, in the order of the queues given, urgent before the rest.
-- Keys:    the shard's; five for each queue, those to claim from first
-- Args:    worker, how many, lease (ms), number of queues, whether the worker may stand in the idle sets
-- Returns: claim number ('0': none), when to look again (ms; '' when all asked for were claimed or
--          nothing is due), ids in one text, lengths of the bodies, these in one text, notes as (position,
--          notes) pairs
-- Cost:    O(claimed + queues)

-- When a worker that got less than it asked for is to look again (ms).
local function look_again(worker, queues, voids)
  for q = 1, queues do
    if voids and call('LLEN', ready_of(q)) > 0 then return digits(now) end
  end
  local look = next_look(worker, 1, queues)
  return look and digits(look) or ''
end

local function claim(worker, limit, lease, queues, may_be_idle)
  if limit == 0 then return '0', '', '', '', '', {} end
  local got, voids, from_queue = pop(limit, queues)
  local ids, noted, whole = {}, {}, true
  for i = 1, #got do
    local id = got[i]
    if #id > 16 then
      if byte(id, 17) >= 112 then noted[#noted + 1] = i end
      id = sub(id, 1, 16)
    end
    ids[i] = id
  end
  local bodies, fit = bodies_of(ids)
  local over = fit < #got and from_queue(fit + 1)
  if over then
    put_back(got, from_queue, fit + 1)
    for i = #ids, fit + 1, -1 do ids[i] = nil end
    while #noted > 0 and noted[#noted] > fit do noted[#noted] = nil end
  end
  for i = 1, #ids do whole = whole and bodies[i] end
  if not whole then
    ids, bodies = without_lost(ids, bodies)
    noted = nil
  end
  register(worker, queues, #got, limit, may_be_idle)
  local number = #ids > 0 and take(worker, ids, lease) or '0'
  local look = ''
  if #got < limit then look = look_again(worker, queues, voids) else pass_on(queues) end
  -- As likely this worker as another: what was put back is there to be claimed.
  if over then wake(over, 1) end
  return number, look, carry(ids, bodies, noted)
end
