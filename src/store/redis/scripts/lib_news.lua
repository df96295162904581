-- News for tasks that depend on others: an id and what became of it: s d c x ended so; v revived; k it is to
-- be looked at itself; w its registration may have been given up; u it needs parents of other shards no
-- longer. And for schedules: the schedule's id, r, and the id of its run that has ended.
--
-- They stand in `outbox` by the time from which somebody should deliver them; the resolver that takes them
-- puts that time off, and removes them when all have heard. Behind them, as 'R' and a name, stand the
-- resolvers that wait.
-- Needs: lib_record

-- Marks that tasks depend on these, so that their end becomes news.
local function mark_awaited(ids)
  local names = hmget(watched, ids)
  for i = 1, #ids do
    local text = names[i] or ''
    if not string.find(text, '>\n', 1, true) then call('HSET', watched, ids[i], text .. '>\n') end
  end
end

-- What has been overtaken needs no telling. A success is told although its id was started anew since.
local function still_true(id, what)
  if byte(what) == 114 or string.find('kwsu', what, 1, true) then return true end
  local value = call('HGET', tasks, id)
  if what == 'b' then return not value or is_ended(value) end
  if not value then return what ~= 'v' end
  return (is_ended(value) and state_letter(value) ~= 's') == (what ~= 'v')
end

-- One of the resolvers that wait is told; one that is gone has no receiver on its channel. So many one call takes off at most,
-- however often it announces: those of the dead are swept.
local resolvers_left = 100
local function announce(news)
  if #news == 0 then return end
  for i = 1, #news do call('ZADD', outbox, now, news[i]) end
  while resolvers_left > 0 do
    local name = call('ZRANGE', outbox, '+inf', '+inf', 'BYSCORE', 'LIMIT', 0, 1)[1]
    if not name or sub(name, 1, 1) ~= 'R' then return end
    call('ZREM', outbox, name)
    resolvers_left = resolvers_left - 1
    if call('PUBLISH', prefix .. 'wake:' .. sub(name, 2), 'r') > 0 then return end
  end
end
