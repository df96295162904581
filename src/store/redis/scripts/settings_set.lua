-- settings_set: changes what is set of a handler, if it is as it was seen, and tells everybody unless it is to be quiet.
-- Keys:    the shard's; `settings`
-- Args:    handler, first bytes of the record that was seen ('': there is none), record ('': there is to be none), and "quiet"
-- Returns: 'ok', now, 1 (done) or 0 (stale: nothing was written)
-- Cost:    O(1)
-- The record's first eight bytes tell it from any other: a repeat finds its own and changes nothing.
-- Needs:   lib_there lib_queues
local settings, handler, seen, record = KEYS[#KEYS], ARGV[1], ARGV[2], ARGV[3]
local stamp = sub(call('HGET', settings, handler) or '', 1, 8)
if stamp ~= seen then return {'ok', now, stamp == sub(record, 1, 8) and 1 or 0} end
if record == '' then
  free_first()
  call('HDEL', settings, handler)
else
  call('HSET', settings, handler, record)
end
if ARGV[4] then return {'ok', now, 1} end
-- Greater than before, also where what was here before is gone.
local version = digits(math.max((tonumber(call('HGET', control, 'settings') or 0)) + 1, micros))
call('HSET', control, 'settings', version)
call('PUBLISH', prefix .. 'all', 'p' .. version)
return {'ok', now, 1}
