-- delivered: these tasks have heard this news, and need not hear of that parent again.
-- Keys:    the shard's
-- Args:    for each news: id and letter, token, 1 when all have heard, count, ids of the tasks
-- Returns: 'ok', now
-- Cost:    O(tasks x log edges)
-- News that came again meanwhile has another time and stays, and so do those who are to hear of it.
-- Needs:   lib_links
local at = 1
while at <= #ARGV do
  local member, token, last, count = unpack(ARGV, at, at + 3)
  local about, what, done, kept = sub(member, 1, 16), sub(member, 17), {}, {}
  local letter = what == 'u' and 'u' or 'c'
  if tonumber(call('ZSCORE', outbox, member) or 0) == tonumber(token) then
    for i = at + 4, at + 3 + count do
      done[#done + 1], kept[#kept + 1] = letter .. about .. ARGV[i], 's' .. about .. ARGV[i]
    end
    many('ZREM', links, done, 1, #done)
    if #kept > 0 and what ~= 'u' and call('HEXISTS', tasks, about) == 1 then add_links(kept) end
    if last == '1' then call('ZREM', outbox, member) end
  end
  at = at + 4 + count
end
return {'ok', now}
