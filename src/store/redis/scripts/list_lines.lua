-- list, of tasks that stand in a list: by position.
-- Needs: lib_queues lib_many

-- The ready list: the one to be claimed next stands at the right. It moves while it is read: a cursor is how
-- many entries have been passed.
local function ready_page(key, newest, after, limit)
  local passed, page = tonumber(after == '' and '0' or after), {}
  local found = newest and call('LRANGE', key, passed, passed + limit - 1)
    or call('LRANGE', key, -passed - limit, -passed - 1)
  for i = 1, #found do
    local at = newest and i or #found + 1 - i
    page[i] = {member = found[at], order = 0, cursor = tostring(passed + i)}
  end
  return page
end

-- A history list: entries of many ids, the oldest at the left. A cursor is the number of an entry, counted
-- from the first there ever was, and how many of its ids have been passed.
local function history_page(key, newest, after, limit)
  local gone = tonumber(call('HGET', counts, 'p:' .. sub(key, #prefix + 9)) or 0)
  local length, page = call('LLEN', key), {}
  local at, passed = string.match(after, '^(%d+) (%d+)$')
  at, passed = at and tonumber(at) - gone or (newest and length - 1 or 0), tonumber(passed or 0)
  if at < 0 then at, passed = newest and -1 or 0, 0 end
  while at >= 0 and at < length and #page < limit do
    local line = call('LINDEX', key, at)
    local ids, order = (#line - 6) / 16, number_at(line, #line - 5, 6)
    for i = passed + 1, math.min(ids, passed + limit - #page) do
      local place = 16 * (newest and ids - i or i - 1)
      page[#page + 1] = {member = sub(line, place + 1, place + 16), order = order,
        cursor = digits(gone + at) .. ' ' .. i}
      passed = i
    end
    if passed == ids then at, passed = newest and at - 1 or at + 1, 0 end
  end
  return page
end
