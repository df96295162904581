-- links: a page of the edges of tasks.
-- Keys:    the shard's
-- Args:    kind (lib_links.lua), 1 when only tasks count that wait themselves, how many edges at most, then
--          (id, the last one seen or '') pairs
-- Returns: 'ok', now, then for each pair that was looked at: ids at the other ends in one text, 1 when there
--          are more
-- Cost:    O(edges)
-- Needs:   lib_links
local reply, room = {'ok', now}, tonumber(ARGV[3])
for at = 4, #ARGV, 2 do
  if room <= 0 then break end
  local counts = ARGV[2] ~= '1' or call('HEXISTS', waiting, ARGV[at]) == 1
  local found, ids = counts and links_of(ARGV[1], ARGV[at], room, ARGV[at + 1]) or {}, {}
  for i = 1, #found do ids[i] = sub(found[i], 18) end
  reply[#reply + 1] = table.concat(ids)
  reply[#reply + 1] = #found == room and 1 or 0
  room = room - #found - 1
end
return reply
