-- Forgetting edges.
-- Needs: lib_links lib_news lib_away

-- Nothing else would take the mark off one that is not there and that nobody waits for any more.
local function unmark(parent)
  local lone = not any_link('c', parent) and call('HEXISTS', tasks, parent) == 0
  return lone and call('HGET', watched, parent) == '>\n' and call('HDEL', watched, parent) == 1
end

-- Forgets what a task waited for, with its place in the lists of those that it waited for. At most `limit`
-- of each kind; false when some may be left. Also how many these were. The lists of other shards are left
-- to a resolver.
local function forget_parents(id, limit)
  local all, untied, count = true, false, 0
  for _, letter in ipairs({'n', 'f'}) do
    local found = links_of(letter, id, limit)
    for i = 1, #found do
      local parent = sub(found[i], 18)
      call('ZREM', links, found[i], 'c' .. parent .. id)
      if is_away(parent) then
        call('ZADD', links, 0, 'u' .. id .. parent)
        untied = true
      else
        unmark(parent)
      end
    end
    all, count = all and #found < limit, count + #found
  end
  if untied then announce({id .. 'u'}) end
  return all, count
end
