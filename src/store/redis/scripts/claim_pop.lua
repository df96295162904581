-- work, third step: takes entries out of the queues, those of the first first, urgent before the rest.
-- Sets:    got, popped (their number), last (position of the last one of each queue), voids (whether ready
--          lists may hold void entries, queues may be paused, or tasks wait in groups: then `closely` has what that takes),
--          gated (tasks wait in groups)
-- Needs: lib_few
local queues, got, popped, last, voids, void_room = tonumber(ARGV[6]), {}, 0, {}, false, 1000
if limit > 0 then voids = call('HLEN', stale) > 1 end
-- Out of paused queues nothing is taken, and who finds nothing must be able to wait on a full Redis.
local closely, gated = false, false
if voids then
  call('HDEL', control, 'none')
  gated = call('HEXISTS', stale, 'gated') == 1
  few_suffice = true
  closely = seldom()
  if gated then closely.open_gates(50) end
end
for q = 1, queues do
  if popped == limit then break end
  local room = (not voids or closely.is_open(q)) and limit - popped or 0
  if gated and room > 0 then
    local turns = closely.pop_turns(q, room)
    for i = 1, #turns do got[popped + i] = turns[i] end
    popped, room = popped + #turns, room - #turns
  end
  local urgent = room > 0 and call('ZPOPMIN', KEYS[14 + 6 * q], room) or {}
  for i = 1, #urgent, 2 do
    popped = popped + 1
    got[popped] = urgent[i]
  end
  local entries = false
  if room > 0 and popped < limit then
    if voids then
      entries, void_room = closely.pop_valid(q, limit - popped, void_room)
    else
      entries = call('RPOP', KEYS[13 + 6 * q], limit - popped)
    end
  end
  if entries and popped == 0 then
    got, popped = entries, #entries
  elseif entries then
    for i = 1, #entries do got[popped + i] = entries[i] end
    popped = popped + #entries
  end
  last[q] = popped
end
