-- sweep, what hangs on tasks.
-- Needs: lib_silent lib_stray lib_record lib_unwatch

-- The names of `watched` that stay. Whoever has yet to fetch an end (lib_end.lua) may have lost his connection, and has a minute;
-- later nobody comes who would take his name off.
local function watchers_left(id, names)
  local value = call('HGET', tasks, id)
  if value and not is_ended(value) then return heard_names(names) end
  if value and finished_at(value) > now - 60000 then return names end
  return has_mark(names) and '>\n' or ''
end

-- Who waits for the end of tasks; `>` stands for tasks that depend on one.
function kinds.watched(cursor)
  local page, after = scan('HSCAN', watched, cursor, 50)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local id, kept = page[i], page[i + 1]
    if #id == 16 and kept ~= '>\n' then kept = watchers_left(id, kept) end
    if #id == 16 and kept == '' then
      stay = stay - call('HDEL', watched, id)
    elseif kept ~= page[i + 1] then
      call('HSET', watched, id, kept)
    end
    if kept == '>\n' and unmark(id) then stay = stay - 1 end
  end
  return stay, after, call('HLEN', watched)
end

function kinds.edges(cursor)
  local page = call('ZRANGE', links, cursor == '0' and '-' or '(' .. cursor, '+', 'BYLEX', 'LIMIT', 0, 200)
  local stay = #page
  for i = 1, #page do
    if is_stray(page[i]) then
      drop_stray(page[i])
      stay = stay - 1
    end
  end
  return stay, #page == 200 and page[#page] or '', call('ZCARD', links)
end
