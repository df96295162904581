-- promote: makes what is due ready, ends what was not started in time, wakes workers that missed one.
-- Keys:    the shard's; six for each queue
-- Args:    worker, how many at most (one that expires counts as twenty), outcome of an expired task,
--          number of queues
-- Returns: 'ok', now, promoted, expired, when to look again (ms or '')
-- Cost:    O(due x log waiting)
-- Needs:   lib_there lib_wake lib_entry lib_ready lib_paused lib_due lib_aside promote_aside promote_late
local queues = tonumber(ARGV[4])

local function promote(q)
  local entries = call('ZRANGE', due_of(q), '-inf', now, 'BYSCORE', 'LIMIT', 0, room)
  local again = call('ZRANGE', due_of(q), digits(retry_band), digits(retry_band + now), 'BYSCORE', 'LIMIT', 0,
    room - #entries)
  -- In its group a retry goes before those that have not started yet.
  local retried = {}
  for i = 1, #again do
    entries[#entries + 1] = again[i]
    retried[again[i]] = #again[i] > 16 and byte(again[i], 17) >= 176
  end
  local aside, later
  room = room - #entries
  entries, aside, later = apart(q, entries)
  local all
  entries, all = early.affordable(entries)
  if later > 0 or not all then room = 0 end
  stand_aside(q, aside)
  many('ZREM', due_of(q), entries, 1, #entries)
  local plain, first, ahead = {}, {}, {}
  for i = 1, #entries do
    local mark = #entries[i] > 16 and byte(entries[i], 17) or 48
    if retried[entries[i]] then
      first[#first + 1] = entries[i]
    elseif mark < 176 and mark % 64 == 48 + early.mark then
      ahead[#ahead + 1] = entries[i]
    elseif mark >= 176 or mark % 64 > 48 then
      make_ready(q, entries[i])
    else
      plain[#plain + 1] = entries[i]
    end
  end
  -- The last one first, so that they keep their order.
  for i = #first, 1, -1 do make_ready(q, first[i], true) end
  many('LPUSH', ready_of(q), plain, 1, #plain)
  early.place(q, ahead)
  wake(q, math.min(#entries, chain))
  return #entries + #aside
end

-- Its names are its own: Lua allows a script 200.
local function pass()
  free_first()
  open_gates(100)
  local promoted, expired = 0, 0
  for i = 0, queues - 1 do
    -- None is always the first: what is due in one queue may be more than one call does.
    local q = (micros + i) % queues + 1
    expired = expired + expire(q)
    local moved = promote(q)
    promoted = promoted + moved
    local backlog = moved == 0 and any_ready(q)
    if backlog and not seen.woken[name_of(q)] and is_open(q) then wake(q, 1) end
  end
  local look = room == 0 and now or next_look(ARGV[1], 1, queues)
  return {'ok', now, promoted, expired, look and digits(look) or ''}
end

return pass()
