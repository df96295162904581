-- sweep, by kind: looks at a page from a cursor ('0' to begin); returns how many stay, the next cursor ('': the end) and how
-- many there are in all.
-- Needs: lib_queues lib_silent
local kinds = {}

local function scan(command, key, cursor, count)
  local page = call(command, key, cursor, 'COUNT', count)
  return page[2], page[1] == '0' and '' or page[1]
end

-- Fields whose value says in its digits `from`..`to` when they were used last.
local function by_age(key, cursor, from, to, oldest)
  local page, after = scan('HSCAN', key, cursor, 250)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local used = tonumber(sub(page[i + 1], from, to))
    if used and used < oldest then stay = stay - call('HDEL', key, page[i]) end
  end
  return stay, after, call('HLEN', key)
end

-- An hour of idleness ends a lane.
function kinds.lanes(cursor) return by_age(lanes, cursor, 16, 28, now - 3600000) end
-- Submissions from a database's outbox of which nobody has said that they do not come again.
function kinds.arrived(cursor) return by_age(KEYS[#KEYS - 1], cursor, 1, -1, now - tonumber(ARGV[2])) end

-- Starts of a rate that count no longer: one gate for each key there ever was.
function kinds.gates(cursor)
  local page, after = scan('HSCAN', prefix .. 'gates', cursor, 250)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local kind, over = byte(page[i]), false
    if kind == 116 then over = tonumber(page[i + 1]) < micros end
    if kind == 119 then over = tonumber(string.match(page[i + 1], '^%d+')) < now end
    if over then stay = stay - call('HDEL', prefix .. 'gates', page[i]) end
  end
  return stay, after, call('HLEN', prefix .. 'gates')
end

-- Workers that wait in a queue.
function kinds.idle(cursor)
  local page, after = scan('SSCAN', idle_of(1), cursor, 200)
  local stay = #page
  for name in pairs(silent_ones(page)) do stay = stay - call('SREM', idle_of(1), name) end
  return stay, after, call('SCARD', idle_of(1))
end

-- Resolvers that wait stand behind all times; the cursor is how many have been passed.
function kinds.resolvers(cursor)
  local page, names = call('ZRANGE', outbox, '+inf', '+inf', 'BYSCORE', 'LIMIT', cursor, 200), {}
  for i = 1, #page do
    if sub(page[i], 1, 1) == 'R' then names[#names + 1] = sub(page[i], 2) end
  end
  local gone, dropped = silent_ones(names), 0
  for name in pairs(gone) do dropped = dropped + call('ZREM', outbox, 'R' .. name) end
  local after = #page == 200 and digits(cursor + #page - dropped) or ''
  return #page - dropped, after, call('ZCOUNT', outbox, '+inf', '+inf')
end
