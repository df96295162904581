-- list, of tasks that stand in a sorted set: by score, then by member.
-- Needs: lib_base

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

-- Up to `limit` members with scores in [from, to) behind the place `after` ('' or score, blank, member), and
-- for each its cursor.
local function sorted_page(key, from, to, newest, after, limit)
  local first, last = call('ZCOUNT', key, '-inf', '(' .. from), call('ZCOUNT', key, '-inf', '(' .. to) - 1
  if after ~= '' then
    local blank = string.find(after, ' ', 1, true)
    local place = rank_of(key, sub(after, 1, blank - 1), sub(after, blank + 1), not newest)
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
