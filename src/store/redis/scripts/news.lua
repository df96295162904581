-- news: takes news that are to be delivered; who finds none is woken when there are some.
-- Keys:    the shard's
-- Args:    worker, for how long they are its own (ms), how many at most, how many tasks to be told at most
-- Returns: 'ok', now, when to look again (ms or ''), then for each: id and letter, token, 1 when more tasks
--          are to be told than are given, their ids in one text
-- Cost:    O(news + tasks)
-- Needs:   lib_there lib_queues lib_links lib_news
free_first()
local worker, room = ARGV[1], tonumber(ARGV[4])

local reply = {}
for _, member in ipairs(call('ZRANGE', outbox, '-inf', now, 'BYSCORE', 'LIMIT', 0, tonumber(ARGV[3]))) do
  local id, what = sub(member, 1, 16), sub(member, 17)
  if not still_true(id, what) then
    call('ZREM', outbox, member)
  elseif room > 0 then
    local ran = byte(what) == 114
    local found = (ran or what == 'k' or what == 'w') and {} or links_of(what == 'u' and 'u' or 'c', id, room)
    local ids, more = ran and {sub(what, 2)} or {}, #found == room
    for i = 1, #found do ids[i] = sub(found[i], 18) end
    room = room - math.max(#found, 1)
    -- The fraction makes it a token: whoever put the time off later has another.
    local token = digits(now + tonumber(ARGV[2])) .. '.' .. (micros % 1000)
    call('ZADD', outbox, token, member)
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = member, token, more and 1 or 0, table.concat(ids)
  end
end
if #reply == 0 then call('ZADD', outbox, '+inf', 'R' .. worker) end
local first = call('ZRANGE', outbox, 0, 0, 'WITHSCORES')[2]
local next_look = first and first ~= 'inf' and digits(math.ceil(tonumber(first))) or ''
return {'ok', now, next_look, unpack(reply)}
