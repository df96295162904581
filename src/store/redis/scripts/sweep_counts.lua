-- sweep, what was counted.
-- Needs: lib_histories

-- Counters of history lists that are gone.
function kinds.counts(cursor)
  local page, after = scan('HSCAN', counts, cursor, 200)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local list = string.match(page[i], '^[sp%-]:(.+:%d+)$')
    if list and call('SISMEMBER', histories, list) == 0 then
      forget_list(list)
      stay = stay - 1
    end
  end
  return stay, after, call('HLEN', counts)
end

-- Where a pass over too many ended tasks was to go on (trim_oldest.lua), of queues that have had no more of them since.
function kinds.passed(cursor)
  local page, after = scan('HSCAN', control, cursor, 200)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local old = string.find(page[i], '^passed:') and tonumber(string.match(page[i + 1], '^%d+') or 0) < now - 60000
    if old then stay = stay - call('HDEL', control, page[i]) end
  end
  return stay, after, call('HLEN', control)
end

-- Days of more than a year ago.
function kinds.tallies(cursor)
  local key, oldest = KEYS[#KEYS], math.floor(now / 86400000) - 400
  local page, after = scan('HSCAN', key, cursor, 100)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local day = tonumber(string.match(page[i], '^d(%d+)$'))
    if day and day < oldest then stay = stay - call('HDEL', key, page[i]) end
  end
  return stay, after, call('HLEN', key)
end
