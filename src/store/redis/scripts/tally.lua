-- tally: remembers `counts` as they stand, some of them a call: once a minute for an hour (field 'm' and the minute of the hour, with
-- the minute since 1970 in front) and as the last of each day (field 'd' and the day since 1970).
-- Keys:    the shard's; `tallies`
-- Args:    about how many counters
-- Returns: 'ok', now, 1 while there are more
-- Cost:    O(counters looked at), and with the last of them O(bytes of all)
-- Needs:   lib_there lib_queues lib_server
--
-- Whoever calls goes on where another one stopped: `control` has in 'tally' of which minute, how many parts there are so far (fields
-- 'p' and their number), the cursor and whose it is, as another server's passes over some; or that the day's is still to be written;
-- and in 'tallied' of which minute the last tally is.
local tallies, since = KEYS[first_queue_key], math.floor(now / 60000)
local minute = digits(since)
free_first()
if call('HGET', control, 'tallied') == minute then return {'ok', now, 0} end

local of, parts, cursor, run = string.match(call('HGET', control, 'tally') or '', '^(%d+) (%d+) (%w+) (%x*)$')
parts = tonumber(parts or 0)
local function part(i) return 'p' .. i end
local function drop_parts()
  for i = 1, parts do call('HDEL', tallies, part(i)) end
end
local of_minute, day = 'm' .. since % 60, math.floor(now / 86400000)
local function keep_day(whole)
  call('HSET', tallies, 'd' .. day, sub(whole, #minute + 2))
  call('HDEL', tallies, 'd' .. day - 400)
  drop_parts()
  call('HDEL', control, 'tally')
  call('HSET', control, 'tallied', minute)
  return {'ok', now, 0}
end
if of ~= minute or run ~= rules.server() then
  -- One that was not done in its minute, or by its server, is begun anew.
  drop_parts()
  parts, cursor = 0, '0'
end
if cursor == 'day' then return keep_day(call('HGET', tallies, of_minute) or '') end

local page, totals = call('HSCAN', counts, cursor, 'COUNT', ARGV[1]), {}
for i = 1, #page[2], 2 do
  local field = page[2][i]
  if not string.find(field, '^[q~]') then totals[field] = page[2][i + 1] end
end
-- Without its brackets. A counter that two pages tell stands twice: the later one counts (store/redis/tallies.cpp).
local text = next(totals) and sub(cjson.encode(totals), 2, -2)
if page[1] ~= '0' then
  if text then
    parts = parts + 1
    call('HSET', tallies, part(parts), text)
  end
  call('HSET', control, 'tally', minute .. ' ' .. parts .. ' ' .. page[1] .. ' ' .. rules.server())
  return {'ok', now, 1}
end

-- Of thousands of queues it is half a megabyte: put together once, and copied for the day with the next call.
local all = {minute .. ' {'}
local function add(piece)
  if not piece then return end
  if #all > 1 then all[#all + 1] = ',' end
  all[#all + 1] = piece
end
for i = 1, parts do add(call('HGET', tallies, part(i))) end
add(text)
all[#all + 1] = '}'
local whole = table.concat(all)
call('HSET', tallies, of_minute, whole)
if parts == 0 then return keep_day(whole) end
call('HSET', control, 'tally', minute .. ' ' .. parts .. ' day ' .. rules.server())
return {'ok', now, 1}
