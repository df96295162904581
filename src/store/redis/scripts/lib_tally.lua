-- Remembers `counts` as they stand, once a minute for an hour (field 'm' and the minute of the hour, with the
-- minute since 1970 in front) and as the last of each day (field 'd' and the day since 1970).
-- Needs: lib_queues
local function keep_tally(tallies)
  local minute = math.floor(now / 60000)
  local field = 'm' .. minute % 60
  local before = call('HGET', tallies, field)
  if before and string.match(before, '^%d+') == digits(minute) then return end
  local flat, totals = call('HGETALL', counts), {}
  for i = 1, #flat, 2 do
    if not string.find(flat[i], '^[q~]') then totals[flat[i]] = flat[i + 1] end
  end
  local text, day = cjson.encode(totals), math.floor(now / 86400000)
  call('HSET', tallies, field, digits(minute) .. ' ' .. text, 'd' .. day, text)
  call('HDEL', tallies, 'd' .. day - 400)
end
