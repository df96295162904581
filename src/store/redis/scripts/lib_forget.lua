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
      end
    end
    all, count = all and #found < limit, count + #found
  end
  if untied then announce({id .. 'u'}) end
  return all, count
end
