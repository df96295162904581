-- Whether another shard of the namespace keeps a task.
-- Needs: lib_base
-- Gives: is_away
local shard_count, this_shard
function is_away(id)
  if not shard_count then
    shard_count = tonumber(call('HGET', control, 'shards') or 1)
    this_shard = tonumber(string.match(prefix, '%.(%d+)}:$'))
  end
  return shard_count > 1 and (byte(id, 15) * 256 + byte(id, 16)) % shard_count ~= this_shard
end
