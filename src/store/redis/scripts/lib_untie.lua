-- What goes with a task that is deleted: its edges.
-- Needs: lib_forget
-- Gives: untie

-- Of one task and kind, in one call.
local most_edges = 200

-- Its edges go first, in steps; false while some are left. Also how many it was at. What waits for a later
-- task of this id stays.
function untie(id)
  if call('ZCARD', links) == 1 then return true, 0 end
  local all, count = forget_parents(id, most_edges)
  local served = links_of('s', id, most_edges)
  many('ZREM', links, served, 1, #served)
  local told, gone = links_of('c', id, most_edges), {}
  for i = 1, #told do
    local child = sub(told[i], 18)
    local record = call('HGET', waiting, child)
    local waits = record and sub(record, 1, 1) ~= 'f'
    -- Whether one of another shard waits only that shard knows: it says when it does no more.
    if not waits and not is_away(child) then gone[#gone + 1] = told[i] end
  end
  many('ZREM', links, gone, 1, #gone)
  if #told == #gone then call('HDEL', watched, id) end
  all = all and #served < most_edges and not (#told == most_edges and #gone > 0)
  return all, count + #served + #told
end
