-- list, of tasks that wait in groups: first those that groups hold themselves, as a scan comes upon these, then those in `held`, by
-- group; within one in order. What a group cannot hold itself any more moves to where the walk has yet to come.
--
-- A place of the scan is not read twice: when groups have left meanwhile, it would reach others. So a cursor of the former holds where
-- the scan goes on ('-': nowhere), by which server (another one begins anew), the place of its task (group, priority, order), behind which group the others are that are to be
-- found, and those that were found with this one and have yet to come. Of the latter it is the member of `held`.
-- Needs: lib_groups lib_server
local group_width, place_width = 16, 30

-- Those of a group that come behind a place in it ('': all).
local function add_own(page, group, behind, newest, limit, before, after)
  local own = inside.own_of(group)
  local first, last, step = 1, inside.width * math.floor(#own / inside.width) - inside.width + 1, inside.width
  if newest then first, last, step = last, first, -step end
  for at = first, last, step do
    local place = group .. sub(own, at, at + 13)
    local comes = behind == '' or newest and place < behind or not newest and place > behind
    if #page < limit and comes then
      page[#page + 1] = {member = sub(own, at + 14, at + inside.width - 1), order = 0, cursor = before .. place .. after}
    end
  end
end

-- Some groups behind the one that is given, and where the scan goes on. While Redis makes its table smaller it may come upon one again.
local function some_groups(scan, over, known)
  local some, found = call('SSCAN', inside.few, scan, 'COUNT', 10), {}
  for i = 1, #some[2] do
    local group = some[2][i]
    if group > over and not known[group] then found[#found + 1], known[group] = group, true end
  end
  return found, some[1] ~= '0' and some[1] or '-'
end

local function add_few(page, newest, after, limit)
  local scan, server, over, rest = string.match(after, '^s(%S+) (%x*) (%w*) (%w+)$')
  local found, behind, whole, known = {}, '', false, {}
  if server and server ~= rules.scans_as() and scan ~= '-' then scan = '0' end
  if scan then
    behind, found[1] = sub(rest, 1, place_width), sub(rest, 1, group_width)
    for at = place_width + 1, #rest, group_width do found[#found + 1] = sub(rest, at, at + group_width - 1) end
  else
    scan, over = '0', ''
  end
  for i = 1, #found do known[found[i]] = true end
  while true do
    inside.read(found)
    for i = 1, #found do
      if #page >= limit then return end
      if whole then
        add_own(page, found[i], behind, newest, limit, 's0 ' .. rules.scans_as() .. ' ' .. found[i] .. ' ', '')
      else
        local before = 's' .. scan .. ' ' .. rules.scans_as() .. ' ' .. over .. ' '
        add_own(page, found[i], behind, newest, limit, before, table.concat(found, '', i + 1))
      end
      behind = ''
    end
    if #page >= limit or scan == '-' then return end
    -- Redis gives all of a small set at once, which are too many for a cursor. Of all in order one is enough, from which a new scan goes on.
    local begins = scan == '0'
    found, scan = some_groups(scan, over, known)
    whole = begins and scan == '-'
    if whole then table.sort(found) end
  end
end

-- Of all queues. A cursor is that of the last one seen.
local function held_page(newest, after, limit)
  local page, first, last, found = {}, '[h', '(i', {}
  if sub(after, 1, 1) ~= 'h' then
    add_few(page, newest, after, limit)
    after = ''
  end
  local room = limit - #page
  if room <= 0 then
    return page
  elseif newest then
    found = call('ZRANGE', held, after == '' and last or '(' .. after, first, 'BYLEX', 'REV', 'LIMIT', 0, room)
  else
    found = call('ZRANGE', held, after == '' and first or '(' .. after, last, 'BYLEX', 'LIMIT', 0, room)
  end
  for i = 1, #found do page[#page + 1] = {member = sub(found[i], -16), order = 0, cursor = found[i]} end
  return page
end
