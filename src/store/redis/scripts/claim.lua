-- claim: takes what is ready, in the order of the queues given, urgent before the rest.
-- Keys:    the shard's; five for each queue, those to claim from first
-- Args:    worker, how many, lease (ms), number of queues, whether the worker may stand in the idle sets
-- Returns: claim number ('0': none), when to look again (ms; '' when all asked for were claimed or
--          nothing is due), ids in one text, lengths of the bodies, these in one text, notes as (position,
--          notes) pairs
-- Cost:    O(claimed + queues)


local function claim(worker, limit, lease, queues, may_be_idle)
  if limit == 0 then return '0', '', '', '', '', {} end
  local got, voids, last = pop(limit, queues)
  local popped, ids, noted = #got, {}, {}
  for i = 1, popped do
    local id = got[i]
    if #id > 16 then
      if byte(id, 17) >= 112 then noted[#noted + 1] = i end
      id = sub(id, 1, 16)
    end
    ids[i] = id
  end
  local bodies, lengths, fit = bodies_of(ids)
  if fit < popped then
    seldom().put_back(got, last, fit + 1)
    for i = popped, fit + 1, -1 do ids[i] = nil end
    while #noted > 0 and noted[#noted] > fit do noted[#noted] = nil end
  end
  if not lengths then
    ids, bodies, lengths = seldom().without_lost(ids, bodies)
    noted = nil
  end
  local number = #ids > 0 and take(worker, ids, lease) or '0'
  local look = ''
  if popped < limit then
    look = wait_for_more(worker, queues, voids)
  else
    pass_on(worker, queues, may_be_idle)
  end
  return number, look, carry(ids, lengths, bodies, noted)
end
