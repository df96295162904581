-- Ending a task that no worker holds.
-- Needs: lib_mark lib_listed lib_untie lib_staged lib_counts lib_end lib_untold
-- Gives: bury

-- So many edges one call forgets of the tasks of which nothing is kept.
local edges_left = 1000

-- Whether all edges of a task are forgotten. If not, clean goes on with it, in steps: so no edge outlives its task.
local function forget_edges(id)
  if call('ZCARD', links) == 1 then return true end
  if edges_left <= 0 then return false end
  local all, edges = untie(id)
  edges_left = edges_left - edges
  return all
end

-- Ends one task of queue q; one of which somebody hears is kept a minute for those who come to look.
function bury(q, id, body, outcome)
  local value = mark .. struct.pack('>I4', #outcome) .. outcome .. body
  local heard = call('HLEN', watched) > 1 and tell({id}, {value}) or {}
  if tells_schedule(value) then tell_schedules({id}, {value}, heard) end
  local retention = number_at(outcome, 8, 6)
  count(sub(outcome, 1, 1), q, 1)
  if retention == 0 and heard[id] then retention = 60000 end
  if retention == 0 and forget_edges(id) then
    call('HDEL', tasks, id)
    call('HDEL', notes, id)
    drop_stages(id)
    leave_untold(id, value)
    call('ZREM', listed_of(q), id)
    return
  end
  call('HSET', tasks, id, value)
  call('ZADD', buried, now + retention, id)
  list_as(q, sub(outcome, 1, 1), id)
end
