-- Edges between tasks. All stand in one sorted set of equal scores and are found by how they begin:
--   'n' child parent   the child needs the end of the parent
--   'f' child parent   the parent ended otherwise than the child needs; 'n' again when it is revived
--   'c' parent child   the child is to hear of the parent
--   's' parent child   the child has heard what it needs; kept for the graph
--   'h' queue \n handler \n digit task   no edge: this task stands aside (lib_aside.lua); 9 - its priority
--   'a' task           no edge: when this task is due it stands aside again
--   'u' child parent   the parent's shard is still to forget that the child was to hear of it
-- Needs: lib_many
local last_id = string.rep('\255', 16)

local function links_of(letter, id, limit, after)
  local from = after and after ~= '' and '(' .. letter .. id .. after or '[' .. letter .. id
  return call('ZRANGE', links, from, '[' .. letter .. id .. last_id, 'BYLEX', 'LIMIT', 0, limit)
end

local function count_links(letter, id)
  return call('ZLEXCOUNT', links, '[' .. letter .. id, '[' .. letter .. id .. last_id)
end

local function any_link(letter, id) return #links_of(letter, id, 1) > 0 end

local function add_links(members)
  local pairs_of = {}
  for i = 1, #members do
    pairs_of[2 * i - 1], pairs_of[2 * i] = 0, members[i]
  end
  many('ZADD', links, pairs_of, 1, #pairs_of)
end
