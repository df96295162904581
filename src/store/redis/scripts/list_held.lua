-- list, of tasks that wait in groups: first those that groups hold themselves, as a scan comes upon these, then those in `held`, by
-- group; within one in order. What a group cannot hold itself any more moves to where the walk has yet to come.
-- Needs: lib_groups

-- Those of a group behind a place in the order of this page, with their cursors: where its scan began, and that place.
local function add_own(page, group, scan, behind, limit)
  local own = own_of(group)
  for at = 1, #own - 1, entry_width do
    local place = group .. sub(own, at, at + 13)
    if #page < limit and place > behind then
      page[#page + 1] = {member = sub(own, at + 14, at + entry_width - 1), order = 0, cursor = 's' .. scan .. ' ' .. place}
    end
  end
end

-- Of all queues. A cursor is that of the last one seen.
local function held_page(newest, after, limit)
  local page, scan, behind = {}, string.match(after, '^s(%d+) (%w+)$')
  if after == '' then scan, behind = '0', '' end
  while scan and #page < limit do
    local some = call('SSCAN', few, scan, 'COUNT', 50)
    table.sort(some[2])
    for i = 1, #some[2] do add_own(page, some[2][i], scan, behind, limit) end
    if #page < limit then
      scan, behind, after = some[1] ~= '0' and some[1], '', ''
    end
  end
  local first, last, found = '[h', '(i', {}
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
