-- list, of tasks that stand in a sorted set: by score, then by member.
-- Needs: lib_queues

-- A place that no cursor has told, of tasks in the order of time: '@', an order (ms), a blank, and 1 when it is behind those of this
-- order, else 0. Returns both; nothing of a cursor.
local function place_of(after)
  local order, behind = string.match(after, '^@(%-?%d+) ([01])$')
  if order then return tonumber(order), behind == '1' end
end

local function is_before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = byte(a, i), byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- How many members stand before (score, member), also when it has left; with `through`, itself included.
local function rank_of(key, score, member, through)
  local low = call('ZCOUNT', key, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', key, score, score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local there = call('ZRANGE', key, middle, middle)[1]
    if is_before(there, member) or (through and there == member) then low = middle + 1 else high = middle end
  end
  return low
end

-- Up to `limit` members with scores in [from, to) behind `after` ('', a place, or score, blank, member), and for each its cursor.
local function sorted_page(key, from, to, newest, after, limit)
  local first, last = call('ZCOUNT', key, '-inf', '(' .. from), call('ZCOUNT', key, '-inf', '(' .. to) - 1
  if after ~= '' then
    local order, behind = place_of(after)
    local score, member = string.match(after, '^(%S*) (.*)$')
    -- Before all members of this score, or behind them.
    if order then score, member = digits(tonumber(from) + order), newest == behind and '' or string.rep('\255', 17) end
    local place = rank_of(key, score, member, not newest)
    if newest then last = math.min(last, place - 1) else first = math.max(first, place) end
  end
  if newest then first = math.max(first, last - limit + 1) else last = math.min(last, first + limit - 1) end
  local found, page = last >= first and call('ZRANGE', key, first, last, 'WITHSCORES') or {}, {}
  for i = 1, #found, 2 do
    local one = {member = found[i], order = tonumber(found[i + 1]), cursor = found[i + 1] .. ' ' .. found[i]}
    if newest then table.insert(page, 1, one) else page[#page + 1] = one end
  end
  return page
end
