-- claim: takes what is ready, in the order of the queues given, urgent before the rest.
-- Keys:    the shard's; five for each queue, those to claim from first
-- Args:    worker, how many, lease (ms), number of queues, whether the worker may stand in the idle sets
-- Returns: claim number ('0': none), when to look again (ms; '' when all asked for were claimed or nothing is due),
--          ids in one text, bodies, notes as (position, notes) pairs
-- Cost:    O(claimed + queues)

-- Leaves only entries that were not voided since they came into the list.
local function without_void(q, entries)
  local fields, kept, void, queue = {}, {}, {}, name_of(q)
  for i = 1, #entries do fields[i] = queue .. '\n' .. sub(entries[i], 1, 16) end
  local counts = hmget(stale, fields)
  for i = 1, #entries do
    -- An id may stand twice in one round: void of its earlier life, valid of this one.
    local field = fields[i]
    void[field] = void[field] or tonumber(counts[i] or 0)
    if void[field] == 0 then
      kept[#kept + 1] = entries[i]
    else
      void[field] = void[field] - 1
      if call('HINCRBY', stale, field, -1) <= 0 then call('HDEL', stale, field) end
    end
  end
  return kept
end

local function pop(limit, queues)
  local got, left = {}, limit
  local voids = call('HLEN', stale) > 1
  for q = 1, queues do
    local urgent = left > 0 and call('ZPOPMIN', urgent_of(q), left) or {}
    for i = 1, #urgent, 2 do got[#got + 1] = urgent[i] end
    left = limit - #got
    -- With voids a round may yield less than it popped. Bounded: what is left then is told by `look again now`.
    for _ = 1, voids and 200 or 1 do
      local entries = left > 0 and call('RPOP', ready_of(q), left)
      if not entries then break end
      if voids then entries = without_void(q, entries) end
      for i = 1, #entries do got[#got + 1] = entries[i] end
      left = limit - #got
    end
  end
  return got, voids
end

local function register(worker, queues, got, limit, may_be_idle)
  if got < limit then
    for q = 1, queues do call('SADD', idle_of(q), worker) end
  elseif may_be_idle then
    for q = 1, queues do call('SREM', idle_of(q), worker) end
  end
end

local function claim(worker, limit, lease, queues, may_be_idle)
  if limit == 0 then return '0', '', '', {}, {} end
  local got, voids = pop(limit, queues)
  local ids, noted = {}, {}
  for i = 1, #got do
    ids[i] = sub(got[i], 1, 16)
    if #got[i] > 16 and byte(got[i], 17) >= 112 then noted[#noted + 1] = i end
  end
  local bodies = hmget(tasks, ids)
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
    if #got == limit and call('SCARD', idle_of(q)) > 0 and call('LLEN', ready_of(q)) > 0 then wake(q, 1) end
  end
  return number, look and digits(look) or '', carry(ids, bodies, noted)
end
