-- list, of tasks that stand in a list: by position.
-- Needs: lib_queues lib_many list_sorted

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

local function time_of_line(line) return number_at(line, #line - 5, 6) end

-- The number of the entry, counted from those that are there, at which a history list is read on from a place.
local function line_at(key, newest, order, behind)
  local low, high = 0, call('LLEN', key)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local time = time_of_line(call('LINDEX', key, middle))
    if time < order or time == order and newest ~= behind then low = middle + 1 else high = middle end
  end
  return newest and low - 1 or low
end

-- A history list: entries of many ids, the oldest at the left. A cursor is the number of an entry, counted
-- from the first there ever was, and how many of its ids have been passed.
local function history_page(key, newest, after, limit)
  local gone = tonumber(call('HGET', counts, 'p:' .. sub(key, #prefix + 9)) or 0)
  local length, page = call('LLEN', key), {}
  local at, passed = string.match(after, '^(%d+) (%d+)$')
  at, passed = at and tonumber(at) - gone or (newest and length - 1 or 0), tonumber(passed or 0)
  local place, behind = place_of(after)
  if place then at = line_at(key, newest, place, behind) end
  if at < 0 then at, passed = newest and -1 or 0, 0 end
  while at >= 0 and at < length and #page < limit do
    local line = call('LINDEX', key, at)
    local ids, order = (#line - 6) / 16, time_of_line(line)
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
