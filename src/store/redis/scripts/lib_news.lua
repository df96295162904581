-- News for tasks that depend on others: an id and what became of it: s d c x ended so; v revived; k it is to
-- be looked at itself; w its registration may have been given up.
--
-- They stand in `outbox` by the time from which somebody should deliver them; the resolver that takes them
-- puts that time off, and removes them when all have heard.

-- Marks that tasks depend on these, so that their end becomes news.
local function mark_awaited(ids)
  local names = hmget(watched, ids)
  for i = 1, #ids do
    local text = names[i] or ''
    if not string.find(text, '>\n', 1, true) then call('HSET', watched, ids[i], text .. '>\n') end
  end
end

local function announce(news)
  if #news == 0 then return end
  for i = 1, #news do call('ZADD', outbox, now, news[i]) end
  -- One of the resolvers that wait; one that is gone has no receiver on its channel.
  local names = call('HGET', control, 'resolvers') or ''
  local heard = names == ''
  while not heard do
    local first, rest = string.match(names, '^([^\n]+)\n(.*)$')
    if not first then break end
    heard, names = call('PUBLISH', prefix .. 'wake:' .. first, 'r') > 0, rest
    call('HSET', control, 'resolvers', names)
  end
end
