-- claim, first half: takes entries out of the queues.

-- Entries, whether any may be void, and the position of the last one of each queue.
local function pop(limit, queues)
  local got, count, last = {}, 0, {}
  local voids = call('HLEN', stale) > 1
  for q = 1, queues do
    if count == limit then break end
    local urgent = call('ZPOPMIN', urgent_of(q), limit - count)
    for i = 1, #urgent, 2 do
      count = count + 1
      got[count] = urgent[i]
    end
    local entries = false
    if count < limit then
      if voids then
        entries = seldom().pop_valid(q, limit - count)
      else
        entries = call('RPOP', ready_of(q), limit - count)
      end
    end
    if entries and count == 0 then
      got, count = entries, #entries
    elseif entries then
      for i = 1, #entries do
        count = count + 1
        got[count] = entries[i]
      end
    end
    last[q] = count
  end
  return got, voids, last
end
