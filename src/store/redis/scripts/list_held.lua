-- list, of tasks that wait in groups: by group, and within one in order.
-- Needs: lib_gates

-- Of all queues. A cursor is the last one seen.
local function held_page(newest, after, limit)
  local first, last, page = '[h', '(i', {}
  local found
  if newest then
    found = call('ZRANGE', held, after == '' and last or '(' .. after, first, 'BYLEX', 'REV', 'LIMIT', 0, limit)
  else
    found = call('ZRANGE', held, after == '' and first or '(' .. after, last, 'BYLEX', 'LIMIT', 0, limit)
  end
  for i = 1, #found do page[i] = {member = sub(found[i], -16), order = 0, cursor = found[i]} end
  return page
end
