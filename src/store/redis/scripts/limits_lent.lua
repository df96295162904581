-- limits_lent: how limits are shared out among shards.
-- Keys:    the shard's
-- Args:    worker, who keeps the shares in balance for three seconds from now on unless another one does; '': it only looks
-- Returns: 'ok', now, 0, server, then the records | 'ok', now, 1: another worker keeps them
-- Cost:    O(limits that are shared out)
-- Needs:   lib_there lib_gates
local lent, worker = prefix .. 'lent', ARGV[1]
if worker ~= '' then
  local post = call('HGET', control, 'lender')
  if post then
    local till, who = string.match(post, '^(%d+) (.*)$')
    till = tonumber(till)
    if who ~= worker and till > now and till <= now + 3000 then return {'ok', now, 1} end
  end
  free_first()
  call('HSET', control, 'lender', digits(now + 3000) .. ' ' .. worker)
end
local reply, all = {'ok', now, 0, rules.server()}, call('HGETALL', lent)
for i = 2, #all, 2 do reply[#reply + 1] = all[i] end
return reply
