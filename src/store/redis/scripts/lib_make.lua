-- Makes the shard: its stamp and its sentinels.
-- Needs: lib_base
local function make_shard(format, shards)
  -- A member of more than 64 bytes keeps a collection out of the compact encoding, which is searched from
  -- end to end.
  local sentinel = string.rep('~', 65)
  for _, key in ipairs({tasks, notes, own, claims, lanes, watched, stale, control, waiting, stages, counts}) do
    call('HSET', key, sentinel, '')
  end
  call('ZADD', leases, '+inf', sentinel)
  call('ZADD', outbox, '+inf', sentinel)
  call('ZADD', links, 0, sentinel)
  call('HSET', control, 'format', format, 'shards', shards)
end
