-- Forgetting who waited.
-- Needs: lib_base

-- The mark of those that depend on it.
local function has_mark(names) return string.find('\n' .. names, '\n>\n', 1, true) ~= nil end

-- Of a task that is gone, or whose end nobody came to fetch: names of watchers that nobody would take off any more. The mark of
-- those that depend on it stays with them.
local function forget_watchers(id)
  local names = call('HGET', watched, id)
  if not names or names == '>\n' then return end
  if has_mark(names) then call('HSET', watched, id, '>\n') else call('HDEL', watched, id) end
end
